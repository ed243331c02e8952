/** A thread that walks through segments: `new Worker(…, { workerData: KeyObject | undefined })`. */
import type { KeyObject } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type SegmentToWalk, walkAlone } from './walk-alone.ts';

const port = parentPort!;
try {
  // A console on this machine goes first.
  setPriority(10);
} catch {
  // Where that is forbidden all are equal.
}
port.on('message', (given: SegmentToWalk) => {
  port.postMessage(walkAlone(withBuffers(given), workerData as KeyObject | undefined));
});

/** Bytes come as plain arrays. */
function withBuffers({ segment, ...given }: SegmentToWalk): SegmentToWalk {
  const { header } = segment;
  if (!header) return { ...given, segment };
  return { ...given, segment: { ...segment, header: { ...header, previous: Buffer.from(header.previous) } } };
}
