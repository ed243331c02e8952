/** What the console counts, in Prometheus' text format at `/metrics`. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  tokenIssued(grantType: string, clientId: string): void;
  tokenRefused(error: string): void;
  signIn(outcome: string): void;
  /** @param route  its template; undefined when no rule applied */
  memberCall(method: string, route: string | undefined, status: number, durationMs: number): void;
  request(surface: string, status: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsDeps {
  readonly countUsers: () => number;
  readonly countClients: () => number;
  /** Errors that nobody caught, since the start. */
  readonly countUncaught: () => number;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** Each label value is kept for good, so none is taken from a caller as it comes. */
const labelOf = (method: string) => (knownMethods.has(method) ? method : 'other');

export function createMetrics({ countUsers, countClients, countUncaught }: MetricsDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const tokens = new Counter({
    name: 'console_tokens_issued_total',
    help: 'Access tokens issued, by grant type and client',
    labelNames: ['grant_type', 'client_id'],
    registers,
  });
  const refusals = new Counter({
    name: 'console_token_refusals_total',
    help: 'Token requests refused, by OAuth error code',
    labelNames: ['error'],
    registers,
  });
  const signIns = new Counter({
    name: 'console_sign_ins_total',
    help: 'Sign-in attempts, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const calls = new Histogram({
    name: 'console_member_call_seconds',
    help: 'Calls to the member surface, refusals included, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
  });
  const requests = new Counter({
    name: 'console_http_requests_total',
    help: 'Requests to the console itself, by surface and status',
    labelNames: ['surface', 'status'],
    registers,
  });
  const gauge = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(count());
      },
    });
  gauge('console_users', 'Users in the registry', countUsers);
  gauge('console_clients', 'Clients, those of settings included', countClients);
  new Counter({
    name: 'console_uncaught_errors_total',
    help: 'Errors that nobody caught: each is a fault of this program and in the log',
    registers,
    collect() {
      this.reset();
      this.inc(countUncaught());
    },
  });
  collectDefaultMetrics({ register: registry });

  return {
    tokenIssued: (grantType, clientId) => tokens.inc({ grant_type: grantType, client_id: clientId }),
    tokenRefused: (error) => refusals.inc({ error }),
    signIn: (outcome) => signIns.inc({ outcome }),
    memberCall: (method, route, status, durationMs) =>
      calls.observe({ method: labelOf(method), route: route ?? 'none', status }, durationMs / 1000),
    request: (surface, status) => requests.inc({ surface, status }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
