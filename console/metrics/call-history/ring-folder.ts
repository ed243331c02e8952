/** A folder with one small ring for each name, and room for so many of them. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openRingWriter, type RingForm, type Row, rowsOf } from '../history/ring-file.ts';
import { minuteMs, ringName } from './forms.ts';

export interface RingFolder {
  has(id: string): boolean;
  /**
   * Writes the row of a minute.
   *
   * @param joined  what it comes to with a row of the same minute that is there already
   * @returns false: calls of the last day are lost, for there was no room, or somebody else had to make it
   */
  write(id: string, minute: number, row: Row, joined: (there: Row, row: Row) => Row): Promise<boolean>;
}

export interface RingFolderDeps {
  readonly directory: string;
  readonly form: RingForm;
  readonly mostRings: number;
}

/** One that was written of late keeps its room, so that two names do not push each other out in turn. */
const quietMinutes = 60;

/** Reads which rings there are, once. */
export async function openRingFolder({ directory, form, mostRings }: RingFolderDeps): Promise<RingFolder> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  /** With the minute of their last row, the one that was written longest ago first. */
  const rings = await ringsIn(directory);

  return {
    has: (id) => rings.has(ringName(id)),
    async write(id, minute, row, joined) {
      const name = ringName(id);
      const room = rings.has(name) ? 'free' : await makeRoom(minute);
      if (room === 'none') return false;
      const path = join(directory, name);
      const there = rings.has(name) ? await rowAt(path, form, minute) : undefined;
      const writer = await openRingWriter(path, form);
      try {
        await writer.write(minute, there ? joined(there, row) : row);
      } finally {
        await writer.close();
      }
      rings.delete(name);
      rings.set(name, minute);
      return room === 'free';
    },
  };

  async function makeRoom(minute: number): Promise<'free' | 'taken' | 'none'> {
    if (rings.size < mostRings) return 'free';
    const [oldest] = rings;
    const [name, last] = oldest!;
    if (minute - last < quietMinutes) return 'none';
    await rm(join(directory, name), { force: true });
    rings.delete(name);
    return minute - last < form.slots ? 'taken' : 'free';
  }
}

async function ringsIn(directory: string): Promise<Map<string, number>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.ring'));
  const rings: [string, number][] = [];
  for (const name of names) {
    const { mtimeMs } = await stat(join(directory, name));
    rings.push([name, Math.floor(mtimeMs / minuteMs)]);
  }
  return new Map(rings.sort(([, one], [, other]) => one - other));
}

async function rowAt(path: string, form: RingForm, minute: number): Promise<Row | undefined> {
  for await (const { row } of rowsOf(path, form, minute, minute)) return row;
  return undefined;
}
