/** Files of the audit that the database and all receivers have whole: after a day they go, as the rows are kept. */
import { rmSync } from 'node:fs';
import type { KnownSegments } from '../index/known-segments.ts';
import type { Reached } from '../reader/questions.ts';
import { closedEnding, type Segment } from '../segments/segment-form.ts';

export interface CopiedFilesDeps {
  readonly segments: KnownSegments;
  /** Of each writer, the last that is in the database. */
  readonly reached: () => Reached;
  /** What each receiver has got. */
  readonly delivered: () => readonly Reached[];
}

/** So long a database that was put back to an earlier state gets them again. */
const storedMs = 24 * 60 * 60 * 1000;

export function createCopiedFiles({ segments, reached, delivered }: CopiedFilesDeps) {
  return {
    /** @param now  epoch milliseconds. @throws {Error} of the disk */
    clear(now = Date.now()): void {
      const all = [reached(), ...delivered()];
      for (const writer of segments.writers()) {
        const upTo = Math.min(...all.map((one) => one[writer] ?? 0));
        for (const path of doneIn(segments.of(writer), upTo, now - storedMs)) rmSync(path, { force: true });
      }
    },
  };
}

/** But for the last one, which is still written; those before one that stays do too. */
function doneIn(list: readonly Segment[], upTo: number, before: number): readonly string[] {
  const done: string[] = [];
  for (const [i, { path }] of list.entries()) {
    const next = list[i + 1]?.header;
    if (!next || next.firstSeq - 1 > upTo || next.time > before) break;
    done.push(path + closedEnding);
  }
  return done;
}
