/** How the calls of a day are kept: a small ring for each client, map and queue, with a row for each minute in which it was called. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RingForm } from '../history/ring-file.ts';
import type { ClientCounts, StructureCounts } from './minute-of-calls.ts';

export const minuteMs = 60_000;
const slots = 1_440;

/** In how many rings there is a day of each kind. Whoever was called longest ago makes room, once an hour has passed without a call. */
export const mostClients = 500;
export const mostStructures = 300;

/** Places in a row, in their order. */
export const clientValues = ['fine', 'denied', 'failed'] as const satisfies (keyof ClientCounts)[];
export const structureValues = [
  ...clientValues,
  'found',
  'missed',
  'written',
  'values',
  'valueBytes',
  'mostBytes',
  'size',
  'waiting',
] as const satisfies (keyof StructureRow)[];

/** Of a queue: also how many items it had, and how many polls waited, as far as that is known. */
export interface StructureRow extends StructureCounts {
  readonly size: number;
  readonly waiting: number;
}

/** Those that are no sums: a minute that is written twice has the later one. */
export const states: ReadonlySet<string> = new Set(['size', 'waiting']);
export const largest: ReadonlySet<string> = new Set(['mostBytes']);

const formOf = (values: number): RingForm => ({ slotSeconds: 60, slots, values });
export const clientForm = formOf(clientValues.length);
export const structureForm = formOf(structureValues.length);
/** Says in which minutes there was a console: 1 where all of its calls are counted by name, else 0. */
export const presenceForm = formOf(1);

export function callHistoryFiles(dataDir: string) {
  const directory = join(dataDir, 'traffic', 'calls');
  return {
    directory,
    presence: join(directory, 'minutes.ring'),
    clients: join(directory, 'clients'),
    structures: join(directory, 'structures'),
  };
}

/** A name may have any character, and be longer than that of a file. */
export function ringName(id: string): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 40)}.ring`;
}
