/** The thread that writes the audit: `new Worker(…, { workerData: AuditThreadData })`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type AuditThreadData, createAuditWork, type ForAuditThread } from './audit-work.ts';

const port = parentPort!;
const work = createAuditWork(workerData as AuditThreadData, (message) => port.postMessage(message));
port.on('message', (message: ForAuditThread) => {
  work.take(message);
});
