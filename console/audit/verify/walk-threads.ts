/** Walks through the segments of an audit in threads, as many at a time as the machine has processors. */
import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { programOf } from '../../../platform/installation.ts';
import type { SegmentToWalk, WalkedSegment, WalkedSegments } from './walk-alone.ts';

export interface WalkInThreadsDeps {
  readonly publicKey: KeyObject | undefined;
  /** The thread's, where it is not the one that belongs to this program. */
  readonly program?: URL | undefined;
}

/** Disks give no more than so many read. */
const mostThreads = 8;

/** What a thread could not do is left out: whoever adds up walks through it again. */
export async function walkInThreads(
  segments: readonly SegmentToWalk[],
  { publicKey, program = programOf('console/audit/verify/walk-thread') }: WalkInThreadsDeps,
): Promise<WalkedSegments> {
  const walked = new Map<string, WalkedSegment>();
  const waiting = [...segments];
  const count = Math.min(availableParallelism(), mostThreads, segments.length);
  await Promise.all(Array.from({ length: count }, walkSome));
  return walked;

  function walkSome(): Promise<void> {
    const thread = new Worker(program, { workerData: publicKey, name: 'audit verify' });
    let given: SegmentToWalk | undefined;
    return new Promise((resolve) => {
      const next = () => {
        given = waiting.shift();
        if (given) thread.postMessage(given);
        else void thread.terminate();
      };
      thread.on('message', (found: WalkedSegment | undefined) => {
        if (found) walked.set(given!.segment.path, found);
        next();
      });
      // What is wrong with it shows when it is walked through here.
      thread.on('error', () => {});
      thread.once('exit', () => resolve());
      next();
    });
  }
}
