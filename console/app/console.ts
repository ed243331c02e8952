/** Puts the features of the console together: from services to one request listener. */
import type { RequestListener } from 'node:http';
import type { MemberProxy } from '../../member-proxy/proxy.ts';
import { once } from '../../platform/async/once.ts';
import type { Setup } from '../accounts/setup.ts';
import { loadOperations } from '../admin-api/load-operations.ts';
import type { AdminApi } from '../admin-api/module.ts';
import { denialReportsScope, revocationEventsScope } from '../clients/scopes.ts';
import { createSupersededSecrets } from '../clients/superseded-secrets.ts';
import { addDescriptionRoutes } from '../description/module.ts';
import { createHealthModule } from '../health/module.ts';
import { createCors } from '../http/cors.ts';
import { createEndpoints } from '../http/endpoints.ts';
import { createRequestIds } from '../http/request-id.ts';
import { addKeysRoutes } from '../keys/module.ts';
import { createMembersModule } from '../members/module.ts';
import type { KnownMembers } from '../members/own-calls.ts';
import type { MinuteOfCalls } from '../metrics/call-history/minute-of-calls.ts';
import type { MainNumbers } from '../metrics/main-numbers.ts';
import { addMetricsRoutes } from '../metrics/module.ts';
import type { Numbers } from '../metrics/numbers.ts';
import { createApp } from '../server/request-handler.ts';
import { waitingPollsOf } from '../server/waiting-polls.ts';
import { addTokensRoutes } from '../tokens/module.ts';
import { createStoredRevocationSource } from '../tokens/revocation-stream/stored-source.ts';
import { type Browser, createBrowser } from './browser.ts';
import {
  createApiServices,
  createApprovalsOnFirstUse,
  createChangeRecorded,
  createDryApiServices,
  createOwnerGuard,
} from './operations.ts';
import { createParts, type Parts, type PartsDeps } from './parts.ts';

export interface Console {
  readonly handle: RequestListener;
  readonly setup: Setup;
  readonly members: KnownMembers & Pick<MemberProxy, 'firstProbe'>;
  /** Of this process, as prom-client has them. */
  numbers(): Promise<Numbers>;
  /** For their history. */
  mainNumbers(): MainNumbers;
  /** What this process has seen of the calls of a minute. @param minute  since 1970 */
  callMinute(minute: number): MinuteOfCalls;
  /** Not ready from now on. */
  announceEnd(): void;
  /** The same, and ends the replies that would not end by themselves. */
  drain(): void;
  /** What `/ready` says. */
  readonly isReady: () => Promise<boolean>;
  /** See {@link MemberProxy.endWaits}. */
  endWaits(): void;
  /** Ends the connections to the members. */
  close(): Promise<void>;
}

export interface ConsoleDeps extends PartsDeps {
  /** Base addresses of the members. */
  readonly members: readonly string[];
  /** Whether as many processes answer as should. */
  readonly isComplete?: () => boolean;
  /** The numbers of all processes; without it, those of this one. */
  readonly allNumbers?: () => Promise<Numbers>;
}

export async function createConsole({
  members,
  isComplete = () => true,
  allNumbers,
  ...deps
}: ConsoleDeps): Promise<Console> {
  const parts = await createParts(deps);
  const { keys, clients, revocations, metrics, addressOf } = parts;
  const proxy = createMembersModule(parts, members, parts.settings.workers);
  const { audit } = parts;
  const isEquipped = () =>
    isComplete() &&
    keys.published().some(({ state }) => state === 'signing') &&
    audit.isAvailable?.() !== false;
  parts.telemetry?.sendNumbers(metrics.numbers);
  const health = createHealthModule({ ...parts, isEquipped });
  const browser = await createBrowser(parts, {
    run: (...given) => api.pageOperations.run(...given),
    list: (...given) => api.pageOperations.list(...given),
    check: (...given) => api.pageOperations.check(...given),
    openTo: (...given) => api.pageOperations.openTo(...given),
  });
  const api = createApi(parts, proxy, browser);
  const router = createEndpoints();
  health.addEndpoints(router);
  addMetricsRoutes(router, {
    numbers: allNumbers ?? metrics.numbers,
    callers: parts.eitherCallers,
  });
  addKeysRoutes(router, parts);
  browser.addEndpoints(router);
  addTokensRoutes(router, { ...parts, supersededSecrets: createSecretEnds(parts) });
  addDescriptionRoutes(router);
  const handle = createApp({
    ...parts,
    newRequestId: createRequestIds(),
    cors: createCors({ isKnown: clients.isRedirectOrigin }),
    members: proxy.handle,
    oauth: router.oauthEndpoints,
    endpoints: router.endpoints,
    api: api.handle,
    pages: browser.pages,
    clientAddress: addressOf,
    onRequest: parts.telemetry?.begin,
  });
  return {
    handle,
    setup: browser.setup,
    members: proxy,
    numbers: metrics.numbers,
    mainNumbers: metrics.mainNumbers,
    callMinute: (minute) => ({ ...parts.recentCalls.minuteOf(minute), waiting: waitingPollsOf(proxy) }),
    isReady: health.isReady,
    endWaits: proxy.endWaits,
    announceEnd: health.drain,
    drain() {
      health.drain();
      browser.closeLive();
      api.close();
    },
    async close() {
      browser.closeLive();
      api.close();
      revocations.close();
      await Promise.all([proxy.close(), health.close()]);
    },
  };
}

function createSecretEnds({ storage, auditOutbox, log, now }: Parts) {
  return createSupersededSecrets({
    records: storage.records,
    prepareEntry: (event, fields) => auditOutbox.prepare([[event, fields]]),
    onFailure: (error, clientId) =>
      log.error({ err: error, clientId }, 'a secret that was to end could not be ended: it is tried again'),
    now,
  });
}

/**
 * Loaded by its first call: what reads its bodies takes longer to load than a start may.
 *
 * @param proxy    knows the members as they are now
 * @param browser  knows who sits before one
 */
function createApi(
  parts: Parts,
  proxy: KnownMembers,
  { findPageCaller }: Pick<Browser, 'findPageCaller'>,
): AdminApi {
  let isClosed = false;
  let api: AdminApi | undefined;
  const load = once(async () => {
    await loadOperations();
    const [{ createAdminApi }, { createDenialIntake }, { createUsageIntake }, { createReportIntake }] =
      await Promise.all([
        import('../admin-api/module.ts'),
        import('../access/reported-denials.ts'),
        import('../usage/reported-usage.ts'),
        import('../metrics/reports/report-intake.ts'),
      ]);
    api = createAdminApi({
      ...parts,
      ...(await createApiServices(parts, parts.audit, proxy)),
      dryServices: () => createDryApiServices(parts, proxy),
      guardOwned: createOwnerGuard(parts, proxy),
      approvalGate: createApprovalsOnFirstUse(parts, parts.audit, proxy),
      changeRecorded: createChangeRecorded(parts, proxy),
      outbox: parts.auditOutbox,
      findPageCaller,
      countUse: ({ actor: { kind, id, roles, scopes }, ...use }) => {
        if (kind !== 'local' && parts.usage.isOn)
          parts.usage.countOperation({ kind, id, roles, scopes, ...use });
      },
      onSeparateProxy: () => parts.usage.recordGap('separate-proxies'),
      scopesOfClient: async (id) => (await parts.clients.find(id))?.scopes ?? [],
      revocationSource: createStoredRevocationSource(parts),
      takeDenials: createDenialIntake(parts),
      takeUsage: createUsageIntake({ ...parts, artifacts: parts.storage.artifacts }),
      takeReport: createReportIntake({ ...parts, take: parts.reports.take }),
      scopes: { revocations: revocationEventsScope, denials: denialReportsScope },
    });
    if (isClosed) api.close();
    return api;
  });
  return {
    handle: async (req, res) => (await load()).handle(req, res),
    pageOperations: {
      run: async (...given) => (await load()).pageOperations.run(...given),
      list: async (...given) => (await load()).pageOperations.list(...given),
      check: async (...given) => (await load()).pageOperations.check(...given),
      openTo: async (...given) => (await load()).pageOperations.openTo(...given),
    },
    close() {
      isClosed = true;
      api?.close();
    },
  };
}
