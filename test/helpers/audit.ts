import { join } from 'node:path';
import type { Entry } from '../../console/audit/entry.ts';
import { entriesOf, lineOf, writersOf } from '../../console/audit/segments/segment-reader.ts';

/** Every entry of every writer, check-points too, as it stands in the store. */
export function storedEntries(dataDir: string): Entry[] {
  const directory = join(dataDir, 'audit');
  return writersOf(directory).flatMap((writer) =>
    [...entriesOf(directory, writer)].map((stored) => JSON.parse(lineOf(stored)) as Entry),
  );
}

/** What the store says, under the names that the log has; without the audit's own entries. */
export function storedEvents(dataDir: string): Record<string, unknown>[] {
  return storedEntries(dataDir)
    .filter(({ event }) => !event.startsWith('audit.'))
    .map(
      ({
        v: _v,
        writer: _writer,
        seq: _seq,
        outbox: _outbox,
        actor,
        object,
        change,
        client,
        tokenId,
        ms,
        detail,
        ...entry
      }) => ({
        ...detail,
        ...entry,
        actor: actor?.id,
        ...(actor?.via && { via: actor.via }),
        ...(object && { target: object.id }),
        ...(change && { changes: change }),
        ...(client && { clientId: client }),
        ...(tokenId && { jti: tokenId }),
        ...(ms !== undefined && { durationMs: ms }),
      }),
    );
}
