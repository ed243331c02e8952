/** Worker processes that share ports: started, and replaced when they die. What they say to each other is others' business. */
import cluster, { type Worker as Process } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { splitLines } from './line-splitter.ts';

export interface WorkerProcessesDeps<ForWorker, FromWorker> {
  readonly count: number;
  /** Further environment of theirs. */
  readonly env: Readonly<Record<string, string>>;
  /** @returns the address at which the worker listens from now on, when that is what it says */
  readonly receive: (worker: WorkerProcess<ForWorker>, message: FromWorker) => string | undefined;
  readonly onEnd?: (worker: WorkerProcess<ForWorker>) => void;
  /** The system gives each new connection to a worker, and this process sees none of them. */
  readonly isAcceptingThemselves?: boolean;
  readonly log: Pick<Logger, 'error'>;
}

export interface WorkerProcess<ForWorker> {
  readonly id: number;
  /** To one that may just have ended: then it need not know. */
  send(message: ForWorker): void;
  /** It does not answer any more. */
  kill(): void;
}

/** A worker could not start, and has said why itself. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('a worker could not start');
    this.exitCode = exitCode;
  }
}

interface Started<ForWorker> {
  readonly worker: WorkerProcess<ForWorker>;
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

export function createWorkerProcesses<ForWorker, FromWorker>({
  count,
  env,
  receive,
  onEnd,
  isAcceptingThemselves = false,
  log,
}: WorkerProcessesDeps<ForWorker, FromWorker>) {
  const running = new Map<WorkerProcess<ForWorker>, Started<ForWorker>>();
  const stopping = new AbortController();

  return {
    /** Starts them. @returns their address @throws {WorkerStartError} when the first one cannot start */
    async start(): Promise<string> {
      if (isAcceptingThemselves) cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({ silent: true });
      // One before the others: what keeps all of them from starting is said once.
      const first = launch();
      const address = await first.listening;
      const further = Array.from({ length: count - 1 }, launch);
      for (const started of [first, ...further]) void replaceAtEnd(started);
      await Promise.all(further.map(({ listening }) => listening.catch(() => {})));
      return address;
    },
    running: (): readonly WorkerProcess<ForWorker>[] => [...running.keys()],
    /** Lets them finish, once `ask` has been called with each; what has not ended after `timeoutMs` is killed. */
    async stop(timeoutMs: number, ask: (worker: WorkerProcess<ForWorker>) => void) {
      stopping.abort();
      const timer = setTimeout(() => {
        for (const worker of running.keys()) worker.kill();
      }, timeoutMs);
      for (const worker of running.keys()) ask(worker);
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };

  function launch(): Started<ForWorker> {
    const child = cluster.fork(env);
    const worker = workerOf(child);
    splitLines(child.process.stdout!, process.stdout);
    splitLines(child.process.stderr!, process.stderr);
    child.on('error', (error) => log.error({ err: error, worker: worker.id }, 'a worker cannot be reached'));
    const ended = new Promise<Awaited<Started<ForWorker>['ended']>>((resolve) => {
      child.once('exit', (code, signal) => {
        running.delete(worker);
        onEnd?.(worker);
        resolve({ code, signal });
      });
    });
    const listening = new Promise<string>((resolve, reject) => {
      child.on('message', (message: FromWorker) => {
        const address = receive(worker, message);
        if (address !== undefined) resolve(address);
      });
      void ended.then(({ code }) => reject(new WorkerStartError(code ?? 1)));
    });
    listening.catch(() => {});
    const started = { worker, listening, ended, at: performance.now() };
    running.set(worker, started);
    return started;
  }

  async function replaceAtEnd(started: Started<ForWorker>): Promise<void> {
    let current = started;
    let pauseMs = firstPauseMs;
    for (;;) {
      const { code, signal } = await current.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - current.at > soundMs) pauseMs = firstPauseMs;
      log.error(
        { worker: current.worker.id, code, signal, pauseMs },
        'worker ended; another takes its place',
      );
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      current = launch();
    }
  }
}

function workerOf<ForWorker>(child: Process): WorkerProcess<ForWorker> {
  return {
    id: child.id,
    send(message) {
      if (child.isConnected()) child.send(message as object, () => {});
    },
    kill: () => void child.process.kill('SIGKILL'),
  };
}
