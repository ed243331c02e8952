/** What every process of the console counts that answers calls. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Faults } from '../../platform/faults.ts';
import { createExemplars } from './exemplars.ts';
import { type ExemplarLabels, type Numbers, numbersOf } from './numbers.ts';
import { TalliedHistogram } from './tallied-histogram.ts';
import { createTally } from './tally.ts';

export interface CallMetrics {
  /**
   * @param route     its template; undefined when no rule applied
   * @param member    base address of the one that was asked
   * @param exemplar  what leads from the number to this call
   */
  memberCall(
    method: string,
    route: string | undefined,
    status: number,
    durationMs: number,
    member?: string,
    exemplar?: ExemplarLabels,
  ): void;
  /** A caller did not read his reply, and was cut off. */
  replyStalled(): void;
  /** Shows how many polls wait. */
  followPolls(count: () => number): void;
  /** An item of a queue did not reach the caller for whom it was. */
  queueItem(outcome: 'handedOn' | 'putBack' | 'lost'): void;
  request(surface: string, status: number): void;
  numbers(): Promise<Numbers>;
  /** For further numbers. */
  readonly registry: Registry;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

const itemOutcomes = { handedOn: 'handed_on', putBack: 'put_back', lost: 'lost' } as const;

const callSeconds = {
  name: 'console_member_call_seconds',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60],
};

/** Each label value is kept for good, so none is taken from a caller as it comes. */
const labelOf = (method: string) => (knownMethods.has(method) ? method : 'other');

/** What callers hold of the process at the moment, and how many were cut off or refused for it since the start. */
export interface HeldByCallers {
  readonly connections: number;
  readonly requests: number;
  readonly waiting: number;
  readonly aheadBytes: number;
  readonly cut: Readonly<Record<string, number>>;
}

/** @param countUncaught  errors that nobody caught, since the start */
export function createCallMetrics(faults: Readonly<Faults>, held: HeldByCallers): CallMetrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new TalliedHistogram({
    ...callSeconds,
    help: 'Calls to the member surface, denials included, by route',
    registers,
  });
  const exemplars = createExemplars({ ...callSeconds, now: Date.now });
  const stalled = new Counter({
    name: 'console_member_replies_stalled_total',
    help: 'Replies of members that the caller did not read, and that were cut off',
    registers,
  });
  let countPolls = () => 0;
  new Gauge({
    name: 'console_queue_polls_waiting',
    help: 'Queue polls that wait for an item',
    registers,
    collect() {
      this.set(countPolls());
    },
  });
  const items = new Counter({
    name: 'console_queue_items_total',
    help: 'Items of queues that did not reach the caller for whom a member gave them: handed on to another, put back, lost',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of Object.values(itemOutcomes)) items.inc({ outcome }, 0);
  const request = createTally(registry, {
    name: 'console_http_requests_total',
    help: 'Requests to the console itself, by surface and status',
    labelNames: ['surface', 'status'],
  });
  addHeld(registry, held);
  new Counter({
    name: 'console_uncaught_errors_total',
    help: 'Errors that nobody caught: each is a fault of this program and in the log',
    registers,
    collect() {
      this.reset();
      this.inc(faults.uncaught);
    },
  });
  new Counter({
    name: 'console_log_lines_dropped_total',
    help: 'Log lines that nobody took, and that were dropped',
    registers,
    collect() {
      this.reset();
      this.inc(faults.lostLines);
    },
  });
  collectDefaultMetrics({ register: registry });

  return {
    memberCall(method, route, status, durationMs, _member, exemplar) {
      const seconds = durationMs / 1000;
      const { labels } = calls.add(labelOf(method), route ?? 'none', status, seconds);
      if (exemplar) exemplars.note(labels, seconds, exemplar);
    },
    replyStalled: () => stalled.inc(),
    followPolls(count) {
      countPolls = count;
    },
    queueItem: (outcome) => items.inc({ outcome: itemOutcomes[outcome] }),
    request,
    numbers: async () => exemplars.addTo(await numbersOf(registry)),
    registry,
  };
}

function addHeld(registry: Registry, held: HeldByCallers): void {
  const registers = [registry];
  const gauge = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(count());
      },
    });
  gauge('console_http_connections', 'Open connections of callers', () => held.connections);
  gauge('console_http_requests_under_way', 'Requests to the console itself under way', () => held.requests);
  gauge('console_http_requests_waiting', 'Requests to the console that wait for a place', () => held.waiting);
  gauge(
    'console_http_ahead_bytes',
    'Bytes of callers that are kept until it is their turn',
    () => held.aheadBytes,
  );
  new Counter({
    name: 'console_http_cut_off_total',
    help: 'Callers that were refused or cut off because they would have held too much, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(held.cut)) this.inc({ reason }, count);
    },
  });
}
