/** What the calls of the last hour came to, map by map and queue by queue: for lists, which read many at once. */
import { join } from 'node:path';
import { rowsOf, slotAt } from '../history/ring-file.ts';
import {
  callHistoryFiles,
  presenceForm,
  ringName,
  type StructureRow,
  structureForm,
  structureValues,
} from './forms.ts';
import { addStructureCounts, newStructureCounts, type StructureCounts } from './minute-of-calls.ts';

export interface StructureHour extends StructureCounts {
  /** In which a console ran, of its sixty. */
  readonly minutes: number;
  /** Items of a queue, and polls that waited there, when that was asked last; undefined: not in this hour. */
  readonly size: number | undefined;
  readonly waiting: number | undefined;
}

/** @param ids  `map:orders`, `queue:jobs`. @returns in their order */
export type ReadLastHour = (ids: readonly string[]) => Promise<readonly StructureHour[]>;

const minutes = 60;
/** Files that are open for it. */
const atOnce = 8;

/** @param now  epoch milliseconds */
export function createReadLastHour(dataDir: string, now: () => number): ReadLastHour {
  const files = callHistoryFiles(dataDir);

  return async (ids) => {
    const last = slotAt(structureForm, now());
    const first = last - minutes + 1;
    const present = await countPresent(first, last);
    const hours: StructureHour[] = [];
    for (let at = 0; at < ids.length; at += atOnce) {
      const some = ids.slice(at, at + atOnce).map((id) => hourOf(id, first, last));
      for (const hour of await Promise.all(some)) hours.push({ ...hour, minutes: present });
    }
    return hours;
  };

  async function countPresent(first: number, last: number): Promise<number> {
    let count = 0;
    for await (const _ of rowsOf(files.presence, presenceForm, first, last)) count++;
    return count;
  }

  async function hourOf(id: string, first: number, last: number) {
    const sum = newStructureCounts();
    let size: number | undefined;
    let waiting: number | undefined;
    for await (const { row } of rowsOf(join(files.structures, ringName(id)), structureForm, first, last)) {
      const values = Object.fromEntries(
        structureValues.map((name, at) => [name, row[at]]),
      ) as unknown as StructureRow;
      addStructureCounts(sum, values);
      size = known(values.size) ?? size;
      waiting = known(values.waiting) ?? waiting;
    }
    return { ...sum, size, waiting };
  }
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
