/** Sessions that are meant by a filter, page by page: an account's are found by it, the others are looked through. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Sessions, SignInSession } from '../../accounts/sessions.ts';
import type { Users } from '../../accounts/users.ts';
import type { UserRecord } from '../../storage/records.ts';
import type { BoundedCount } from '../../storage/storage.ts';
import type { SessionFilter } from './session-form.ts';

export interface SessionPagesDeps {
  readonly sessions: Pick<Sessions, 'page' | 'count'>;
  readonly users: Pick<Users, 'findMany'>;
}

export interface MeantSession {
  readonly session: SignInSession;
  readonly user: UserRecord;
}

export interface SessionPage {
  readonly found: readonly MeantSession[];
  /** The key behind which it goes on; absent: this was the last page. */
  readonly next?: string | undefined;
}

/** Sessions that one page looks at where they are not found by what is asked for: some 20 ms. */
const mostRead = 100;
const readAtOnce = 50;

/** A filter whose user is known. */
export interface MeantSessions extends Omit<SessionFilter, 'user'> {
  /** Absent: of everybody. */
  readonly accountId?: string;
}

/** @throws {ProblemError} `not_found` for a user that there is not */
export async function sessionsMeant(
  { user: name, ...filter }: SessionFilter,
  users: Pick<Users, 'findByName'>,
): Promise<MeantSessions> {
  return name === undefined ? filter : { ...filter, accountId: (await findUser(name, users)).id };
}

export async function pageOfSessions(
  { accountId, client, provider }: MeantSessions,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  { sessions, users }: SessionPagesDeps,
): Promise<SessionPage> {
  const isFiltered = client !== undefined || provider !== undefined;
  const found: MeantSession[] = [];
  let place = after;
  for (let read = 0; read < (isFiltered ? mostRead : limit); ) {
    // A page of what is read is never more than what still fits.
    const count = Math.min(limit - found.length, isFiltered ? readAtOnce : limit - read);
    const page = await sessions.page({ accountId, limit: count, after: place });
    found.push(...(await withUsers(page.sessions, users)).filter(isMeant));
    if (page.next === undefined) return { found };
    place = page.next;
    read += count;
    if (found.length >= limit) break;
  }
  return { found, next: place };

  function isMeant({ session, user }: MeantSession): boolean {
    if (provider !== undefined && user.federated?.provider !== provider) return false;
    return client === undefined || session.applications.some(({ clientId }) => clientId === client);
  }
}

/**
 * How many a filter means: none of those that have expired, swept or not. One of an account that was just disabled
 * counts until it is ended, which happens with the same change.
 *
 * @returns undefined where that takes a look at each
 */
export async function countOfSessions(
  { accountId, client, provider }: MeantSessions,
  { sessions }: Pick<SessionPagesDeps, 'sessions'>,
): Promise<BoundedCount | undefined> {
  if (client !== undefined || provider !== undefined) return undefined;
  return sessions.count(accountId);
}

/** A session whose account is gone does not count. */
export async function withUsers(
  sessions: readonly SignInSession[],
  users: Pick<Users, 'findMany'>,
): Promise<readonly MeantSession[]> {
  const found = await users.findMany(sessions.map(({ accountId }) => accountId));
  return sessions.flatMap((session) => {
    const user = found.get(session.accountId);
    return user ? [{ session, user }] : [];
  });
}

async function findUser(name: string, users: Pick<Users, 'findByName'>): Promise<UserRecord> {
  const found = await users.findByName(name);
  if (found) return found;
  throw new ProblemError(problems.notFound, 'There is no user of this name.');
}
