/** What the workers of a member proxy ask the process that started them, and are told by it. */
import type { Replays } from '../../access-tokens/dpop/replays.ts';
import type { Logger } from '../../platform/log.ts';
import { createWorkerProcesses, type WorkerProcess } from '../../platform/process/worker-processes.ts';
import type { DenialBatch } from '../access/denial-buffer.ts';
import type { ProcessReport } from '../metrics/reports/process-report.ts';
import type { UsageRow } from '../usage/usage-row.ts';
import type { ForWorker, FromWorker } from './messages.ts';
import { createWorkerNumbers } from './worker-numbers.ts';

export interface WorkersDeps {
  readonly count: number;
  /** Further environment of theirs. */
  readonly env: Readonly<Record<string, string>>;
  /** What a worker is told first. */
  readonly state: () => ForWorker;
  /** Whether pages of this origin may call; undefined while the console cannot be asked. */
  readonly askOrigin: (origin: string) => Promise<boolean | undefined>;
  /** Resolves when the key has been looked for. */
  readonly fetchKey: (kid: string) => Promise<void>;
  /** Hears what they have refused. */
  readonly onDenials: (batch: DenialBatch) => void;
  /** Hears what was used there. */
  readonly onUse: (rows: readonly UsageRow[]) => void;
  /** Hears what each of them has counted. */
  readonly onReport: (report: ProcessReport) => void;
  /** One for all of them, so that a proof passes once whichever of them it comes to. */
  readonly proofMemory: Replays;
  readonly log: Logger;
}

export type Workers = ReturnType<typeof createWorkers>;

type Worker = WorkerProcess<ForWorker>;

export function createWorkers(deps: WorkersDeps) {
  const { count, env, state, fetchKey, askOrigin, onDenials, onUse, onReport, proofMemory, log } = deps;
  const subscribed = new Set<Worker>();
  const passing = new Set<Worker>();
  const processes = createWorkerProcesses<ForWorker, FromWorker>({
    count,
    env,
    receive,
    onEnd(worker) {
      subscribed.delete(worker);
      passing.delete(worker);
      numbers.remove(worker);
    },
    log,
  });
  const numbers = createWorkerNumbers(processes.running);

  return {
    /** Starts them. @returns their address @throws {WorkerStartError} when the first one cannot start */
    start: processes.start,
    send(message: ForWorker) {
      for (const worker of subscribed) worker.send(message);
    },
    /** Whether calls pass at each of them. */
    doAllPass: (): boolean => processes.running().every((worker) => passing.has(worker)),
    /** Lets them finish; what has not ended after `timeoutMs` is killed. */
    stop: (timeoutMs: number) => processes.stop(timeoutMs, (worker) => worker.send({ type: 'stop' })),
  };

  /** @returns where it listens, when that is what it says */
  function receive(worker: Worker, message: FromWorker): string | undefined {
    if (message.type === 'listening') {
      numbers.add(worker);
      return message.address;
    }
    switch (message.type) {
      case 'hearing':
        worker.send(state());
        subscribed.add(worker);
        break;
      case 'passing':
        passing.add(worker);
        break;
      case 'unknownKey':
        void fetchKey(message.kid).then(() => worker.send({ type: 'keyFetched', kid: message.kid }));
        break;
      case 'origin':
        void askOrigin(message.origin).then((isKnown) =>
          worker.send({ type: 'origin', origin: message.origin, isKnown }),
        );
        break;
      case 'proof':
        worker.send({
          type: 'proof',
          id: message.id,
          outcome: proofMemory.add(message.proof, message.caller),
        });
        break;
      case 'denials':
        onDenials(message.batch);
        break;
      case 'usage':
        onUse(message.rows);
        break;
      case 'report':
        onReport(message.report);
        break;
      case 'numbers':
        numbers.take(message.id, message.numbers);
        break;
      case 'allNumbers':
        numbers
          .all()
          .then((all) => worker.send({ type: 'allNumbers', id: message.id, numbers: all }))
          .catch((error: unknown) => log.warn({ err: error }, 'the numbers of the workers did not come'));
    }
    return undefined;
  }
}
