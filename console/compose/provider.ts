/** The OpenID provider behind the pages: what it works on, and what is told of it. */
import { proofAlgs } from '../../member-proxy/dpop/algorithms.ts';
import type { CookieNames } from '../http/cookies.ts';
import type { ErrorResponses } from '../http/error-responses.ts';
import { requestIdOf } from '../http/request-id.ts';
import { createLiveProvider } from '../oidc/live-provider.ts';
import { createRenderError } from '../oidc/provider-errors.ts';
import type { Shared } from './shared.ts';

/** @returns a function that gives the provider of this moment */
export function composeProvider(
  { services, revocations, log, audit, metrics, about, addressOf, isAccountLive }: Shared,
  cookies: { readonly names: CookieNames; readonly keys: readonly string[] },
  errors: ErrorResponses,
) {
  const { settings, storage, keys, clients, users, sessions } = services;
  const live = createLiveProvider({
    issuer: settings.url,
    audience: settings.audience,
    keys,
    clients,
    artifacts: storage.artifacts,
    isAccountLive,
    hasSessionEnded: sessions.hasEnded,
    revokeAccessTokens: revocations.revokeGrant,
    cookies,
    findUser: users.find,
    noteSessionUse: sessions.note,
    clientAddress: (ctx) => addressOf(ctx.req),
    lifetimes: lifetimesOf(settings),
    proofAlgs,
    renderError: createRenderError(errors.send),
    onServerError: (ctx, error) =>
      log.error({ err: error, requestId: requestIdOf(ctx.req) }, 'request failed'),
    onRefresh: sessions.touch,
    onOutcome(ctx, event, fields) {
      if (event === 'token.issued') {
        metrics.tokenIssued(fields.grantType ?? 'none', fields.clientId ?? 'none');
        if (fields.clientId !== undefined) services.clientUses.noteToken(fields.clientId);
      }
      audit(event, { ...fields, ...about(ctx) });
    },
  });
  return live.current;
}

export function lifetimesOf(settings: Shared['services']['settings']) {
  return {
    accessToken: settings.accessTokenTtlSeconds,
    sessionIdle: settings.sessionIdleSeconds,
    sessionMax: settings.sessionMaxSeconds,
  };
}
