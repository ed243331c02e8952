/** What every process of the console counts that answers calls, in Prometheus' text format. */

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Faults } from '../faults.ts';

export interface CallMetrics {
  /** @param route  its template; undefined when no rule applied */
  memberCall(method: string, route: string | undefined, status: number, durationMs: number): void;
  /** A caller did not read his reply, and was cut off. */
  replyStalled(): void;
  request(surface: string, status: number): void;
  text(): Promise<string>;
  readonly contentType: string;
  /** For further numbers. */
  readonly registry: Registry;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** Each label value is kept for good, so none is taken from a caller as it comes. */
const labelOf = (method: string) => (knownMethods.has(method) ? method : 'other');

/** @param countUncaught  errors that nobody caught, since the start */
export function createCallMetrics(faults: Readonly<Faults>): CallMetrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Histogram({
    name: 'console_member_call_seconds',
    help: 'Calls to the member surface, refusals included, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
  });
  const stalled = new Counter({
    name: 'console_member_replies_stalled_total',
    help: 'Replies of members that the caller did not read, and that were cut off',
    registers,
  });
  const requests = new Counter({
    name: 'console_http_requests_total',
    help: 'Requests to the console itself, by surface and status',
    labelNames: ['surface', 'status'],
    registers,
  });
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
    memberCall: (method, route, status, durationMs) =>
      calls.observe({ method: labelOf(method), route: route ?? 'none', status }, durationMs / 1000),
    replyStalled: () => stalled.inc(),
    request: (surface, status) => requests.inc({ surface, status }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    registry,
  };
}
