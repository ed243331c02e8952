/** A worker's line to the process that owns the store. */
import { answerCall, type CallTable, createCalls } from '../../platform/process/calls.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { errorOf, failureOf } from './failures.ts';
import {
  type Briefing,
  type ForWorker,
  type FromWorker,
  type OwnerCalls,
  ownerCalls,
  type SharedEvent,
  type WorkerCalls,
} from './messages.ts';

export interface OwnerLineDeps {
  readonly send: (message: FromWorker) => void;
  /** An event did not come: what this process knows cannot be relied on. */
  readonly onGap: () => void;
}

export type OwnerLine = ReturnType<typeof createOwnerLine>;

/** Each resolves behind the events that it has led to; rejects with {@link StorageUnavailableError} without an answer. */
export type AskedOwner = {
  readonly [Name in keyof OwnerCalls]: (
    ...args: Parameters<OwnerCalls[Name]>
  ) => Promise<Awaited<ReturnType<OwnerCalls[Name]>>>;
};

/** Longest wait for an answer, milliseconds: then nothing is reported as done. */
const answerMs = 5_000;

export function createOwnerLine({ send, onGap }: OwnerLineDeps) {
  const calls = createCalls<OwnerCalls>({
    send,
    patienceMs: answerMs,
    onSilence: () => new StorageUnavailableError('the process that owns the store does not answer'),
    errorOf,
  });
  let onBriefing = (_briefing: Briefing): void => {};
  const briefing = new Promise<Briefing>((resolve) => {
    onBriefing = resolve;
  });
  let onStop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    onStop = resolve;
  });
  let onEndAnnounced = (): void => {};
  const endAnnounced = new Promise<void>((resolve) => {
    onEndAnnounced = resolve;
  });
  let answers: CallTable = {};
  let sequence = 0;
  /** Those that have come before somebody receives them. */
  let early: SharedEvent[] = [];
  let deliver = (event: SharedEvent): void => void early.push(event);

  return {
    briefing,
    /** The owner is about to end all of them. */
    endAnnounced,
    /** The owner wants this process to end. */
    stopped,
    owner: Object.fromEntries(
      (Object.keys(ownerCalls) as (keyof OwnerCalls)[]).map((name) => [
        name,
        (...args: Parameters<OwnerCalls[typeof name]>) => calls.call(name, ...args),
      ]),
    ) as unknown as AskedOwner,
    receive(message: ForWorker) {
      switch (message.type) {
        case 'briefing':
          ({ sequence } = message.briefing);
          onBriefing(message.briefing);
          break;
        case 'event':
          receiveEvent(message);
          break;
        case 'call':
          void answerCall(answers, message, failureOf).then(send);
          break;
        case 'answer':
        case 'failure':
          calls.receive(message);
          break;
        case 'announceEnd':
          onEndAnnounced();
          break;
        case 'stop':
          onStop();
      }
    },
    /** From now on, what has come already first. */
    follow(listener: (event: SharedEvent) => void) {
      for (const event of early) listener(event);
      early = [];
      deliver = listener;
    },
    serve(table: WorkerCalls) {
      answers = { ...table };
    },
    /** The owner has gone. */
    end: calls.end,
  };

  function receiveEvent({ sequence: next, event }: Extract<ForWorker, { type: 'event' }>): void {
    if (next !== sequence + 1) onGap();
    sequence = next;
    deliver(event);
    send({ type: 'received', sequence });
  }
}
