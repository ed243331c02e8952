/** The numbers of all workers of a member proxy, as the process that started them gathers them. */
import { createPendingAnswers } from '../../platform/async/pending-answers.ts';
import type { WorkerProcess } from '../../platform/process/worker-processes.ts';
import type { Numbers } from '../metrics/numbers.ts';
import { createSummedNumbers } from '../metrics/summed-numbers.ts';
import type { ForWorker } from './messages.ts';

type Worker = WorkerProcess<ForWorker>;

/** Less than whoever asks for all of them waits. */
const answer = {
  patienceMs: 2_000,
  onSilence: () => new Error('a worker does not say what it has counted'),
};

/** @param running  those that have not ended */
export function createWorkerNumbers(running: () => readonly Worker[]) {
  const answering = new Set<Worker>();
  const pending = createPendingAnswers<number, Numbers>(answer);
  const summed = createSummedNumbers({ read, ids: () => running().map(({ id }) => id) });
  let lastAsked = 0;

  return {
    /** It can be asked from now on. */
    add: (worker: Worker) => void answering.add(worker),
    remove: (worker: Worker) => void answering.delete(worker),
    /** It has answered. */
    take: (id: number, numbers: Numbers) => void pending.resolve(id, numbers),
    all: (): Promise<Numbers> => summed([]),
  };

  async function read(): Promise<ReadonlyMap<number, Numbers>> {
    const all = new Map<number, Numbers>();
    const ask = async (worker: Worker) => {
      lastAsked += 1;
      const numbers = pending.add(lastAsked);
      worker.send({ type: 'readNumbers', id: lastAsked });
      all.set(worker.id, await numbers);
    };
    await Promise.allSettled([...answering].map(ask));
    return all;
  }
}
