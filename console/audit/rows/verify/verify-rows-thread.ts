/** A thread that verifies the rows of all consoles: `new Worker(…, { workerData: RowsToVerify })`. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { verifyRows } from './verify-rows.ts';
import type { FromVerifying, RowsToVerify } from './verify-rows-in-thread.ts';

const port = parentPort!;
const say = (message: FromVerifying) => port.postMessage(message);
try {
  // Calls go first.
  setPriority(10);
} catch {
  // Where that is forbidden all are equal.
}
const onProgress = (done: number, total: number) => say({ type: 'progress', done, total });
try {
  say({
    type: 'verified',
    report: await verifyRows({ ...(workerData as RowsToVerify), anchors: [], onProgress }),
  });
} catch (error) {
  const { name, message } = error as Error;
  say({ type: 'failed', isUnavailable: name === 'StorageUnavailableError', message });
}
