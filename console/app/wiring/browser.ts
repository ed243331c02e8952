/** Everything a browser visits: sign-in, account, set-up, logout and the provider behind them. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import { createGuessing } from '../../accounts/guessing.ts';
import { createKnownBrowsers } from '../../accounts/known-browsers.ts';
import { createSetup, type Setup } from '../../accounts/setup.ts';
import { createSignIn } from '../../accounts/sign-in.ts';
import { createSignInTimes } from '../../accounts/sign-in-times.ts';
import { createThrottle } from '../../accounts/throttle.ts';
import { cookieNames } from '../../http/cookies.ts';
import { createCsrf } from '../../http/csrf.ts';
import { createErrorResponses } from '../../http/error-responses.ts';
import { createStatic } from '../../http/static.ts';
import { createAccountPage } from '../../login/account.ts';
import { type BrowserSessions, createBrowserSessions } from '../../login/browser-session.ts';
import { createInteractions, type SignInOutcome, wrongCredentials } from '../../login/interactions.ts';
import { createLogin } from '../../login/login.ts';
import { createSetupPage } from '../../login/setup.ts';
import { silentRenewalFramePolicy } from '../../login/silent-renewal-frame.ts';
import { createSignedOut } from '../../logout/logged-out-page.ts';
import { createLogout } from '../../logout/logout.ts';
import type { LogoutNotices } from '../../logout/logout-notices.ts';
import { receiverOf } from '../../logout/logout-outbox.ts';
import { byPassword, byProvider } from '../../oidc/sign-in-method.ts';
import { createPages } from '../pages.ts';
import { storedSecret } from '../services.ts';
import { composeReceivedLogouts, composeUpstreamLogouts } from './federated-logout.ts';
import { composeUpstream } from './federation.ts';
import { composeProvider, lifetimesOf } from './provider.ts';
import type { Shared } from './shared.ts';

/** Guesses at the password of an open session (S29). */
const throttling = { attempts: 10, windowSeconds: 300 } as const;

/** What somebody waits for the applications of a session that they have ended. */
const outcomesMs = 1000;

export interface Browser {
  readonly pages: RequestListener;
  readonly setup: Setup;
}

export async function composeBrowser(shared: Shared, notices: LogoutNotices): Promise<Browser> {
  const base = await composeBase(shared);
  const { services } = shared;
  const { settings, storage, now, users, passwords, sessions } = services;
  const { isSecure, names, cookieKeys, errors, csrf, times, provider, exchanges, browserSessions } = base;
  const setup = createSetup({ users, times, now });
  const currentSession = composeCurrentSession(shared, browserSessions);
  const auditChange = changeAudit(shared);
  const { login, interactions, upstream } = composeSignIn(shared, base, currentSession);
  const upstreamLogouts = composeUpstreamLogouts(shared, isSecure);
  const signedOut = createSignedOut({
    issuer: settings.url,
    isSecure,
    cookieName: names.signedOut,
    artifacts: storage.artifacts,
    clients: services.clients,
    notices,
    upstreamLogouts,
    newTicket: () => randomBytes(18).toString('base64url'),
    now,
  });
  const pages = createPages({
    issuer: settings.url,
    cookieNames: names,
    cookieKeys,
    errors,
    provider,
    exchanges,
    sendStatic: await createStatic(),
    login,
    interactions,
    callback: upstream.callback({ own: login.returned, interaction: interactions.returned }),
    showMetadata: upstream.showMetadata,
    testSignIn: upstream.testSignIn,
    setup: createSetupPage({
      setup,
      currentSession,
      csrf,
      isSecure,
      minPasswordLength: passwords.minCharacters,
      onSetup: (ctx, account) => auditChange(ctx, 'setup', account),
    }),
    account: composeAccountPage(shared, base, currentSession, notices),
    logout: createLogout({
      provider,
      browserSessions,
      sessions,
      upstreamLogouts,
      signedOut,
      csrf,
      findUser: users.find,
      isSecure,
      onLogout: (ctx, session) => auditChange(ctx, 'logout', { id: session.accountId }),
    }),
    signedOut,
    receivedLogouts: composeReceivedLogouts(shared, upstreamLogouts, signedOut.resume),
    framedBy: (ctx) => silentRenewalFramePolicy(ctx, services.clients),
  });
  return { pages: pages.callback(), setup };
}

type Base = Awaited<ReturnType<typeof composeBase>>;
type CurrentSession = ReturnType<typeof composeCurrentSession>;

/** What all pages stand on: cookies, CSRF tokens, error pages, the provider and its sessions. */
async function composeBase(shared: Shared) {
  const { settings, storage, cipher, sessions } = shared.services;
  const isSecure = settings.url.startsWith('https:');
  const names = cookieNames(isSecure);
  const cookieKeys = [await storedSecret(storage.registry, cipher, 'cookie-key')];
  const errors = createErrorResponses({ log: shared.log, isSecure });
  const { provider, exchanges } = composeProvider(shared, { names, keys: cookieKeys }, errors);
  const lifetimes = lifetimesOf(settings);
  return {
    isSecure,
    names,
    cookieKeys,
    errors,
    provider,
    exchanges,
    browserSessions: createBrowserSessions({ provider, sessions, lifetimes, isSecure }),
    csrf: createCsrf({
      origin: new URL(settings.url).origin,
      cookieName: names.csrf,
      isSecure,
      secret: await storedSecret(storage.registry, cipher, 'csrf-key'),
    }),
    knownBrowsers: createKnownBrowsers({
      cookieName: names.browser,
      isSecure,
      secret: await storedSecret(storage.registry, cipher, 'browser-key'),
    }),
    times: createSignInTimes({ artifacts: storage.artifacts }),
  };
}

/** Sign-in by password or provider, for this console's own pages and for applications. */
function composeSignIn(shared: Shared, base: Base, currentSession: CurrentSession) {
  const { services, addressOf } = shared;
  const { settings, storage, now, steady, users, passwords, sessions } = services;
  const { isSecure, names, csrf, times, provider, browserSessions, knownBrowsers } = base;
  const onSignIn = signInRecord(shared);
  const clientAddress = (ctx: Context) => addressOf(ctx.req);
  const currentUser = async (ctx: Context) => {
    const session = await browserSessions.current(ctx);
    return session && users.find(session.accountId);
  };
  const cookieName = names.upstream;
  const composed = composeUpstream(shared, { times, cookieName, isSecure, csrf, currentUser, onSignIn });
  const { upstream, directories } = composed;
  const guessing = createGuessing({ artifacts: storage.artifacts, steady });
  const signIn = createSignIn({ users, passwords, guessing, times, directories, now });
  const login = createLogin({
    signIn,
    knownBrowsers,
    currentSession,
    upstream,
    csrf,
    clientAddress,
    isSetUp: users.hasAny,
    url: settings.url,
    isSecure,
    wrongCredentials,
    onSignIn,
  });
  const interactions = createInteractions({
    provider,
    signIn,
    knownBrowsers,
    csrf,
    clientAddress,
    findUser: users.find,
    meaningOfRole: services.roles.meaningOf,
    isSetUp: users.hasAny,
    url: settings.url,
    clients: services.clients,
    resources: services.resources,
    browserSessions,
    endSession: sessions.end,
    upstream,
    isSecure,
    onSignIn,
  });
  return { login, interactions, upstream: composed };
}

function signInRecord({ metrics, audit, about }: Shared) {
  return (ctx: Context, outcome: SignInOutcome) => {
    const { account, reason, providerId = account?.federated?.provider } = outcome;
    metrics.signIn(reason ?? 'success');
    audit('login', {
      ...about(ctx),
      actor: account?.id,
      outcome: account ? 'success' : 'denied',
      reason,
      provider: providerId,
    });
  };
}

function changeAudit({ audit, about }: Shared) {
  return (ctx: Context, event: string, { id }: { readonly id: string }) =>
    audit(event, { ...about(ctx), actor: id, outcome: 'success' });
}

function composeAccountPage(
  shared: Shared,
  { isSecure, csrf, times }: Base,
  currentSession: CurrentSession,
  notices: LogoutNotices,
) {
  const { services, audit, about } = shared;
  const { storage, now, steady, users, passwords, sessions } = services;
  return createAccountPage({
    currentSession,
    users,
    passwords,
    throttle: createThrottle({ artifacts: storage.artifacts, steady, ...throttling }),
    sessions,
    async outcomesOf(ended) {
      const outcomes = await notices.settled(ended, outcomesMs);
      return outcomes.map((outcome) => ({ name: receiverOf(outcome), state: outcome.state }));
    },
    times,
    csrf,
    nameOfProvider: (id) => services.providers.find(id)?.name ?? id,
    nameOfApplication: (id) => services.clients.find(id)?.name ?? id,
    meaningOfRole: services.roles.meaningOf,
    isSecure,
    now,
    onChange: changeAudit(shared),
    onRejected: (ctx, event, { id }, reason) =>
      audit(event, { ...about(ctx), actor: id, outcome: 'denied', reason }),
  });
}

const methods = { password: byPassword, provider: byProvider } as const;

/** A session of the console's own sign-in is noted like those of applications, for the list of sessions. */
function composeCurrentSession({ services, addressOf }: Shared, browserSessions: BrowserSessions) {
  return {
    current: browserSessions.current,
    async start(ctx: Context, accountId: string, at: number, by: 'password' | 'provider' = 'password') {
      const session = await browserSessions.start(ctx, accountId, at, methods[by]());
      await services.sessions.record({
        uid: session.uid,
        startedAt: at,
        accountId,
        clientId: 'console',
        clientAddress: addressOf(ctx.req),
        userAgent: ctx.get('User-Agent').slice(0, 256),
      });
      return session;
    },
  };
}
