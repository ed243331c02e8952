/** The admin API, which programs of administrators and separate proxies call: what it needs, and its addresses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Audit } from '../../platform/log.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import type { About } from '../http/request-id.ts';
import type { RunDeps } from '../operations/run-operation.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { CallRate } from './http/call-rate.ts';
import {
  type ApiToken,
  createHttpCalls,
  type FindPageCaller,
  type PageOperations,
} from './http/http-calls.ts';
import { createOpenCalls } from './http/open-calls.ts';
import type { RunningCalls } from './http/running-calls.ts';
import { createStoredAnswers } from './http/stored-answers.ts';
import { createRevocationStream, type RevocationStreamDeps } from './revocations.ts';
import { type AllowedCall, anyJson, type BodyCall, createApiRouter, createScopeGuard } from './router.ts';
import { type ApiServices, operations } from './table.ts';

export interface AdminApiNeeds<Caller extends ApiToken> extends ApiServices {
  readonly apiCallers: CallerCheck<Caller>;
  readonly audit: Audit;
  readonly about: About;
  /** For one dry run. */
  readonly dryServices: () => Promise<ApiServices>;
  readonly guardOwned: NonNullable<RunDeps<ApiServices>['guardOwned']>;
  /** Which changes wait for a second administrator. */
  readonly approvalGate: NonNullable<RunDeps<ApiServices>['approvals']>;
  readonly changeRecorded: NonNullable<RunDeps<ApiServices>['changeRecorded']>;
  readonly outbox: NonNullable<RunDeps<ApiServices>['outbox']>;
  readonly findPageCaller: FindPageCaller;
  readonly callRate: CallRate;
  readonly countUse: NonNullable<RunDeps<ApiServices>['countUse']>;
  /** Calls go through a proxy in a process of its own, which counts nothing. */
  readonly onSeparateProxy: () => void;
  readonly storage: { readonly artifacts: ArtifactStore };
  readonly runningCalls: RunningCalls;
  /** What a client is registered for. */
  readonly scopesOfClient: (id: string) => Promise<readonly string[]>;
  /** Which tokens count, as it changes. */
  readonly revocationSource: Pick<
    RevocationStreamDeps<Caller>,
    'follow' | 'update' | 'aliveMs' | 'isRedirectOrigin'
  > & {
    close(): void;
  };
  /** Keeps what a separate proxy has refused. @throws {ProblemError} `invalid_request`, `busy` */
  readonly takeDenials: (body: unknown, clientId: string) => Promise<void>;
  readonly takeUsage: (body: unknown, clientId: string) => Promise<void>;
  /** @throws {ProblemError} */
  readonly takeReport: (body: unknown, clientId: string) => Promise<void>;
  readonly apiBearer: { isStillGood(caller: Caller): boolean };
  /** Of separate proxies. */
  readonly scopes: { readonly revocations: string; readonly denials: string };
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock. */
  readonly steady: () => number;
}

export interface AdminApi {
  /** Everything below `/api/v1/`. @throws {ProblemError} */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  readonly pageOperations: PageOperations;
  /** Ends the streams, which would not end by themselves. */
  close(): void;
}

export function createAdminApi<Caller extends ApiToken>(needs: AdminApiNeeds<Caller>): AdminApi {
  const {
    apiBearer,
    apiCallers,
    revocationSource,
    takeDenials,
    takeUsage,
    takeReport,
    scopes,
    onSeparateProxy,
  } = needs;
  const scope = createScopeGuard(apiCallers);
  const revocations = createRevocationStream({
    ...needs,
    ...revocationSource,
    isStillGood: apiBearer.isStillGood,
  });
  const api = createApiRouter();

  api.get('/api/v1/revocations', scope(scopes.revocations), (call) => {
    void recordProxy(call);
    return revocations.stream(call);
  });
  api.get('/api/v1/redirect-origins', scope(scopes.revocations), revocations.redirectOrigin);
  api.post('/api/v1/refusals', scope(scopes.denials), anyJson, async ({ body, caller }: BodyCall<Caller>) => {
    await takeDenials(body, caller.clientId);
    return { status: 204 };
  });
  api.post('/api/v1/usage-reports', scope(scopes.denials), anyJson, async (call: BodyCall<Caller>) => {
    await takeUsage(call.body, call.caller.clientId);
    return { status: 204 };
  });
  api.post('/api/v1/process-reports', scope(scopes.denials), anyJson, async (call: BodyCall<Caller>) => {
    await takeReport(call.body, call.caller.clientId);
    return { status: 204 };
  });
  const calls = createHttpCalls({
    ...needs,
    operations,
    services: needs,
    approvals: needs.approvalGate,
    openCalls: createOpenCalls(),
    answerOnce: createStoredAnswers({ ...needs, artifacts: needs.storage.artifacts }),
  });
  return {
    pageOperations: calls.pageOperations,
    async handle(req, res) {
      const found = calls.find(req);
      await (found ? calls.handle(req, res, found) : api.handle(req, res));
    },
    close,
  };

  /** One that does not tell what is used there leaves a day on which it reads this incomplete. */
  async function recordProxy({ req, caller }: AllowedCall<Caller>): Promise<void> {
    const says = new URL(req.url ?? '', 'http://console').searchParams.get('usage') === 'reported';
    const known = says ? await needs.scopesOfClient(caller.clientId).catch(() => []) : [];
    if (!known.includes(scopes.denials)) onSeparateProxy();
  }

  function close(): void {
    revocationSource.close();
    revocations.close();
  }
}
