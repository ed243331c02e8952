/** What the bar of all management pages says: how many members answer, which jobs run, what waits for approval. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BarModel } from '../../views/management/bar.tsx';
import type { PageCall, PageOperations } from '../admin-api/http/http-calls.ts';
import { membersNow, runningJobs, waitingApprovals } from './figures-now.ts';
import type { ListAnswer } from './lists.ts';

/** It is the same for all who may know it, and asked so seldom however many pages are read. */
const freshMs = 2_000;
/** No page waits longer for it: what comes later is for the next one. */
const patienceMs = 300;

const figures = {
  members: membersNow,
  jobs: { ...runningJobs, read: countOf },
  approvals: { ...waitingApprovals, read: countOf },
} as const;

const names = Object.keys(figures) as readonly (keyof typeof figures)[];

/** @returns what a reader may know of it, and could be had in time */
export function createBarFigures(
  operations: Pick<PageOperations, 'run' | 'openTo'>,
  now: () => number,
): (call: PageCall) => Promise<BarModel> {
  const known = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();

  return async (call) => {
    const may = await operations.openTo(
      call.caller,
      names.map((name) => figures[name].operation),
    );
    const open = names.filter((name) => may.has(figures[name].operation));
    const found = await Promise.all(
      open.map(async (name) => [name, await inTime(figure(name, call))] as const),
    );
    return Object.fromEntries(found.filter(([, value]) => value !== undefined));
  };

  function figure(name: keyof typeof figures, call: PageCall): Promise<unknown> {
    const last = known.get(name);
    if (last && now() - last.at < freshMs) return last.value;
    const { operation, query, read } = figures[name];
    // A page is shown without what cannot be had now.
    const value = operations.run(call, operation, { query, isBrief: true }).then(
      ({ body }) => read(body as never),
      () => undefined,
    );
    known.set(name, { at: now(), value });
    return value;
  }
}

function inTime<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return Promise.race([value, delay(patienceMs, undefined, { ref: false })]);
}

function countOf({ count }: Pick<ListAnswer<unknown>, 'count'>): number | undefined {
  return count?.value;
}
