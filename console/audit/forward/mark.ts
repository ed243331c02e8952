/** How far a receiver has got, in a file of its own: `audit-forward/<name>.json` of the data directory. */
import { mkdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dropStaleTemporaries, syncDirectory, writeTemporary } from '../../../platform/files/durable-file.ts';

/** The last that has arrived, of each writer. */
export type Positions = Readonly<Record<string, number>>;

export interface MarkState {
  readonly positions: Positions;
  /** Epoch milliseconds; undefined: the last attempt went well. */
  readonly failingSince?: number | undefined;
}

export interface ForwardMark extends MarkState {
  store(state: MarkState): Promise<void>;
}

/** One that is not there, or cannot be read, is at the beginning: twice is better than never. */
export function openMark(file: string): ForwardMark {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  dropStaleTemporaries(file, () => false);
  let state = readMark(file);
  return {
    get positions() {
      return state.positions;
    },
    get failingSince() {
      return state.failingSince;
    },
    async store(next) {
      const temporary = await writeTemporary(file, [JSON.stringify(next)]);
      await rename(temporary, file);
      await syncDirectory(dirname(file));
      state = next;
    },
  };
}

function readMark(file: string): MarkState {
  try {
    const { positions, failingSince } = JSON.parse(readFileSync(file, 'utf8'));
    const isWhole = Object.values(positions).every((seq) => Number.isSafeInteger(seq));
    if (isWhole) return { positions, failingSince: Number.isFinite(failingSince) ? failingSince : undefined };
  } catch {
    // None yet, or none of ours.
  }
  return { positions: {} };
}
