/** What entries of the audit can be asked by. */
import { z } from 'zod';
import type { EntryFilter } from '../../audit/index/filter.ts';

const text = z.string().min(1).max(512);
const described = (description: string) => text.exactOptional().meta({ description });

/** For the query of each operation on them. */
export const entryFilters = {
  actor: described('Id of who acted, or the name of a user.'),
  object: described('Kind of what it was done to, or kind, colon and id: `client`, `client:billing`.'),
  client: described('Client through which it was done, or which did it.'),
  member: described('Address of the member that was called.'),
  event: described('Its name, or the beginning of it up to a dot and `*`: `client.updated`, `client.*`.'),
  outcome: z.enum(['success', 'partial', 'failure', 'denied']).exactOptional(),
  decision: described('Id of the decision, as the answer to whoever was denied says it.'),
  joinedBy: described(
    'An id that entries have in common: of a request, session, grant, token, decision or trace.',
  ),
  changes: z
    .enum(['true'])
    .exactOptional()
    .meta({ description: '`true`: only those that say what they have changed.' }),
  since: z.iso.datetime({ offset: true }).exactOptional().meta({ description: 'The first that is wanted.' }),
  until: z.iso.datetime({ offset: true }).exactOptional().meta({ description: 'The first that is not.' }),
};

export type EntryQuery = { readonly [K in keyof typeof entryFilters]?: string };

export function filterOf({ object, joinedBy, changes, since, until, ...same }: EntryQuery): EntryFilter {
  const { actor, client, member, event, outcome, decision } = same;
  const colon = object?.indexOf(':') ?? -1;
  return {
    ...{ actor, client, member, event, outcome, decision, id: joinedBy },
    ...(changes === 'true' && { isChange: true }),
    objectKind: colon < 0 ? object : object!.slice(0, colon),
    objectId: colon < 0 ? undefined : object!.slice(colon + 1),
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
  };
}

/** What was asked for, for the entry that says so. */
export function askedOf(query: object): Readonly<Record<string, unknown>> {
  const { cursor: _cursor, after: _after, ...asked } = query as Readonly<Record<string, unknown>>;
  return asked;
}
