/** How much of each is done: little by itself, so that all of it takes some ten minutes, and as much as was asked for with `--full`. */

export interface Sizes {
  readonly revocations: number;
  readonly idleSeconds: number;
  readonly signIns: number;
  readonly killSeconds: number;
  readonly replays: number;
  readonly upgradeSeconds: number;
  readonly cutSeconds: number;
  readonly dayStepMinutes: number;
  /** In each such step. */
  readonly daySignIns: number;
}

const little: Sizes = {
  revocations: 100,
  idleSeconds: 30,
  signIns: 300,
  killSeconds: 5,
  replays: 300,
  upgradeSeconds: 20,
  cutSeconds: 10,
  dayStepMinutes: 360,
  daySignIns: 4,
};

const full: Sizes = {
  revocations: 200,
  idleSeconds: 60,
  signIns: 10_000,
  killSeconds: 10,
  replays: 10_000,
  upgradeSeconds: 60,
  cutSeconds: 60,
  dayStepMinutes: 20,
  daySignIns: 20,
};

/** Each may be given by itself: `BENCH_SHARED_SIGN_INS` and so on. */
export function sizesOf(isFull: boolean, env: NodeJS.ProcessEnv = process.env): Sizes {
  const given = Object.entries(isFull ? full : little).map(([name, usual]) => [
    name,
    Number(env[variableOf(name)] ?? usual),
  ]);
  return Object.fromEntries(given) as unknown as Sizes;
}

function variableOf(name: string): string {
  return `BENCH_SHARED_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
