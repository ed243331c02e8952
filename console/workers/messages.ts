/** What the process that owns the store and the workers that answer tell and ask each other: plain values, in order. */
import type { ReplayOutcome, UsedProof } from '../../access-tokens/dpop/replays.ts';
import type { Answer, Call } from '../../platform/process/calls.ts';
import type { SharedMemories } from '../app/shared-memories.ts';
import type { Batch } from '../audit/batches/batch-writer.ts';
import type { Entry } from '../audit/entry.ts';
import type { Versions } from '../audit/reader/latest-entries.ts';
import type { QuestionKind } from '../audit/reader/questions.ts';
import type { ClientUseRow } from '../clients/uses/client-last-used.ts';
import type { CalledKey } from '../members/called-keys.ts';
import type { ConfiguredNames } from '../members/configured-structures.ts';
import type { MinuteOfCalls } from '../metrics/call-history/minute-of-calls.ts';
import type { CallFilter, CallSums } from '../metrics/call-sums.ts';
import type { MainNumbers } from '../metrics/main-numbers.ts';
import type { Numbers } from '../metrics/numbers.ts';
import type { OpenCall } from '../metrics/open-calls.ts';
import type { ProcessReport } from '../metrics/reports/process-report.ts';
import type { ApplicationAddresses } from '../settings/application-addresses.ts';
import type { SettingsMessage } from '../settings/settings-message.ts';
import type {
  DecisionCalls,
  RegistrySnapshot,
  StoreCalls,
  StoreEvent,
} from '../storage/embedded/worker/messages.ts';
import type { Hold } from '../tokens/guessing/secret-failures.ts';
import type { UsageRow } from '../usage/usage-row.ts';
import type { Gap } from '../usage/usage-store.ts';

type EntryMemories = SharedMemories['entryMemories'];

/** What the owner does for a worker. */
export interface OwnerCalls extends StoreCalls, EntryMemories {
  addProof(memory: 'proofs' | 'tokenProofs' | 'assertions', proof: UsedProof, caller: string): ReplayOutcome;
  /** Resolves when all workers watch it. */
  watchToken(jti: string): Promise<void>;
  wasTokenUsed(jti: string): boolean;
  addSecretFailure(source: string): Hold;
  /** With an `Idempotency-Key`. @returns false: it is under way already */
  beginCall(id: string): boolean;
  endCall(id: string): void;
  addCalledKeys(keys: readonly CalledKey[]): void;
  /** Of calls through all workers. */
  calledKeys(map: string): Promise<readonly CalledKey[]>;
  /** Of all workers. */
  flushDenials(): Promise<void>;
  /** Of what all have written. */
  auditVersions(): Versions;
  /** Resolves when the entries that were sent before are in the file. */
  auditWritten(): Promise<void>;
  /** Resolves when they are on the disk. */
  auditSynced(): Promise<void>;
  recordClientUses(rows: readonly ClientUseRow[]): void;
  recordUsage(rows: readonly UsageRow[], gaps: readonly Gap[]): void;
  /** What all workers have counted is written. */
  settleUsage(): Promise<void>;
  /** When the entry that says so is on the disk. */
  eraseAudit(entry: Entry): Promise<void>;
  /** Of the audit, which it alone reads. */
  askAudit(kind: QuestionKind, asked: object): Promise<object | undefined>;
  /** The numbers of all processes as one. */
  allNumbers(): Promise<Numbers>;
  /** What all workers have seen of the calls of the last hour. */
  recentCalls(filter: CallFilter): Promise<CallSums>;
  /** Of a proxy in a process of its own. */
  takeReport(report: ProcessReport): Promise<void>;
  /** Calls that wait in all workers. */
  openCalls(): Promise<readonly OpenCall[]>;
  endOpenCall(requestId: string): Promise<boolean>;
}

/** Each by its name: what is missing here no worker could ask for. */
export const ownerCalls: Readonly<Record<keyof OwnerCalls, true>> = {
  put: true,
  consume: true,
  exchange: true,
  remove: true,
  removeByKey: true,
  extend: true,
  removeByGrant: true,
  count: true,
  uncount: true,
  checkWritable: true,
  recordEnds: true,
  commitRecords: true,
  changeRegistry: true,
  changeRegistryGuarded: true,
  addProof: true,
  watchToken: true,
  wasTokenUsed: true,
  addSecretFailure: true,
  beginCall: true,
  endCall: true,
  storeFormer: true,
  formersOf: true,
  formerValue: true,
  addOpenedKey: true,
  openedKeys: true,
  addCalledKeys: true,
  calledKeys: true,
  flushDenials: true,
  auditVersions: true,
  auditWritten: true,
  auditSynced: true,
  eraseAudit: true,
  recordClientUses: true,
  recordUsage: true,
  settleUsage: true,
  askAudit: true,
  allNumbers: true,
  recentCalls: true,
  takeReport: true,
  openCalls: true,
  endOpenCall: true,
};

/** What a worker does for the owner. */
export interface WorkerCalls extends DecisionCalls {
  flushDenials(): Promise<void>;
  /** Hands on what has been used. */
  flushUsage(): Promise<void>;
  numbers(): Promise<Numbers>;
  /** For their history. */
  mainNumbers(): Promise<MainNumbers>;
  /** The same. @param minute  since 1970 */
  callMinute(minute: number): Promise<MinuteOfCalls>;
  /** What it has seen itself. */
  recentCalls(filter: CallFilter): Promise<CallSums>;
  /** What waits in it. */
  openCalls(): Promise<readonly OpenCall[]>;
  endOpenCall(requestId: string): Promise<boolean>;
}

/** Happens to all workers. */
export type SharedEvent =
  | StoreEvent
  | { readonly type: 'application'; readonly addresses: ApplicationAddresses }
  /** An access token whose use is to be noticed. */
  | { readonly type: 'watchToken'; readonly jti: string }
  /** Whether what is recorded now is kept. */
  | { readonly type: 'audit'; readonly isAvailable: boolean }
  /** As many workers answer as should. */
  | { readonly type: 'complete' };

/** What a worker has to know before anything else. */
export interface Briefing {
  readonly settings: SettingsMessage;
  readonly isColored: boolean;
  readonly snapshot: RegistrySnapshot;
  /** Of the last event before. */
  readonly sequence: number;
  /** What the owner's steady clock is ahead of the clock of this machine, milliseconds. */
  readonly steadyOffsetMs: number;
  readonly setupToken: string;
  /** Base addresses. */
  readonly members: readonly string[];
  /** Maps and queues that the embedded member was started with. */
  readonly configured: ConfiguredNames | undefined;
  readonly application: ApplicationAddresses;
  readonly isComplete: boolean;
  /** Whether what is recorded now is kept. */
  readonly isAuditAvailable: boolean;
}

export type ForWorker =
  /** The store may be opened now, and until it is, nothing is written. */
  | { readonly type: 'briefing'; readonly briefing: Briefing }
  | { readonly type: 'event'; readonly sequence: number; readonly event: SharedEvent }
  | Call
  | Answer
  /** It is not ready any more, and goes on until it is to stop. */
  | { readonly type: 'announceEnd' }
  | { readonly type: 'stop' };

export type FromWorker =
  /** It can be briefed. */
  | { readonly type: 'loaded' }
  | { readonly type: 'opened' }
  | { readonly type: 'listening'; readonly address: string }
  /** The event has taken effect. */
  | { readonly type: 'received'; readonly sequence: number }
  | { readonly type: 'entries'; readonly batch: Batch }
  /** A token that is watched has been used. */
  | { readonly type: 'tokenUsed'; readonly jti: string }
  | Call
  | Answer;
