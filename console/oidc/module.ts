/** The OpenID provider behind the pages: what it works on, what it gives to others, and its addresses. */
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Provider } from 'oidc-provider';
import type { Audit, Logger } from '../../platform/log.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Users } from '../accounts/users.ts';
import type { Csrf } from '../http/csrf.ts';
import type { EndpointRouter } from '../http/endpoints.ts';
import type { ErrorResponses } from '../http/error-responses.ts';
import { type About, requestIdOf } from '../http/request-id.ts';
import type { Storage } from '../storage/storage.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { type AskProviderDeps, createAskProvider } from './ask-provider.ts';
import { repeatAuthorization } from './authorization-form.ts';
import { createDeviceFlow, type DeviceFlowDeps } from './device-flow.ts';
import { createDiscovery } from './discovery.ts';
import { createExchanges } from './exchanges.ts';
import { createFirstAnswers, type FirstAnswersDeps } from './first-answers.ts';
import { createLiveProvider, createReport, type LiveProviderDeps } from './live-provider.ts';
import { type Lifetimes, routes } from './provider.ts';
import { createRenderError } from './provider-errors.ts';

export interface OidcNeeds
  extends Pick<LiveProviderDeps, 'keys' | 'resources' | 'clients' | 'cookies' | 'proofAlgs'>,
    Pick<FirstAnswersDeps, 'tokenUses' | 'now'>,
    Pick<AskProviderDeps, 'framedBy'>,
    Pick<DeviceFlowDeps, 'steady'> {
  readonly devicePages: DeviceFlowDeps['pages'];
  readonly csrf: Pick<Csrf, 'sameOrigin'>;
  readonly settings: {
    /** `CONSOLE_URL`. */
    readonly url: string;
    readonly accessTokenTtlSeconds: number;
    readonly sessionIdleSeconds: number;
    readonly sessionMaxSeconds: number;
  };
  readonly storage: Pick<Storage, 'artifacts'>;
  readonly users: Pick<Users, 'find' | 'issueTime' | 'isStillValid'>;
  readonly sessions: Pick<Sessions, 'applicationsOf' | 'record' | 'touch' | 'hasEnded' | 'revokeGrant'>;
  readonly revocations: Pick<Revocations, 'revokeGrant'>;
  readonly clientUses: { recordToken(clientId: string, address: string): void };
  readonly errors: Pick<ErrorResponses, 'send'>;
  readonly addressOf: (req: Parameters<About>[0]['req']) => string;
  readonly metrics: { tokenIssued(grantType: string, clientId: string): void };
  readonly audit: Audit;
  readonly about: About;
  readonly log: Pick<Logger, 'error'>;
}

export interface OidcModule {
  /** The provider of this moment. */
  readonly provider: () => Provider;
  readonly lifetimes: Lifetimes;
  addRoutes(router: Router): void;
  addEndpoints(router: EndpointRouter): void;
  /** Answers at those addresses of the library that have no route: tokens of people, and requests that go on. */
  readonly provide: Middleware;
}

export function createOidcModule(needs: OidcNeeds): OidcModule {
  const { settings, storage, users, sessions, revocations, tokenUses, errors, framedBy, log, now } = needs;
  const { artifacts } = storage;
  const lifetimes = {
    accessToken: settings.accessTokenTtlSeconds,
    sessionIdle: settings.sessionIdleSeconds,
    sessionMax: settings.sessionMaxSeconds,
  };
  const clientAddress = ({ req }: Context) => needs.addressOf(req);
  const onOutcome = createOutcomeRecord(needs);
  const report = createReport(onOutcome);
  const exchanges = createExchanges({
    artifacts,
    firstAnswers: createFirstAnswers({ artifacts, tokenUses, now }),
    revokeGrant: sessions.revokeGrant,
    onRepeated: (ctx) => report(ctx, 'token.repeated', 'success'),
    onRejected: (ctx, error) => report(ctx, 'token.refused', 'denied', error),
  });
  const { current: provider } = createLiveProvider({
    ...needs,
    issuer: settings.url,
    artifacts,
    exchanges,
    applicationsOf: sessions.applicationsOf,
    hasSessionEnded: sessions.hasEnded,
    revokeAccessTokens: revocations.revokeGrant,
    isAccountLive: users.isStillValid,
    findUser: users.find,
    issueTime: users.issueTime,
    recordSessionUse: sessions.record,
    clientAddress,
    lifetimes,
    renderError: createRenderError(errors.send),
    onServerError: (ctx, error) =>
      log.error({ err: error, requestId: requestIdOf(ctx.req) }, 'request failed'),
    onRefresh: sessions.touch,
    onOutcome,
  });
  const deviceFlow = createDeviceFlow({ ...needs, artifacts, clientAddress });
  const provide = createAskProvider({ provider, exchanges, deviceFlow, framedBy });

  return {
    provider,
    lifetimes,
    addRoutes(router) {
      router.get(routes.authorization, provide);
      router.post(routes.authorization, repeatAuthorization);
      router.get('/device', provide);
      router.post('/device', needs.csrf.sameOrigin, provide);
    },
    addEndpoints(router) {
      const discovery = createDiscovery(settings.url, needs.proofAlgs);
      router.get('/.well-known/openid-configuration', discovery);
      router.get('/.well-known/oauth-authorization-server', discovery);
    },
    provide,
  };
}

function createOutcomeRecord({
  metrics,
  clientUses,
  audit,
  about,
}: OidcNeeds): LiveProviderDeps['onOutcome'] {
  return (ctx, event, fields) => {
    const known = about(ctx);
    if (event === 'token.issued') {
      metrics.tokenIssued(fields.grantType ?? 'none', fields.clientId ?? 'none');
      if (fields.clientId !== undefined) clientUses.recordToken(fields.clientId, known.source);
    }
    audit(event, { ...fields, ...known });
  };
}
