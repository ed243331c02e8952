/** The OpenID provider behind the pages: what it works on, and what is told of it. */
import type { Provider } from 'oidc-provider';
import { proofAlgs } from '../../../access-tokens/dpop/algorithms.ts';
import type { CookieNames } from '../../http/cookies.ts';
import type { ErrorResponses } from '../../http/error-responses.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { createExchanges, type Exchanges } from '../../oidc/exchanges.ts';
import { createFirstAnswers } from '../../oidc/first-answers.ts';
import { createLiveProvider, createReport, type LiveProviderDeps } from '../../oidc/live-provider.ts';
import { createRenderError } from '../../oidc/provider-errors.ts';
import type { Shared } from './shared.ts';

export interface ComposedProvider {
  /** The provider of this moment. */
  readonly provider: () => Provider;
  /** What its token endpoint runs within. */
  readonly exchanges: Exchanges;
}

export function composeProvider(
  { services, revocations, tokenUses, log, audit, metrics, about, addressOf, isAccountLive }: Shared,
  cookies: { readonly names: CookieNames; readonly keys: readonly string[] },
  errors: ErrorResponses,
): ComposedProvider {
  const { settings, resources, storage, keys, clients, users, sessions, now } = services;
  const { artifacts } = storage;
  const onOutcome: LiveProviderDeps['onOutcome'] = (ctx, event, fields) => {
    if (event === 'token.issued') {
      metrics.tokenIssued(fields.grantType ?? 'none', fields.clientId ?? 'none');
      if (fields.clientId !== undefined) services.clientUses.recordToken(fields.clientId);
    }
    audit(event, { ...fields, ...about(ctx) });
  };
  const report = createReport(onOutcome);
  const exchanges = createExchanges({
    artifacts,
    firstAnswers: createFirstAnswers({ artifacts, tokenUses, now }),
    revokeGrant: sessions.revokeGrant,
    onRepeated: (ctx) => report(ctx, 'token.repeated', 'success'),
    onRejected: (ctx, error) => report(ctx, 'token.refused', 'denied', error),
  });
  const live = createLiveProvider({
    issuer: settings.url,
    resources,
    keys,
    clients,
    artifacts,
    exchanges,
    isAccountLive,
    hasSessionEnded: sessions.hasEnded,
    revokeAccessTokens: revocations.revokeGrant,
    cookies,
    findUser: users.find,
    recordSessionUse: sessions.record,
    clientAddress: (ctx) => addressOf(ctx.req),
    lifetimes: lifetimesOf(settings),
    proofAlgs,
    renderError: createRenderError(errors.send),
    onServerError: (ctx, error) =>
      log.error({ err: error, requestId: requestIdOf(ctx.req) }, 'request failed'),
    onRefresh: sessions.touch,
    onOutcome,
  });
  return { provider: live.current, exchanges };
}

export function lifetimesOf(settings: Shared['services']['settings']) {
  return {
    accessToken: settings.accessTokenTtlSeconds,
    sessionIdle: settings.sessionIdleSeconds,
    sessionMax: settings.sessionMaxSeconds,
  };
}
