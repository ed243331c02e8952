/** What the process that listens to the console and the workers that answer calls tell each other. */
import type { ReplayOutcome, UsedProof } from '../../access-tokens/dpop/replays.ts';
import type { DenialBatch } from '../access/denial-buffer.ts';
import type { Numbers } from '../metrics/numbers.ts';
import type { ProcessReport } from '../metrics/reports/process-report.ts';
import type { RevocationEvent } from '../tokens/revocation-stream/revocation-event.ts';
import type { UsageRow } from '../usage/usage-row.ts';

/** A public key as the key set shows it (RFC 7517 §4); checked by whoever reads it. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** To a worker. Plain JSON: it may cross to another process. */
export type ForWorker =
  /** Replaces all that was known. */
  | {
      readonly type: 'state';
      readonly events: readonly RevocationEvent[];
      readonly keys: readonly PublicJwk[];
      /** When the console was last heard, by the machine's own clock; absent: never yet. */
      readonly receivedAt?: number;
    }
  | { readonly type: 'events'; readonly events: readonly RevocationEvent[] }
  | { readonly type: 'keys'; readonly keys: readonly PublicJwk[] }
  /** The answer to `unknownKey`; what was found has come before. */
  | { readonly type: 'keyFetched'; readonly kid: string }
  /** The answer to `origin`; without it, the console could not be asked. */
  | { readonly type: 'origin'; readonly origin: string; readonly isKnown?: boolean | undefined }
  /** Asks what it has counted. */
  | { readonly type: 'readNumbers'; readonly id: number }
  /** The answer to `allNumbers`: those of all workers as one. */
  | { readonly type: 'allNumbers'; readonly id: number; readonly numbers: Numbers }
  /** The answer to `proof`. */
  | { readonly type: 'proof'; readonly id: number; readonly outcome: ReplayOutcome }
  /** It is not ready any more, and goes on until it is to stop. */
  | { readonly type: 'announceEnd' }
  | { readonly type: 'stop' };

/** From a worker. */
export type FromWorker =
  /** It can be told things from now on. */
  | { readonly type: 'hearing' }
  | { readonly type: 'listening'; readonly address: string }
  /** It has been told enough for calls to pass. */
  | { readonly type: 'passing' }
  /** Somebody brought a token that names this key. */
  | { readonly type: 'unknownKey'; readonly kid: string }
  /** Whether pages of this origin may call. */
  | { readonly type: 'origin'; readonly origin: string }
  /** The answer to `readNumbers`. */
  | { readonly type: 'numbers'; readonly id: number; readonly numbers: Numbers }
  | { readonly type: 'allNumbers'; readonly id: number }
  /** Somebody has sent a good proof, which may have been used at another worker before. */
  | { readonly type: 'proof'; readonly id: number; readonly proof: UsedProof; readonly caller: string }
  /** What was used there lately, for the console. */
  | { readonly type: 'usage'; readonly rows: readonly UsageRow[] }
  /** What it has counted, for the console. */
  | { readonly type: 'report'; readonly report: ProcessReport }
  /** What it has refused lately, for the console. */
  | { readonly type: 'denials'; readonly batch: DenialBatch };
