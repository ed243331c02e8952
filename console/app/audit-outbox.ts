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
import type { AuditLine, AuditOutbox, CallRecord, PreparedEntries } from '../operations/call-entry.ts';
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
  /** Where several consoles share the store: whose it is. */
  readonly owner?: string;
  /** Of one that was taken from an owner who is gone: its own name in the store, and when, epoch milliseconds. */
  readonly taken?: { readonly name: string; readonly at: number };
}

export const outboxKind = 'AuditOutbox';

/** So that no record is larger than some hundred KB. */
const mostLines = 200;

export function createAuditOutbox({ artifacts, audit, now }: AuditOutboxDeps): AuditOutbox {
  const bodyOf = createEntryBody();
  let said: string[] = [];
  let isRemoving = false;

  return { prepare, prepareMany, sayStored };

  function prepare(lines: readonly AuditLine[]): PreparedEntries {
    const at = now();
    const groups = groupsOf(lines);
    return {
      records: groups.map((group) => recordOf(group, at, bodiesOf(group, at))),
      say: () => say(groups),
    };
  }

  async function prepareMany(lines: readonly AuditLine[]): Promise<PreparedEntries> {
    const at = now();
    const groups = groupsOf(lines);
    const records: CallRecord[] = [];
    const pause = createPauses(0.5);
    for (const group of groups) {
      const bodies: string[] = [];
      for (const line of group.lines) {
        bodies.push(textOf(line, at));
        await pause();
      }
      records.push(recordOf(group, at, bodies));
    }
    return { records, say: () => say(groups) };
  }

  function recordOf({ id }: Group, at: number, bodies: readonly string[]): CallRecord {
    const { owner } = audit;
    return {
      kind: outboxKind,
      id,
      artifact: { payload: { id, at, bodies, ...(owner !== undefined && { owner }) } },
    };
  }

  function textOf([event, fields]: AuditLine, at: number): string {
    return bodyOf(entryOf(event, fields), at);
  }

  function bodiesOf({ lines }: Group, at: number): string[] {
    return lines.map((line) => textOf(line, at));
  }

  async function say(groups: readonly Group[]): Promise<void> {
    const pause = createPauses(0.5);
    for (const { id, lines } of groups) {
      for (const [event, fields] of lines) {
        audit(event, fields);
        await pause();
      }
      said.push(id);
    }
    void removeSaid();
  }

  async function sayStored(line: AuditLine): Promise<void> {
    const { records, say: sayAll } = prepare([line]);
    // A store that takes nothing leaves it to the audit alone.
    const puts = records.map(({ kind, id, artifact }) => artifacts.put(kind, id, artifact));
    await Promise.allSettled(puts);
    await sayAll();
  }

  /** All at once that the disk has: they share a commit. What fails at last is left to the next start. */
  async function removeSaid(): Promise<void> {
    if (isRemoving || !audit.synced) return;
    isRemoving = true;
    let ids: string[] = [];
    try {
      while (said.length > 0) {
        ids = said;
        said = [];
        await audit.synced();
        await Promise.all(ids.map((id) => artifacts.remove(outboxKind, id)));
      }
    } catch {
      // The store takes nothing, or is closed: with the next one, if there is one.
      said = [...ids, ...said];
    } finally {
      isRemoving = false;
    }
  }
}

interface Group {
  readonly id: string;
  readonly lines: readonly AuditLine[];
}

function groupsOf(lines: readonly AuditLine[]): readonly Group[] {
  return Array.from({ length: Math.ceil(lines.length / mostLines) }, (_, i) => {
    const id = randomBytes(9).toString('base64url');
    const own = lines.slice(i * mostLines, (i + 1) * mostLines);
    return {
      id,
      lines: own.map(([event, fields], n) => [event, { ...fields, outbox: `${id}.${n}` }] as const),
    };
  });
}
