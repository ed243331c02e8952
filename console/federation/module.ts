/**
 * Identity providers of others: what the feature needs, what it gives to the pages of sign-in and sign-out, and the
 * addresses that browsers and providers come back to.
 */
import { randomBytes } from 'node:crypto';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Audit, Logger } from '../../platform/log.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Directories } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { UpstreamLogouts } from '../accounts/upstream-logout.ts';
import type { UpstreamReturn, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Users } from '../accounts/users.ts';
import type { AccountRecords } from '../accounts/voiding.ts';
import type { CookieNames } from '../http/cookies.ts';
import type { Csrf } from '../http/csrf.ts';
import { form, type Guard, query, type WithAccount } from '../http/guards.ts';
import { type About, requestIdOf } from '../http/request-id.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Storage } from '../storage/storage.ts';
import { idsByTime } from '../storage/time-ordered-id.ts';
import { createLink } from './account-linking.ts';
import { createAuthorizationStates } from './authorization-state.ts';
import { type CallbackOutcome, createCallback, replyForm } from './callback.ts';
import type { FederationError } from './connector.ts';
import { createFormPostRelay } from './form-post-relay.ts';
import { createDirectories } from './ldap/directories.ts';
import { previewLink } from './link-preview.ts';
import { createProviderUses } from './provider-uses.ts';
import { callbackAddress } from './providers/connectors.ts';
import type { Providers } from './providers/providers.ts';
import type { SecretCipher } from './providers/secrets.ts';
import { createMetadataPage } from './saml/metadata-page.ts';
import { createStateCookie } from './state-cookie.ts';
import { createTestSignIn } from './test-sign-in.ts';
import { createReceivedLogouts } from './upstream-initiated-logout.ts';
import { createUpstreamLogouts } from './upstream-logout.ts';
import type { UpstreamSessions } from './upstream-sessions.ts';
import { createUpstreamSignIn } from './upstream-sign-in.ts';

export interface FederationNeeds {
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
  readonly isSecure: boolean;
  readonly names: Pick<CookieNames, 'upstream'>;
  readonly storage: Pick<Storage, 'artifacts'>;
  readonly cipher: Pick<SecretCipher, 'encrypt' | 'open'>;
  readonly accounts: AccountRecords;
  readonly users: Pick<Users, 'hasAny' | 'issueTime'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly times: SignInTimes;
  readonly providers: Providers;
  readonly upstreamSessions: UpstreamSessions;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly signedIn: Guard<WithAccount>;
  /** Hears of each sign-in, and of each that failed. */
  readonly onSignIn: (
    ctx: Context,
    outcome: {
      readonly account: UserRecord | undefined;
      readonly providerId: string;
      readonly reason?: string;
    },
  ) => Promise<void>;
  readonly addressOf: (req: Context['req']) => string;
  readonly audit: Audit;
  readonly about: About;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where a browser goes on that comes back from a provider. */
export interface ReturnPages {
  /** Of a sign-in: here, or at the application that asked for it. */
  readonly signIn: { readonly own: UpstreamReturn; readonly interaction: UpstreamReturn };
  /** Of a sign-out. @param ticket  undefined: with nothing to tell */
  readonly signOut: (ctx: Context, ticket: string | undefined) => Promise<void>;
}

export interface FederationModule {
  readonly upstream: UpstreamSignIn;
  readonly directories: Directories;
  readonly upstreamLogouts: UpstreamLogouts;
  addRoutes(router: Router, pages: ReturnPages): void;
}

/** 144 bits, in 24 characters. */
const newId = () => randomBytes(18).toString('base64url');
const newSecret = () => randomBytes(32).toString('base64url');

export function createFederationModule(needs: FederationNeeds): FederationModule {
  const { settings, storage, cipher, accounts, users, passwords, sessions, providers, upstreamSessions } =
    needs;
  const { names, isSecure, times, csrf, signedIn, addressOf, log, now } = needs;
  const { artifacts } = storage;
  const { url } = settings;
  const record = createRecord(needs);
  const link = createLink({ records: accounts, passwords, newId: idsByTime(now), newSecret, now });
  const states = createAuthorizationStates({ artifacts, newId, now });
  const stateCookie = createStateCookie({ cookieName: names.upstream, isSecure, newId });
  const callbackUrl = (id: string) => callbackAddress(url, id);
  const uses = createProviderUses({ artifacts, now });
  const upstream = createUpstreamSignIn({
    providers,
    states,
    stateCookie,
    link,
    users,
    times,
    uses,
    callbackUrl,
    isSecure,
    now,
  });
  const preview = previewLink.bind(undefined, accounts);
  const testSignIn = createTestSignIn({ upstream, signedIn, preview, csrf, isSecure });
  const replies = createFormPostRelay({ artifacts, cipher, newId, now });
  const clientAddress = (ctx: Context) => addressOf(ctx.req);
  const upstreamLogouts = createUpstreamLogouts({
    ...{ providers, upstreamSessions, artifacts, cipher, url, isSecure, newId, now, onSent: record.sent },
  });

  return {
    upstream,
    directories: createDirectories({ providers, link, uses, log }),
    upstreamLogouts,
    addRoutes: (router, { signIn: pages, signOut: resume }) =>
      addRoutes(router, {
        signedIn,
        callback: createCallback({
          ...{ upstream, states, stateCookie, replies, upstreamSessions, testSignIn, pages, clientAddress },
          onOutcome: record.signIn,
        }),
        test: testSignIn,
        showMetadata: createMetadataPage({ providers, url }),
        logout: createReceivedLogouts({
          ...{ providers, upstreamSessions, sessions, artifacts, upstreamLogouts, resume, url, now },
          onLogout: record.received,
          onRejected: record.rejected,
        }),
      }),
  };
}

interface Handlers {
  readonly signedIn: Guard<WithAccount>;
  readonly callback: ReturnType<typeof createCallback>;
  readonly test: ReturnType<typeof createTestSignIn>;
  readonly showMetadata: ReturnType<typeof createMetadataPage>;
  readonly logout: ReturnType<typeof createReceivedLogouts>;
}

/** Providers send forms as other sites: what these carry proves them, and not a token of ours. */
function addRoutes(router: Router, { signedIn, callback, test, showMetadata, logout }: Handlers): void {
  router.get('/login/callback/:provider', callback.provider, query, callback.receive);
  router.post('/login/callback/:provider', callback.provider, replyForm, callback.receivePosted);
  router.get('/login/test/:provider', signedIn, test.administrator, test.show);
  router.get('/login/test/:provider/start', signedIn, test.administrator, test.start);
  router.get('/login/saml/:provider/metadata', showMetadata);
  router.get('/login/saml/:provider/logout', logout.provider('readSamlLogout'), logout.samlRedirect);
  router.post('/login/saml/:provider/logout', logout.provider('readSamlLogout'), form, logout.samlPost);
  router.post('/login/backchannel/:provider', logout.provider('readLogoutToken'), logout.backChannel);
  const framed = logout.provider('readFrontChannelLogout');
  router.get('/login/frontchannel/:provider', framed, query, logout.frontChannel);
  router.get('/login/logout/:provider', logout.provider('readLogoutToken'), query, logout.returned);
}

/** Tells log and audit trail of what happens between here and the providers. */
function createRecord({ onSignIn, audit, about, log }: FederationNeeds) {
  const warn = (ctx: Context, provider: string, { message: reason, cause: err }: Error, what: string) =>
    log.warn({ provider, requestId: requestIdOf(ctx.req), reason, err }, what);

  return {
    async signIn(ctx: Context, { providerId, account, rejection }: CallbackOutcome): Promise<void> {
      await onSignIn(ctx, { account, providerId, ...(rejection && { reason: rejection.problem.code }) });
      if (rejection) warn(ctx, providerId, rejection, 'an outside sign-in failed');
    },
    sent(ctx: Context, provider: string, error?: FederationError): void {
      audit('logout.passed', { ...about(ctx), outcome: error ? 'failure' : 'success', provider });
      if (error) warn(ctx, provider, error, 'a logout was not passed on');
    },
    /** One line for each session; a message about none is worth one too. */
    received(ctx: Context, provider: string, accountIds: readonly string[]): void {
      const fields = { ...about(ctx), outcome: 'success', provider } as const;
      if (accountIds.length === 0) audit('logout.received', { ...fields, sessions: 0 });
      for (const actor of accountIds) audit('logout.received', { ...fields, actor });
    },
    rejected(ctx: Context, provider: string, error: FederationError): void {
      const outcome = error.status === 503 ? 'failure' : 'denied';
      audit('logout.received', { ...about(ctx), outcome, provider, reason: error.message });
      if (error.status === 503) warn(ctx, provider, error, 'a logout was not taken');
    },
  };
}
