/** Tells how far a store of the release before has been taken over: a bar on a terminal, else lines. */
import type { TakeOverProgress, TakeOverStep } from './take-over.ts';

export interface TakeOverReportDeps {
  readonly say: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  readonly terminal: { readonly isTTY?: boolean; write(text: string): unknown };
}

const barWidth = 30;
/** A line for each of so many parts, where nobody looks at a bar. */
const lineParts = 10;

export function createTakeOverReport({ say, terminal }: TakeOverReportDeps) {
  let reported = 0;

  return (progress: TakeOverProgress): void => {
    const { step, records, of, backup } = progress;
    const message = messageOf(progress);
    if (message !== undefined) say({ step, records, of, backup }, message);
    if (step !== 'loading') return;
    if (terminal.isTTY) terminal.write(`\r${bar(progress)}${records === of ? '\n' : ''}`);
    else if (Math.floor((records / of) * lineParts) > reported || records === of) {
      reported = Math.floor((records / of) * lineParts);
      say({ step, records, of }, `taken over: ${records} of ${of} users and clients`);
    }
  };
}

function bar({ records, of }: TakeOverProgress): string {
  const done = Math.floor((records / of) * barWidth);
  return `[${'#'.repeat(done)}${' '.repeat(barWidth - done)}] ${records} of ${of} users and clients`;
}

function messageOf({ step, of, backup }: TakeOverProgress): string | undefined {
  const messages: Partial<Record<TakeOverStep, string>> = {
    checked: `this store is of an earlier release: its ${of} users and clients are taken over now, after a backup`,
    backed_up: `the store as it was is in ${backup}`,
    loaded: 'all are written: comparing them with the store as it was',
    done: `the store is taken over; the way back is ${backup}, or "npx console storage downgrade"`,
  };
  return messages[step];
}
