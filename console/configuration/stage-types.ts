/** What descriptions are carried out on, and what that comes to. */
import type { Answer, Changes } from '../operations/operation.ts';
import type { Hold } from '../operations/owner.ts';
import type { OperationRequest } from '../operations/run-operation.ts';
import type { AnyOperation } from './object-kinds.ts';
import type { Ownership } from './ownership.ts';

/** A store that holds what is changed, and the operations on it. */
export interface Stage {
  readonly operations: readonly AnyOperation[];
  /** @throws {ProblemError} */
  run(operation: AnyOperation, request: OperationRequest): Promise<Answer>;
  readonly ownership: Ownership;
  /** What secrets were set, by the name of their place. */
  readonly fingerprints: {
    readonly key: string;
    read(place: string): Promise<string | undefined>;
    write(place: string, fingerprint: string): Promise<void>;
  };
}

export interface Step {
  readonly kind: string;
  readonly id: string;
  readonly action: 'create' | 'update' | 'remove' | 'take-over' | 'held' | 'blocked';
  readonly changes: Changes | null;
  /** Of one that is blocked or held: why. */
  readonly reason: string | null;
  /** What the reason is called, of one that is blocked. */
  readonly code: string | null;
  /** Of one that is held. */
  readonly hold: Hold | null;
  readonly warnings: readonly string[];
}
