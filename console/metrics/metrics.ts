/** What the console counts, for `/metrics`. */
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, Gauge } from 'prom-client';
import type { Faults } from '../../platform/faults.ts';
import type { DatabaseWatch } from '../storage/shared-store.ts';
import { type CallMetrics, createCallMetrics, type HeldByCallers } from './call-metrics.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { createMainTally, type InFlightThere, type MainNumbers } from './main-numbers.ts';
import { createTally } from './tally.ts';

export interface Metrics extends CallMetrics {
  tokenIssued(grantType: string, clientId: string): void;
  tokenRejected(error: string): void;
  signIn(outcome: string): void;
  /** Shows how many calls are in flight at each member. */
  followInFlight(read: () => readonly InFlightThere[]): void;
  /** For their history. */
  mainNumbers(): MainNumbers;
}

export interface MetricsDeps {
  readonly countUsers: () => Promise<number>;
  readonly countClients: () => Promise<number>;
  /** Accounts and clients that have lost tokens lately, and how often there were too many of them for memory. */
  readonly countVoids: () => { readonly account: number; readonly client: number; readonly crowded: number };
  /** 1 while files of configuration are refused. */
  readonly countRejectedConfiguration?: () => Promise<number>;
  /** Of a database that several consoles share. */
  readonly watchDatabase?: (() => DatabaseWatch) | undefined;
  readonly faults: Readonly<Faults>;
  /** What callers hold of the process. */
  readonly held: HeldByCallers;
}

/** Clients with a number of their own since the start: a page of numbers for a million of them nobody could read. */
const mostClientsByName = 500;

const mostCountMs = 1_000;

export function createMetrics(deps: MetricsDeps): Metrics {
  const { countUsers, countClients, countVoids, countRejectedConfiguration, faults, held } = deps;
  const calls = createCallMetrics(faults, held);
  const registers = [calls.registry];
  new Counter({
    name: 'console_audit_lines_lost_total',
    help: 'Audit lines that could not be kept: the disk takes nothing, and the memory for them is full',
    registers,
    collect() {
      this.reset();
      this.inc(faults.lostAuditLines);
    },
  });
  const tokenIssued = createTally(calls.registry, {
    name: 'console_tokens_issued_total',
    help: 'Access tokens issued, by grant type and client',
    labelNames: ['grant_type', 'client_id'],
    mostValues: mostClientsByName,
  });
  const tokenErrors = new Counter({
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
  const gauge = (name: string, help: string, count: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      // Of several processes each has the same.
      aggregator: 'first',
      async collect() {
        this.set(await count());
      },
    });
  gauge('console_users', 'Users in the registry', lastKnown(countUsers));
  gauge('console_clients', 'Clients, those of settings included', lastKnown(countClients));
  if (countRejectedConfiguration) {
    const help = '1 while files of CONSOLE_CONFIG_DIR are refused';
    gauge('console_configuration_refused', help, lastKnown(countRejectedConfiguration));
  }
  addVoidMetrics(calls, countVoids);
  if (deps.watchDatabase) addDatabaseMetrics(calls.registry, deps.watchDatabase);

  const main = createMainTally(held);
  let countPolls = () => 0;
  let inFlight: () => readonly InFlightThere[] = () => [];

  return {
    ...calls,
    memberCall(method, route, status, durationMs, member, exemplar) {
      calls.memberCall(method, route, status, durationMs, member, exemplar);
      main.call(status, durationMs, member);
    },
    followPolls(count) {
      calls.followPolls(count);
      countPolls = count;
    },
    followInFlight(read) {
      inFlight = read;
    },
    request(surface, status) {
      calls.request(surface, status);
      main.count('requests');
      if (status >= 500) main.count('requestsFailed');
    },
    tokenIssued(grantType, clientId) {
      tokenIssued(grantType, clientId);
      main.count('tokens');
    },
    tokenRejected(error) {
      tokenErrors.inc({ error });
      main.count('tokensRejected');
    },
    signIn(outcome) {
      signIns.inc({ outcome });
      main.count(outcome === 'success' ? 'signIns' : 'signInsFailed');
    },
    mainNumbers: () => main.numbers(countPolls, inFlight),
  };
}

/**
 * Whoever watches asks most when the store is away or busy: then what was known last is told, and nobody waits.
 *
 * @returns resolves to `NaN` where nothing is known yet
 */
function lastKnown(count: () => Promise<number>): () => Promise<number> {
  let last = Number.NaN;
  let counting: Promise<void> | undefined;
  return async () => {
    counting ??= count()
      .then(
        (found) => {
          last = found;
        },
        () => {},
      )
      .finally(() => {
        counting = undefined;
      });
    const waited = new AbortController();
    const waiting = pause(mostCountMs, undefined, { signal: waited.signal, ref: false }).catch(() => {});
    await Promise.race([counting, waiting]);
    waited.abort();
    return last;
  };
}

function addVoidMetrics({ registry }: CallMetrics, countVoids: MetricsDeps['countVoids']): void {
  const registers = [registry];
  new Gauge({
    name: 'console_void_marks',
    help: 'Accounts and clients that have lost tokens lately, in memory',
    labelNames: ['party'],
    registers,
    collect() {
      const { account, client } = countVoids();
      this.set({ party: 'account' }, account);
      this.set({ party: 'client' }, client);
    },
  });
  new Counter({
    name: 'console_void_marks_crowded_total',
    help: 'How often there were too many of them, so that all tokens from before are refused',
    registers,
    collect() {
      this.reset();
      this.inc(countVoids().crowded);
    },
  });
}
