/** Where an installation ends first: by what is fixed, and by what the simulation finds busy or late. */
import { createRandom } from '../fuzz/random.ts';
import { quantile } from '../statistics.ts';
import type { Figures } from './figures.ts';
import { type Scale, simulate } from './model.ts';
import type { Outcome } from './world.ts';

export interface Limit {
  readonly name: string;
  readonly is: string;
  readonly atMost: string;
}

export interface Step {
  readonly scale: Scale;
  readonly outcome: Outcome;
  readonly limits: readonly Limit[];
}

const seed = 15;

/** One run of it, with what it exceeds. */
export function tryScale(figures: Figures, scale: Scale): Step {
  const outcome = simulate(figures, scale, createRandom(seed));
  return { scale, outcome, limits: [...exceeded(figures, outcome)] };
}

/** What does not depend on time: connections. */
export function fixedLimits({ installation }: Figures, { consoles }: Scale): readonly Limit[] {
  const connections = consoles * (installation.poolPerConsole + installation.connectionsBesidePool);
  if (connections <= installation.databaseConnections) return [];
  return [
    {
      name: 'connections to the database',
      is: String(connections),
      atMost: String(installation.databaseConnections),
    },
  ];
}

/**
 * Doubles what is asked of it until something gives way, and then looks between the last two.
 *
 * @param most  times what is asked
 * @returns every step, in the order in which it was tried; the last is the least that is too much, unless nothing is
 */
export function findLimit(figures: Figures, start: Scale, most: number): readonly Step[] {
  const steps: Step[] = [];
  const attempt = (load: number): Step => {
    const step = tryScale(figures, { ...start, load });
    steps.push(step);
    return step;
  };
  let good = 0;
  let load = start.load;
  let bad = attempt(load);
  while (bad.limits.length === 0 && load < most) {
    good = load;
    load *= 2;
    bad = attempt(load);
  }
  if (bad.limits.length === 0) return steps;
  for (let n = 0; n < 3; n++) {
    const between = (good + bad.scale.load) / 2;
    const step = attempt(between);
    if (step.limits.length === 0) good = between;
    else bad = step;
  }
  return [...steps.filter((step) => step !== bad), bad];
}

function* exceeded({ goals }: Figures, { busy, took }: Outcome): Generator<Limit> {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const busiest = Object.entries(busy).sort(([, one], [, other]) => other - one);
  for (const [name, share] of busiest) {
    // What waits goes to the disk in one write, so one that is busy is not full.
    if (share > goals.busiest && name !== 'database, disk')
      yield { name, is: percent(share), atMost: percent(goals.busiest) };
  }
  const late = [
    ['refresh', goals.refreshP99Ms],
    ['sign-in', goals.signInP99Ms],
    ['revocation known at a console', goals.revocationP99Ms],
  ] as const;
  for (const [name, most] of late) {
    const p99 = quantile(took[name] ?? [], 0.99);
    if (p99 > most) yield { name: `${name}, p99`, is: `${p99.toFixed(0)} ms`, atMost: `${most} ms` };
  }
}
