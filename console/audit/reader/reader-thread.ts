/** The thread that reads the audit: `new Worker(…, { workerData: ReaderThreadData })`. */
import { parentPort, workerData } from 'node:worker_threads';
import { createReaderWork, type ForReader, type ReaderThreadData } from './reader-work.ts';

const port = parentPort!;
const take = createReaderWork(workerData as ReaderThreadData, (message) => port.postMessage(message));
port.on('message', (message: ForReader) => void take(message));
