/** Whether different cases take the same time, found out on a machine that does other things too. */

export interface Comparison<Kind extends string> {
  /** The others are compared with the first. */
  readonly kinds: readonly [Kind, ...Kind[]];
  /** How often each is measured for one result. */
  readonly rounds: number;
  /** The smallest ratio of any two of them that counts as even. */
  readonly least: number;
  /** Before each batch of rounds, of which there are at most three. */
  readonly begin: (batch: number) => Promise<void>;
  /** Milliseconds of one case. */
  readonly time: (kind: Kind, batch: number) => Promise<number>;
}

const batches = 3;

/**
 * What else the machine does changes from one second to the next, so times are compared that were taken one after the
 * other, and of these ratios the middle one counts: half the rounds have to be disturbed the same way before it moves.
 * Should that happen, it does not three times; what takes another time by itself does so each time.
 *
 * @returns the ratio of each kind to the first, of the first batch in which all are even, or of the last one
 */
export async function medianRatios<Kind extends string>(
  comparison: Comparison<Kind>,
): Promise<ReadonlyMap<Kind, number>> {
  const { least, begin } = comparison;
  let ratios = new Map<Kind, number>();
  for (let batch = 0; batch < batches; batch++) {
    await begin(batch);
    ratios = await compareOnce(comparison, batch);
    if (spreadOf(ratios) > least) break;
  }
  return ratios;
}

/** The smallest ratio of any two, by what each has to the first. */
export function spreadOf(ratios: ReadonlyMap<string, number>): number {
  const all = [1, ...ratios.values()];
  return Math.min(...all) / Math.max(...all);
}

async function compareOnce<Kind extends string>(
  { kinds, rounds, time }: Comparison<Kind>,
  batch: number,
): Promise<Map<Kind, number>> {
  const [reference, ...others] = kinds;
  const ratios = new Map<Kind, number[]>(others.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round++) {
    const base = await time(reference, batch);
    for (const kind of others) ratios.get(kind)!.push((await time(kind, batch)) / base);
  }
  return new Map([...ratios].map(([kind, all]) => [kind, median(all)]));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
