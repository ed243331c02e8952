/** The workers as the owner of the store sees them: briefed one by one, told of all that happens in one order. */

import type { Logger } from '../../platform/log.ts';
import { answerCall, type Calls, type CallTable, createCalls } from '../../platform/process/calls.ts';
import { createWorkerProcesses, type WorkerProcess } from '../../platform/process/worker-processes.ts';
import type { Batch } from '../audit/batches/batch-writer.ts';
import { errorOf, failureOf } from './failures.ts';
import type { Briefing, ForWorker, FromWorker, OwnerCalls, SharedEvent, WorkerCalls } from './messages.ts';

export interface WorkerGroupDeps {
  readonly count: number;
  readonly log: Pick<Logger, 'error'>;
}

/** What the group works for, once that is there. */
export interface WorkerGroupOwner {
  readonly briefing: () => Omit<Briefing, 'sequence' | 'isComplete'>;
  /** Runs `work` while nothing is written to the store. */
  readonly withoutWrites: (work: () => Promise<void>) => Promise<void>;
  /** @param over  resolves when the worker is gone */
  readonly callsFor: (worker: WorkerCalls, over: Promise<void>) => OwnerCalls;
  /** Of the audit. */
  readonly onEntries: (batch: Batch) => void;
  readonly onTokenUsed: (jti: string) => void;
  /** One has ended, perhaps in the middle of reading the store. */
  readonly onEnd: () => void;
}

export type WorkerGroup = ReturnType<typeof createWorkerGroup>;

interface Member {
  readonly worker: WorkerProcess<ForWorker>;
  readonly calls: Calls<WorkerCalls>;
  readonly answers: CallTable;
  /** The last event that has taken effect there; Infinity: it has ended. */
  received: number;
  isListening: boolean;
  onOpened: () => void;
  onOver: () => void;
}

/** Opening takes milliseconds, and nothing is written meanwhile. */
const openMs = 2_000;
/** A worker that has not taken in an event by then does not count any more: what it knows is out of date. */
const receiveMs = 3_000;
const answerMs = 4_000;

export function createWorkerGroup({ count, log }: WorkerGroupDeps) {
  const members = new Map<WorkerProcess<ForWorker>, Member>();
  const waiters = new Set<() => void>();
  let owner: WorkerGroupOwner | undefined;
  let sequence = 0;
  let isComplete = false;
  const processes = createWorkerProcesses<ForWorker, FromWorker>({
    count,
    env: {},
    receive,
    onEnd: forget,
    isAcceptingThemselves: true,
    log,
  });

  return {
    emit,
    /** Resolves when what has been emitted has taken effect everywhere. */
    received(): Promise<void> {
      return hasReceived(sequence) ? Promise.resolve() : untilReceived(sequence);
    },
    /** Resolves when they have answered, those that do so in time. */
    async askAll(ask: (worker: WorkerCalls, id: number) => Promise<void>): Promise<void> {
      await Promise.allSettled([...members.values()].map((member) => ask(callsOf(member), member.worker.id)));
    },
    /** Of those that have not ended. */
    ids: () => [...members.keys()].map(({ id }) => id),
    /** Whether as many answer as should. */
    isComplete: () => [...members.values()].filter(({ isListening }) => isListening).length >= count,
    /** Starts them. @returns their address @throws {WorkerStartError} when the first one cannot start */
    start(of: WorkerGroupOwner): Promise<string> {
      owner = of;
      return processes.start();
    },
    announceEnd() {
      for (const worker of processes.running()) worker.send({ type: 'announceEnd' });
    },
    /** Lets them finish; what has not ended after `timeoutMs` is killed. */
    stop: (timeoutMs: number) => processes.stop(timeoutMs, (worker) => worker.send({ type: 'stop' })),
  };

  function emit(event: SharedEvent): void {
    sequence++;
    for (const { worker } of members.values()) worker.send({ type: 'event', sequence, event });
  }

  /** @returns where it listens, when that is what it says */
  function receive(worker: WorkerProcess<ForWorker>, message: FromWorker): string | undefined {
    if (message.type === 'loaded') {
      void brief(worker).catch((error: unknown) => {
        log.error({ err: error, worker: worker.id }, 'a worker could not be started');
        worker.kill();
      });
      return undefined;
    }
    const member = members.get(worker);
    return member && receiveFrom(member, message);
  }

  function receiveFrom(member: Member, message: Exclude<FromWorker, { type: 'loaded' }>): string | undefined {
    switch (message.type) {
      case 'call':
        void answerCall(member.answers, message, failureOf).then(member.worker.send);
        break;
      case 'answer':
      case 'failure':
        member.calls.receive(message);
        break;
      case 'received':
        member.received = message.sequence;
        check();
        break;
      case 'entries':
        owner?.onEntries(message.batch);
        break;
      case 'tokenUsed':
        owner?.onTokenUsed(message.jti);
        break;
      case 'opened':
        member.onOpened();
        break;
      case 'listening':
        member.isListening = true;
        complete();
        return message.address;
    }
    return undefined;
  }

  /** Whoever serves from the first start on is enough: that one is replaced takes the console from nobody. */
  function complete(): void {
    const listening = [...members.values()].filter(({ isListening }) => isListening).length;
    if (isComplete || listening < count) return;
    isComplete = true;
    emit({ type: 'complete' });
  }

  function brief(worker: WorkerProcess<ForWorker>): Promise<void> {
    return owner!.withoutWrites(async () => {
      const opened = new Promise<void>((resolve) => {
        const member = memberOf(worker, resolve);
        members.set(worker, member);
        const briefing = { ...owner!.briefing(), sequence, isComplete };
        worker.send({ type: 'briefing', briefing });
      });
      const timer = setTimeout(() => worker.kill(), openMs);
      await opened.finally(() => clearTimeout(timer));
    });
  }

  function memberOf(worker: WorkerProcess<ForWorker>, onOpened: () => void): Member {
    const calls = createCalls<WorkerCalls>({
      send: worker.send,
      patienceMs: answerMs,
      onSilence: () => new Error('a worker does not answer'),
      errorOf,
    });
    let onOver = (): void => {};
    const over = new Promise<void>((resolve) => {
      onOver = resolve;
    });
    const member = { worker, calls, received: sequence, isListening: false, onOpened, onOver };
    return { ...member, answers: { ...owner!.callsFor(callsOf(member), over) } };
  }

  function forget(worker: WorkerProcess<ForWorker>): void {
    const member = members.get(worker);
    if (!member) return;
    members.delete(worker);
    member.calls.end();
    member.onOpened();
    member.onOver();
    owner?.onEnd();
    check();
  }

  function hasReceived(upTo: number): boolean {
    for (const { received } of members.values()) if (received < upTo) return false;
    return true;
  }

  function untilReceived(upTo: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const { worker, received } of members.values()) if (received < upTo) worker.kill();
      }, receiveMs);
      const end = () => {
        if (!hasReceived(upTo)) return;
        clearTimeout(timer);
        waiters.delete(end);
        resolve();
      };
      waiters.add(end);
    });
  }

  function check(): void {
    for (const end of [...waiters]) end();
  }
}

function callsOf({ calls }: Pick<Member, 'calls'>): WorkerCalls {
  return {
    decide: (decision) => calls.call('decide', decision),
    flushDenials: () => calls.call('flushDenials'),
    flushUsage: () => calls.call('flushUsage'),
    numbers: () => calls.call('numbers'),
    mainNumbers: () => calls.call('mainNumbers'),
    callMinute: (minute) => calls.call('callMinute', minute),
    recentCalls: (filter) => calls.call('recentCalls', filter),
    openCalls: () => calls.call('openCalls'),
    endOpenCall: (requestId) => calls.call('endOpenCall', requestId),
  };
}
