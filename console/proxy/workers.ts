/** Worker processes that share one port: started, told everything, replaced when they die. */
import cluster, { type Worker as Process } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Replays } from '../../access-tokens/dpop/replays.ts';
import type { Logger } from '../../platform/log.ts';
import type { DenialBatch } from '../access/denial-buffer.ts';
import { splitLines } from './line-splitter.ts';
import type { ForWorker, FromWorker } from './messages.ts';

export interface WorkersDeps {
  readonly count: number;
  /** Further environment of theirs. */
  readonly env: Readonly<Record<string, string>>;
  /** What a worker is told first. */
  readonly state: () => ForWorker;
  /** Resolves when the key has been looked for. */
  readonly fetchKey: (kid: string) => Promise<void>;
  /** Hears what they have refused. */
  readonly onDenials: (batch: DenialBatch) => void;
  /** One for all of them, so that a proof passes once whichever of them it comes to. */
  readonly proofMemory: Replays;
  readonly log: Logger;
}

export type Workers = ReturnType<typeof createWorkers>;

/** A worker could not start, and has said why itself. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('a worker could not start');
    this.exitCode = exitCode;
  }
}

interface Started {
  readonly process: Process;
  /** Its address. @throws {WorkerStartError} */
  readonly listening: Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Pause before a worker is replaced, milliseconds; doubled with each that died soon. */
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** Who lived this long has not died of its start, milliseconds. */
const soundMs = 60_000;

export function createWorkers({ count, env, state, fetchKey, onDenials, proofMemory, log }: WorkersDeps) {
  const numbers = new AggregatorRegistry();
  const running = new Map<Process, Started>();
  const subscribed = new Set<Process>();
  const passing = new Set<Process>();
  const stopping = new AbortController();

  return {
    /** Starts them. @returns their address @throws {WorkerStartError} when the first one cannot start */
    async start(): Promise<string> {
      cluster.setupPrimary({ silent: true });
      // One before the others: what keeps all of them from starting is told once.
      const first = launch();
      const address = await first.listening;
      const further = Array.from({ length: count - 1 }, launch);
      for (const started of [first, ...further]) void replaceAtEnd(started);
      await Promise.all(further.map(({ listening }) => listening.catch(() => {})));
      return address;
    },
    send(message: ForWorker) {
      for (const worker of subscribed) send(worker, message);
    },
    /** Whether calls pass at each of them. */
    doAllPass: (): boolean => [...running.keys()].every((worker) => passing.has(worker)),
    /** Lets them finish; what has not ended after `timeoutMs` is killed. */
    async stop(timeoutMs: number) {
      stopping.abort();
      const timer = setTimeout(() => {
        for (const worker of running.keys()) worker.process.kill('SIGKILL');
      }, timeoutMs);
      for (const worker of running.keys()) send(worker, { type: 'stop' });
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };

  function launch(): Started {
    const worker = cluster.fork(env);
    splitLines(worker.process.stdout!, process.stdout);
    splitLines(worker.process.stderr!, process.stderr);
    worker.on('error', (error) => log.error({ err: error, worker: worker.id }, 'a worker cannot be reached'));
    const ended = new Promise<Awaited<Started['ended']>>((resolve) => {
      worker.once('exit', (code, signal) => {
        running.delete(worker);
        subscribed.delete(worker);
        passing.delete(worker);
        resolve({ code, signal });
      });
    });
    const listening = new Promise<string>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'listening') resolve(message.address);
        else receive(worker, message);
      });
      void ended.then(({ code }) => reject(new WorkerStartError(code ?? 1)));
    });
    listening.catch(() => {});
    const started = { process: worker, listening, ended, at: performance.now() };
    running.set(worker, started);
    return started;
  }

  async function replaceAtEnd(started: Started): Promise<void> {
    let current = started;
    let pauseMs = firstPauseMs;
    for (;;) {
      const { code, signal } = await current.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - current.at > soundMs) pauseMs = firstPauseMs;
      log.error(
        { worker: current.process.id, code, signal, pauseMs },
        'worker ended; another takes its place',
      );
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      current = launch();
    }
  }

  function receive(worker: Process, message: FromWorker): void {
    switch (message.type) {
      case 'hearing':
        send(worker, state());
        subscribed.add(worker);
        break;
      case 'passing':
        passing.add(worker);
        break;
      case 'unknownKey':
        void fetchKey(message.kid).then(() => send(worker, { type: 'keyFetched', kid: message.kid }));
        break;
      case 'proof':
        send(worker, {
          type: 'proof',
          id: message.id,
          outcome: proofMemory.add(message.proof, message.caller),
        });
        break;
      case 'denials':
        onDenials(message.batch);
        break;
      case 'metrics':
        numbers
          .clusterMetrics()
          .then((text) => send(worker, { type: 'metrics', id: message.id, text }))
          .catch((error: unknown) => log.warn({ err: error }, 'the numbers of the workers did not come'));
    }
  }
}

/** To one that may just have ended: then it need not be told. */
function send(worker: Process, message: ForWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
