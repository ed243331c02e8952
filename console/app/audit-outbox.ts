/**
 * Entries of the audit that the transaction of a change puts into the store: a kill in between leaves neither the change
 * without its entry nor an entry without the change (decision 0037). They are taken out when the disk has them in the
 * audit, and what a start finds it writes, once: each has an id.
 */
import { randomBytes } from 'node:crypto';
import { createPauses } from '../../platform/async/pauses.ts';
import type { Audit } from '../../platform/log.ts';
import { createEntryBody } from '../audit/entry.ts';
import { entryOf } from '../audit/event-entry.ts';
import type { AuditLine, AuditOutbox, PreparedEntries } from '../operations/call-entry.ts';
import type { ArtifactStore } from '../storage/storage.ts';

export interface AuditOutboxDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'remove'>;
  readonly audit: Audit;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What the store has under {@link outboxKind}. */
export interface OutboxRecord {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of entries, each with the id of this record and its number there. */
  readonly bodies: readonly string[];
}

export const outboxKind = 'AuditOutbox';

/** So that no record is larger than some hundred KB. */
const mostLines = 200;

export function createAuditOutbox({ artifacts, audit, now }: AuditOutboxDeps): AuditOutbox {
  const bodyOf = createEntryBody();
  let said: string[] = [];
  let isRemoving = false;

  return { prepare, sayStored };

  function prepare(lines: readonly AuditLine[]): PreparedEntries {
    const at = now();
    const groups = Array.from({ length: Math.ceil(lines.length / mostLines) }, (_, i) => ({
      id: randomBytes(9).toString('base64url'),
      lines: lines.slice(i * mostLines, (i + 1) * mostLines),
    })).map(({ id, lines: own }) => ({
      id,
      lines: own.map(([event, fields], n) => [event, { ...fields, outbox: `${id}.${n}` }] as AuditLine),
    }));
    return {
      records: groups.map(({ id, lines: own }) => {
        const bodies = own.map(([event, fields]) => bodyOf(entryOf(event, fields), at));
        return { kind: outboxKind, id, artifact: { payload: { id, at, bodies } } };
      }),
      async say() {
        const pause = createPauses(0.5);
        for (const { id, lines: own } of groups) {
          for (const [event, fields] of own) {
            audit(event, fields);
            await pause();
          }
          said.push(id);
        }
        void removeSaid();
      },
    };
  }

  async function sayStored(line: AuditLine): Promise<void> {
    const { records, say } = prepare([line]);
    // A store that takes nothing leaves it to the audit alone.
    const puts = records.map(({ kind, id, artifact }) => artifacts.put(kind, id, artifact));
    await Promise.allSettled(puts);
    await say();
  }

  /** All at once that the disk has: they share a commit. What fails is left to the next start. */
  async function removeSaid(): Promise<void> {
    if (isRemoving || !audit.synced) return;
    isRemoving = true;
    try {
      while (said.length > 0) {
        const ids = said;
        said = [];
        await audit.synced();
        await Promise.all(ids.map((id) => artifacts.remove(outboxKind, id)));
      }
    } catch {
      // The store takes nothing, or is closed.
    } finally {
      isRemoving = false;
    }
  }
}
