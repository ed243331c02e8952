/** How far a receiver has got, in a file of its own: `audit-forward/<name>.json` of the data directory. */
import { mkdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dropStaleTemporaries, syncDirectory, writeTemporary } from '../../../platform/files/durable-file.ts';

/** The last that has arrived, of each writer. */
export type Reached = Readonly<Record<string, number>>;

export interface Delivered {
  readonly reached: Reached;
  /** Epoch milliseconds; undefined: the last attempt went well. */
  readonly failingSince?: number | undefined;
}

export interface DeliveredStore extends Delivered {
  store(state: Delivered): Promise<void>;
}

/** One that is not there, or cannot be read, is at the beginning: twice is better than never. */
export function openDelivered(file: string): DeliveredStore {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  dropStaleTemporaries(file, () => false);
  let state = readDelivered(file);
  return {
    get reached() {
      return state.reached;
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

function readDelivered(file: string): Delivered {
  try {
    const { reached, failingSince } = JSON.parse(readFileSync(file, 'utf8'));
    const isWhole = Object.values(reached).every((seq) => Number.isSafeInteger(seq));
    if (isWhole) return { reached, failingSince: Number.isFinite(failingSince) ? failingSince : undefined };
  } catch {
    // None yet, or none of ours.
  }
  return { reached: {} };
}
