/** Lines of a file that have a key of an earlier one: found by sorting, told in the order of the file. */
import type { Progress } from './progress.ts';
import type { RejectedLines } from './rejected-lines.ts';
import { repeatedKey } from './row-keys.ts';
import type { SortedRuns } from './sorted-runs.ts';

interface Deps {
  readonly progress: Progress;
  /** Whether lines may be left out. */
  readonly continues: boolean;
  readonly rejected: RejectedLines;
}

/** @param repeated  gets the number of each line that has a key of an earlier one, with the reason */
export async function findRepeated(
  keys: SortedRuns,
  repeated: SortedRuns,
  total: number,
  { progress, continues, rejected }: Deps,
): Promise<void> {
  let [before, first, done] = ['', 0, 0];
  let earliest: { line: number; reason: string } | undefined;
  for await (const block of keys.sorted()) {
    for (const entry of block) {
      const end = entry.lastIndexOf('\u0000');
      const [key, line] = [entry.slice(0, end), Number(entry.slice(end + 1))];
      if (key === before) {
        const reason = repeatedKey(key, first);
        if (earliest === undefined || line < earliest.line) earliest = { line, reason };
        await repeated.add(`${entry.slice(end + 1)} ${reason}`);
      } else [before, first] = [key, line];
    }
    done += block.length;
    progress.report('comparing', Math.min(done, total), total);
  }
  if (earliest && !continues) await rejected.add(earliest);
}

/** @returns a function to be asked with growing numbers of lines */
export async function nextRepeated(
  repeated: SortedRuns,
): Promise<(line: number) => Promise<string | undefined>> {
  const blocks = repeated.sorted();
  let block: readonly string[] = [];
  let at = 0;
  let isEnd = false;

  async function head(): Promise<string | undefined> {
    while (at >= block.length && !isEnd) {
      const { value, done } = await blocks.next();
      block = value ?? [];
      at = 0;
      isEnd = done === true;
    }
    return block[at];
  }

  return async (line) => {
    let reason: string | undefined;
    for (let entry = await head(); entry !== undefined; entry = await head()) {
      const number = Number(entry.slice(0, 10));
      if (number > line) break;
      if (number === line) reason ??= entry.slice(11);
      at++;
    }
    return reason;
  };
}
