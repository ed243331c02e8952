/** The entry of the audit that a call leaves, and how it gets there with what the call has changed. */
import { ProblemError } from '../../platform/errors.ts';
import type { Audit, AuditFields } from '../../platform/log.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import type { Actor } from './actor.ts';
import type { Answer, Operation } from './operation.ts';

/** What the store has of a call, besides what it has changed: its answer, its entries of the audit. */
export interface CallRecord {
  readonly kind: string;
  readonly id: string;
  readonly artifact: { readonly payload: Readonly<Record<string, unknown>>; readonly expiresAt?: number };
}

/** An entry before it is said. */
export type AuditLine = readonly [event: string, fields: AuditFields];

/** Entries that the transaction of a change has in it, so that neither is there without the other. */
export interface AuditOutbox {
  prepare(lines: readonly AuditLine[]): PreparedEntries;
  /** The same of thousands, with pauses for others. */
  prepareMany(lines: readonly AuditLine[]): Promise<PreparedEntries>;
  /** Of what has no commit of its own: it is in the store, or in the audit, when the promise resolves. */
  sayStored(line: AuditLine): Promise<void>;
}

export interface PreparedEntries {
  /** For the commit of what they tell of. */
  readonly records: readonly CallRecord[];
  /** When that is durable: has the audit write them. */
  say(): Promise<void>;
}

export interface CallEntryDeps {
  readonly audit: Audit;
  /** Absent where the audit is not this one's to write, or the store keeps nothing. */
  readonly outbox?: AuditOutbox;
  /** Whoever runs it says the entry later, and does what comes after it. */
  readonly isHeld?: boolean;
  /** Where the call came from. */
  readonly about: Pick<AuditFields, 'source' | 'requestId'>;
}

/** Of what changes something; of what only reads, reading the audit alone leaves one. */
export function createCallEntry(
  operation: Pick<Operation, 'event' | 'readEvent'>,
  { id, kind, session, via, elevation }: Actor,
  { audit, outbox, about, isHeld = false }: CallEntryDeps,
) {
  const ownEvent = operation.event ?? operation.readEvent;
  let prepared: PreparedEntries | undefined;

  return {
    /** For the commit of what the answer tells of. */
    recordsOf(answer: Answer): readonly CallRecord[] {
      const lines = linesOf(answer);
      prepared = lines.length > 0 ? outbox?.prepare(lines) : undefined;
      return prepared?.records ?? [];
    },
    /** Nobody hears of a change whose entry a kill could still take away. */
    async done(answer: Answer): Promise<void> {
      const lines = linesOf(answer);
      if (lines.length === 0) return;
      if (prepared) await prepared.say();
      else {
        for (const line of lines) {
          if (outbox && operation.event !== undefined) await outbox.sayStored(line);
          else audit(...line);
        }
      }
      await audit.written?.();
      if (!isHeld) await answer.afterEntry?.();
    },
    /** @param asked  what the entry of a refusal says of the call */
    failed(error: unknown, target: string | undefined, asked?: Readonly<Record<string, unknown>>): void {
      if (ownEvent === undefined) return;
      const isDenied = error instanceof ProblemError && error.problem.status < 500;
      const reason = error instanceof ProblemError ? error.problem.code : ('failed' satisfies OwnReason);
      audit(
        ownEvent,
        fieldsWith({ ...(asked && { asked }), outcome: isDenied ? 'denied' : 'failure', target, reason }),
      );
    },
  };

  function linesOf(answer: Answer): readonly AuditLine[] {
    const { event = ownEvent, target, changes, asked, said, also = [], isUnchanged } = answer;
    if (event === undefined || isUnchanged) return [];
    const own = fieldsWith({ ...said, outcome: 'success', target, changes, ...(asked && { asked }) });
    const others = also.map(
      ({ event: other, ...fields }) => [other, fieldsWith({ ...fields, outcome: 'success' })] as const,
    );
    return [[event, own], ...others];
  }

  function fieldsWith(said: AuditFields): AuditFields {
    const { source, requestId } = about;
    const joins = { ...(session && { session }), ...(elevation && { elevation: elevation.id }) };
    return { source, requestId, actor: id, actorKind: kind, ...joins, via, ...said };
  }
}
