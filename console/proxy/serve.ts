/** Answers calls: the console's member surface, probes and numbers, and nothing else of the console. */
import { Gauge } from 'prom-client';
import type { BearerCheck } from '../../access-tokens/bearer.ts';
import { createCallerCheck } from '../../access-tokens/caller-check.ts';
import { createProofCheck, type ProofMemory } from '../../access-tokens/dpop/proof.ts';
import { createRoleBook } from '../../member-proxy/authorization/role-permissions.ts';
import type { CallRecord, MemberProxy, UsedCall } from '../../member-proxy/proxy.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Faults } from '../../platform/faults.ts';
import { createAudit, type Logger } from '../../platform/log.ts';
import type { DenialBuffer } from '../access/denial-buffer.ts';
import { createHealthModule } from '../health/module.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createCors } from '../http/cors.ts';
import { createEndpoints } from '../http/endpoints.ts';
import { createRequestIds, requestIdOf } from '../http/request-id.ts';
import { sendProblem } from '../http/send.ts';
import { type CallMetrics, createCallMetrics, type HeldByCallers } from '../metrics/call-metrics.ts';
import { createMainTally } from '../metrics/main-numbers.ts';
import { addMetricsRoutes } from '../metrics/module.ts';
import type { Numbers } from '../metrics/numbers.ts';
import { createOpenCalls } from '../metrics/open-calls.ts';
import { createRecentCalls } from '../metrics/recent-calls.ts';
import { processName } from '../metrics/reports/process-name.ts';
import { createReportMaker, type ProcessReport } from '../metrics/reports/process-report.ts';
import { startReports } from '../metrics/reports/report-rounds.ts';
import { recordDeniedConnections } from '../server/denied-connections.ts';
import { listen } from '../server/listen.ts';
import { createMemberSurface } from '../server/member-surface.ts';
import { closeInTime } from '../server/orderly-end.ts';
import { createConsoleOverload } from '../server/overload.ts';
import { createApp } from '../server/request-handler.ts';
import { waitingPollsOf } from '../server/waiting-polls.ts';
import type { Settings } from '../settings/settings.ts';
import { createGuardedBearer } from './bearer.ts';
import { createKnownOrigins } from './known-origins.ts';
import { publicAddress } from './public-address.ts';
import type { RevocationCache } from './revocation-cache.ts';

export interface ServeDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly cache: RevocationCache;
  readonly fetchKey: (kid: string) => Promise<void>;
  /** Whether pages of this origin may call. @throws {Error} when the console cannot be asked */
  readonly askOrigin: (origin: string) => Promise<boolean>;
  /** Tells the console what is refused here. */
  readonly denials: DenialBuffer;
  /** Counts what is used here; what was counted goes on to the console. */
  readonly use: { readonly count: (call: UsedCall) => void; flush(): Promise<void> };
  /** Tells the console what has been counted here. */
  readonly report: (report: ProcessReport) => void;
  /** One for all processes that answer at this address. */
  readonly proofMemory: ProofMemory;
  /** The numbers of all workers; without it, those of this process. */
  readonly allNumbers?: () => Promise<Numbers>;
  readonly faults: Faults;
}

export interface Serving {
  readonly address: string;
  readonly metrics: CallMetrics;
  /** Not ready from now on, and each reply ends its connection. */
  announceEnd(): void;
  /** Not ready from now on; replies under way get up to `timeoutMs`, then everything is closed. */
  close(timeoutMs: number): Promise<void>;
}

/** How often it is looked whether knowledge has become too old for calls that wait, milliseconds. */
const agingMs = 100;

/** @throws {ListenError} */
export async function serve({
  settings,
  log,
  cache,
  fetchKey,
  askOrigin,
  denials,
  use,
  report,
  proofMemory,
  allNumbers,
  faults,
}: ServeDeps): Promise<Serving> {
  const audit = createAudit(log);
  const addressOf = createClientAddress({ trustedProxies: settings.trustedProxies });
  const overload = createConsoleOverload(settings);
  const metrics = createCallMetrics(faults, overload.numbers);
  addRevocationsAge(metrics, cache);
  const counted = countCalls(overload.numbers, processName(settings.port));
  const bearer = createBearer({ settings, cache, fetchKey, proofMemory });
  const proxy = createMemberSurface({
    settings,
    members: settings.members,
    bearer,
    log,
    audit,
    metrics,
    addressOf,
    roles: createRoleBook({ customPermissions: cache.permissionsOf, onChange: cache.onChange }),
    onDenial: denials.record,
    onUse: use.count,
    onCall: counted.record,
    processes: settings.workers,
  });
  const { endpoints, oauthEndpoints, ...router } = createEndpoints();
  const health = createHealthModule({ isEquipped: cache.isCurrent, log });
  health.addEndpoints(router);
  const callers = createCallerCheck(bearer);
  addMetricsRoutes(router, { numbers: allNumbers ?? metrics.numbers, callers });
  const handle = createApp({
    newRequestId: createRequestIds(),
    cors: createCors(createKnownOrigins({ ask: askOrigin, version: cache.originsVersion })),
    members: proxy.handle,
    oauth: oauthEndpoints,
    endpoints,
    api: denyAll,
    pages: (req, res) => sendProblem(res, nothingHere(), requestIdOf(req)),
    metrics: { request: metrics.request, tokenRejected: () => {} },
    audit,
    clientAddress: addressOf,
    log,
  });
  const endReports = counted.startReports(proxy, report);
  const stops = [recheckOnRevocations(proxy, cache), followDrained(proxy, cache)];
  const onDenial = recordDeniedConnections({ record: denials.record, audit });
  const headMs = settings.httpHeadSeconds * 1000;
  const server = await listen({ ...settings, handle, overload, headMs, onDenial });
  return {
    address: publicAddress(settings, server.port),
    metrics,
    announceEnd() {
      health.drain();
      server.announceEnd();
    },
    async close(timeoutMs) {
      health.drain();
      await closeInTime(server, proxy.endWaits, timeoutMs);
      for (const stop of stops) stop();
      await proxy.close();
      await Promise.all([denials.flush(), use.flush(), endReports()]);
    },
  };
}

/** What tokens and proofs are checked by: what the console has told last. */
function createBearer({
  settings,
  cache,
  fetchKey,
  proofMemory,
}: Pick<ServeDeps, 'settings' | 'cache' | 'fetchKey' | 'proofMemory'>): BearerCheck {
  return createGuardedBearer({
    cache,
    fetchKey,
    issuer: settings.url,
    audience: settings.audience,
    proofs: createProofCheck({
      origin: publicAddress(settings, settings.port),
      now: Date.now,
      memory: proofMemory,
    }),
    now: Date.now,
  });
}

async function denyAll(): Promise<void> {
  throw nothingHere();
}

function nothingHere(): ProblemError {
  return new ProblemError(problems.notFound, 'This is a member proxy: it has /svc/ and /members/.');
}

/** What the console is told of calls: who has called what, the main numbers, and which wait. @param name  of this process */
function countCalls(held: HeldByCallers, name: string) {
  const main = createMainTally(held);
  const openCalls = createOpenCalls({ name });
  const recentCalls = createRecentCalls(Date.now);
  return {
    record(call: CallRecord) {
      recentCalls.record(call);
      main.call(call.status, call.durationMs, call.member);
    },
    /** @returns ends it */
    startReports(proxy: MemberProxy, report: ServeDeps['report']) {
      openCalls.follow(proxy);
      const makeReport = createReportMaker({
        recentCalls,
        name,
        open: openCalls.listOwn,
        mainNumbers: async () => main.numbers(proxy.waitingPolls, proxy.statuses),
        waiting: async () => waitingPollsOf(proxy),
        now: Date.now,
      });
      const send = async (isLast: boolean) => report(await makeReport(isLast));
      return startReports({ send, now: Date.now, onResult: () => {} });
    },
  };
}

function addRevocationsAge({ registry }: CallMetrics, cache: RevocationCache): void {
  new Gauge({
    name: 'console_proxy_news_age_seconds',
    help: 'Time since the console was last heard; at the most of CONSOLE_PROXY_NEWS_GRACE no call passes',
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set(cache.age());
    },
  });
}

/** An administrator drains members at the console. @returns ends it */
function followDrained(proxy: MemberProxy, cache: RevocationCache): () => void {
  let known: ReadonlySet<string> | undefined;
  const follow = () => {
    const drained = cache.drainedMembers();
    if (drained !== known) proxy.drain(drained);
    known = drained;
  };
  follow();
  return cache.onChange(follow);
}

/** Calls that wait end when their token does, and when it is not known any more whether it has. */
function recheckOnRevocations(proxy: MemberProxy, cache: RevocationCache): () => void {
  let wasCurrent = false;
  const check = () => {
    const isCurrent = cache.isCurrent();
    if (wasCurrent && !isCurrent) proxy.recheck();
    wasCurrent = isCurrent;
  };
  const timer = setInterval(check, agingMs).unref();
  const unsubscribe = cache.onChange(proxy.recheck);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}
