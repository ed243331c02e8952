/**
 * Ends elevations in their time: one process does it for all. That one is over counts at once everywhere; by this, what was
 * issued meanwhile ends too, applications are told, and the audit has the end. By a clock that goes on evenly: one that
 * was put back makes no elevation longer.
 */
import { ProblemError } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import { type ElevationRecord, saidOfEnd } from '../accounts/elevations/elevation-record.ts';
import type { Elevations } from '../accounts/elevations/elevations.ts';
import type { RecordChange } from '../storage/record-store.ts';
import type { UserElevation } from '../storage/records.ts';
import type { Storage } from '../storage/storage.ts';
import { createAuditOutbox } from './audit-outbox.ts';

export interface ElevationEndsDeps {
  readonly elevations: Pick<Elevations, 'list' | 'end'>;
  readonly storage: Pick<Storage, 'artifacts' | 'records'>;
  readonly audit: Audit;
  readonly log: { error(fields: object, message: string): void };
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock. */
  readonly steady: () => number;
}

interface Followed {
  readonly record: ElevationRecord;
  /** By the clock that goes on evenly. */
  readonly dueAt: number;
}

/** A clock that is put forward is seen then, milliseconds. */
const longestPauseMs = 1_000;
const pauseAfterFailureMs = 1_000;

/** @returns a function that ends it, after the end that is being written */
export function startElevationEnds(deps: ElevationEndsDeps): () => Promise<void> {
  const { elevations, storage, audit, log, now, steady } = deps;
  const outbox = createAuditOutbox({ artifacts: storage.artifacts, audit, now });
  /** By account. */
  const followed = new Map<string, Followed>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let round = Promise.resolve();
  const unsubscribe = storage.records.onChange((changes) => changes.forEach(take));
  round = loadAll();

  return async () => {
    isClosed = true;
    unsubscribe();
    clearTimeout(timer);
    await round;
  };

  function take(change: RecordChange): void {
    if (change.collection !== 'users') return;
    const { elevation } = change.record ?? {};
    if (elevation === undefined) followed.delete(change.id);
    else follow(change.id, elevation);
  }

  function follow(user: string, elevation: UserElevation): void {
    if (followed.get(user)?.record.id === elevation.id) return;
    const left = Math.min(elevation.endsAt - now(), elevation.endsAt - elevation.startedAt);
    followed.set(user, { record: { ...elevation, user }, dueAt: steady() + left });
    wait();
  }

  /** Of earlier runs. */
  async function loadAll(): Promise<void> {
    try {
      for (const { id, user: userId, end } of await elevations.list()) {
        if (end !== undefined || followed.has(userId)) continue;
        const { elevation } = (await storage.records.get('users', userId)) ?? {};
        if (elevation?.id === id) follow(userId, elevation);
      }
    } catch (error) {
      log.error({ err: error }, 'open elevations could not be read: they end without being written down');
    }
  }

  function wait(least = 0): void {
    clearTimeout(timer);
    if (isClosed || followed.size === 0) return;
    const next = Math.min(...[...followed.values()].map(({ dueAt }) => dueAt)) - steady();
    timer = setTimeout(
      () => {
        round = endDue();
      },
      Math.max(least, Math.min(next, longestPauseMs)),
    ).unref();
  }

  async function endDue(): Promise<void> {
    let hasFailed = false;
    for (const { record, dueAt } of [...followed.values()]) {
      if (steady() < dueAt && now() < record.endsAt) continue;
      hasFailed = !(await end(record)) || hasFailed;
    }
    wait(hasFailed ? pauseAfterFailureMs : 0);
  }

  /** @returns false when it is to be tried again */
  async function end(record: ElevationRecord): Promise<boolean> {
    const { event, ...said } = saidOfEnd(record, 'expired');
    const about = { actor: 'console', actorKind: 'system', via: 'system', outcome: 'success' } as const;
    const prepared = outbox.prepare([[event, { ...about, ...said }]]);
    try {
      await elevations.end(record.id, { cause: 'expired' }, { together: prepared.records });
      await prepared.say();
      return true;
    } catch (error) {
      // Somebody was faster.
      if (error instanceof ProblemError) return followed.delete(record.user);
      log.error({ err: error, elevation: record.id }, 'the end of an elevation could not be written');
      return false;
    }
  }
}
