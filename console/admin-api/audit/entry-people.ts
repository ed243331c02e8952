/** People in entries of the audit: they stand there by the ids of their accounts, and are asked for and shown by name. */
import type { Users } from '../../accounts/users.ts';
import type { Entry } from '../../audit/entry.ts';
import type { EntryQuery } from './entry-filters.ts';
import { type ActorNames, type EntryView, viewOfEntry } from './entry-view.ts';

export type People = Pick<Users, 'findMany' | 'findByName'>;

/** Entries have the id of an account, and people its name. */
export async function byId(query: EntryQuery, users: People): Promise<EntryQuery> {
  const named = query.actor === undefined ? undefined : await users.findByName(query.actor);
  return named ? { ...query, actor: named.id } : query;
}

/** With the names of people. */
export async function viewsOf(entries: readonly Entry[], users: People): Promise<readonly EntryView[]> {
  const names = await namesIn(entries, users);
  return entries.map((entry) => viewOfEntry(entry, names));
}

/** Of an account that was removed, the entry keeps the id. */
async function namesIn(entries: readonly Entry[], users: People): Promise<ActorNames> {
  const people = entries.flatMap(({ actor }) => (actor?.kind === 'user' ? [actor.id] : []));
  const found = await users.findMany([...new Set(people)]);
  return new Map([...found].map(([id, { username }]) => [id, username]));
}
