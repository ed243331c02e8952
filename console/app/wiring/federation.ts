/** Sign-in at upstream providers: what the sign-in pages need of it, and the addresses that providers call. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { SignInTimes } from '../../accounts/sign-in-times.ts';
import type { UpstreamReturn } from '../../accounts/upstream-sign-in.ts';
import { createLink } from '../../federation/account-linking.ts';
import { createAuthorizationStates } from '../../federation/authorization-state.ts';
import { type CallbackOutcome, createCallback } from '../../federation/callback.ts';
import { createFormPostRelay } from '../../federation/form-post-relay.ts';
import { createDirectories } from '../../federation/ldap/directories.ts';
import { previewLink } from '../../federation/link-preview.ts';
import { callbackAddress } from '../../federation/providers/connectors.ts';
import { createMetadataPage } from '../../federation/saml/metadata-page.ts';
import { createStateCookie } from '../../federation/state-cookie.ts';
import { createTestSignIn } from '../../federation/test-sign-in.ts';
import { createUpstreamSignIn } from '../../federation/upstream-sign-in.ts';
import type { Csrf } from '../../http/csrf.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { SignInOutcome } from '../../login/interactions.ts';
import type { UserRecord } from '../../storage/records.ts';
import type { Shared } from './shared.ts';

export interface UpstreamDeps {
  readonly times: SignInTimes;
  readonly cookieName: string;
  readonly isSecure: boolean;
  readonly csrf: Csrf;
  /** Whose session this browser has. */
  readonly currentUser: (ctx: Context) => Promise<UserRecord | undefined>;
  readonly onSignIn: (ctx: Context, outcome: SignInOutcome) => void;
}

/** 144 bits, in 24 characters. */
const newId = () => randomBytes(18).toString('base64url');

export function composeUpstream({ services, log, addressOf }: Shared, deps: UpstreamDeps) {
  const { settings, storage, accounts, providers, users, passwords, upstreamSessions, cipher, now } =
    services;
  const { times, cookieName, isSecure, csrf, currentUser, onSignIn } = deps;
  const { registry, artifacts } = storage;
  const newSecret = () => randomBytes(32).toString('base64url');
  const link = createLink({ registry: accounts, passwords, newId: randomUUID, newSecret, now });
  const states = createAuthorizationStates({ artifacts, newId, now });
  const stateCookie = createStateCookie({ cookieName, isSecure, newId });
  const callbackUrl = (id: string) => callbackAddress(settings.url, id);
  const upstream = createUpstreamSignIn({
    providers,
    states,
    stateCookie,
    link,
    users,
    times,
    callbackUrl,
    isSecure,
    now,
  });
  const testSignIn = createTestSignIn({
    upstream,
    currentUser,
    preview: (provider, identity) => previewLink(registry, provider, identity),
    csrf,
    isSecure,
  });

  return {
    upstream,
    testSignIn,
    directories: createDirectories({ providers, link, log }),
    showMetadata: createMetadataPage({ providers, url: settings.url }),
    callback: (pages: { readonly own: UpstreamReturn; readonly interaction: UpstreamReturn }) =>
      createCallback({
        upstream,
        states,
        stateCookie,
        replies: createFormPostRelay({ artifacts, cipher, newId, now }),
        upstreamSessions,
        testSignIn,
        pages,
        clientAddress: (ctx) => addressOf(ctx.req),
        onOutcome,
      }),
  };

  function onOutcome(ctx: Context, { providerId, account, rejection }: CallbackOutcome): void {
    onSignIn(ctx, { account, providerId, ...(rejection && { reason: rejection.problem.code }) });
    if (!rejection) return;
    const { message, cause } = rejection;
    const requestId = requestIdOf(ctx.req);
    log.warn({ provider: providerId, requestId, reason: message, err: cause }, 'an outside sign-in failed');
  }
}
