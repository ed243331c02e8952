/** An entry as a row: what it says in parts has columns of its own, what has no fixed form is JSON text. */
import type { Entry } from '../entry.ts';

/** In the order of a table. */
export const entryColumns = [
  'time',
  'writer',
  'seq',
  'event',
  'outcome',
  'actorKind',
  'actorId',
  'session',
  'via',
  'objectKind',
  'objectId',
  'client',
  'member',
  'permission',
  'rule',
  'missing',
  'reason',
  'status',
  'ms',
  'source',
  'requestId',
  'traceId',
  'tokenId',
  'grantId',
  'decisionId',
  'approval',
  'elevation',
  'dryRun',
  'change',
  'detail',
] as const;

export type EntryColumn = (typeof entryColumns)[number];

/** Whatever is not there is not in it. */
export function cellsOf(entry: Entry): Readonly<Partial<Record<EntryColumn, string>>> {
  const { actor, object } = entry;
  const parts = {
    ...entry,
    actorKind: actor?.kind,
    actorId: actor?.id,
    session: actor?.session,
    via: actor?.via,
    objectKind: object?.kind,
    objectId: object?.id,
  };
  const cells: Partial<Record<EntryColumn, string>> = {};
  for (const column of entryColumns) {
    const value: unknown = parts[column];
    if (value !== undefined) cells[column] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return cells;
}
