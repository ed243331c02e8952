/** Where the history of numbers stands, and in what form: a day by five seconds, thirty days by five minutes. */
import { join } from 'node:path';
import type { RingForm } from './ring-file.ts';

/** Each series has a column of its own. */
export const mostSeries = 128;

export const fineForm: RingForm = { slotSeconds: 5, slots: 17_280, values: mostSeries };
/** Of each series: mean, least, most. */
export const coarseForm: RingForm = { slotSeconds: 300, slots: 8_640, values: 3 * mostSeries };

export function historyFiles(dataDir: string) {
  const directory = join(dataDir, 'traffic');
  return {
    directory,
    fine: join(directory, '5s.ring'),
    coarse: join(directory, '5min.ring'),
    columns: join(directory, 'series.json'),
  };
}
