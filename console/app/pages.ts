/** Everything that a browser visits, as one Koa application: our pages first, then the provider. */
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Provider } from 'oidc-provider';
import type { createCallback } from '../federation/callback.ts';
import type { TestSignIn } from '../federation/test-sign-in.ts';
import type { createReceivedLogouts } from '../federation/upstream-initiated-logout.ts';
import { type CookieNames, dropRepeatedCookies } from '../http/cookies.ts';
import type { ErrorResponses } from '../http/error-responses.ts';
import { leadToOwnHost } from '../http/own-host.ts';
import type { createAccountPage } from '../login/account.ts';
import type { createInteractions } from '../login/interactions.ts';
import type { createLogin } from '../login/login.ts';
import type { createSetupPage } from '../login/setup.ts';
import type { SignedOut } from '../logout/logged-out-page.ts';
import type { createLogout } from '../logout/logout.ts';
import { repeatAuthorization } from '../oidc/authorization-form.ts';
import type { Exchanges } from '../oidc/exchanges.ts';
import { pinAddresses, routes } from '../oidc/provider.ts';
import { spaceScope } from '../tokens/scope-spaces.ts';

export interface PagesDeps {
  readonly issuer: string;
  readonly cookieNames: CookieNames;
  readonly cookieKeys: readonly string[];
  readonly errors: ErrorResponses;
  readonly sendStatic: Middleware;
  readonly account: ReturnType<typeof createAccountPage>;
  readonly login: ReturnType<typeof createLogin>;
  readonly setup: ReturnType<typeof createSetupPage>;
  readonly interactions: ReturnType<typeof createInteractions>;
  readonly callback: ReturnType<typeof createCallback>;
  /** What this console tells a SAML provider of itself. */
  readonly showMetadata: Middleware;
  readonly testSignIn: Pick<TestSignIn, 'show' | 'start'>;
  readonly logout: ReturnType<typeof createLogout>;
  readonly signedOut: Pick<SignedOut, 'show' | 'goOn'>;
  readonly receivedLogouts: ReturnType<typeof createReceivedLogouts>;
  /** The provider of this moment; it is replaced when keys change. */
  readonly provider: () => Provider;
  readonly exchanges: Pick<Exchanges, 'run'>;
  /** The origin that may show the answer to this request in a frame, if any. */
  readonly framedBy: (ctx: Context) => string | undefined;
}

/** The library matches paths loosely; it gets to see these, spelled exactly so, and no others. */
const providerPaths = new Set(['/oauth2/authorize', '/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']);
const allowOrigin = 'Access-Control-Allow-Origin';
const resumePath = /^\/oauth2\/authorize\/[\w-]+$/;

export function createPages(deps: PagesDeps): Koa {
  const app = new Koa();
  app.keys = [...deps.cookieKeys];
  pinAddresses(app, deps.issuer);
  const provide = askProvider(deps);
  const router = createRouter({ ...deps, provide });
  app.use(storeNothing);
  app.use(deps.errors.middleware);
  app.use(leadToOwnHost(deps.issuer));
  app.use(rejectRepeatedCookies(deps.cookieNames));
  app.use(router.routes());
  app.use(router.allowedMethods());
  app.use(provide);
  return app;
}

function createRouter({
  account,
  login,
  setup,
  interactions,
  callback,
  showMetadata,
  testSignIn,
  logout,
  signedOut,
  receivedLogouts,
  sendStatic,
  provide,
}: PagesDeps & { readonly provide: Middleware }): Router {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/', account.show);
  router.post('/account/password', account.changePassword);
  router.post('/account/sessions', account.endSession);
  router.get('/login', login.show);
  router.post('/login', login.submit);
  router.get('/setup', setup.show);
  router.post('/setup', setup.submit);
  router.get('/login/start/:provider', login.startUpstream);
  router.get('/login/callback/:provider', callback.receive);
  router.post('/login/callback/:provider', callback.receivePosted);
  router.get('/login/test/:provider', testSignIn.show);
  router.get('/login/test/:provider/start', testSignIn.start);
  router.get('/login/saml/:provider/metadata', showMetadata);
  router.get('/login/saml/:provider/logout', receivedLogouts.saml);
  router.post('/login/saml/:provider/logout', receivedLogouts.saml);
  router.post('/login/backchannel/:provider', receivedLogouts.backChannel);
  router.get('/login/frontchannel/:provider', receivedLogouts.frontChannel);
  router.get('/login/logout/:provider', receivedLogouts.returned);
  router.get('/login/:uid', interactions.show);
  router.get('/login/:uid/start/:provider', interactions.startUpstream);
  router.post('/login/:uid', interactions.submitLogin);
  router.post('/login/:uid/consent', interactions.submitConsent);
  router.get('/connect/logout', logout.ask);
  router.post('/connect/logout', logout.ask);
  router.post('/connect/logout/confirm', logout.confirm);
  router.get('/connect/logout/success', signedOut.show);
  router.get('/connect/logout/provider', signedOut.goOn);
  router.get('/static/:name', sendStatic);
  router.get(routes.authorization, provide);
  router.post(routes.authorization, repeatAuthorization);
  return router;
}

/** Redirects too: they carry cookies, codes and where somebody was going (S51). What may be stored says so itself. */
const storeNothing: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};

function rejectRepeatedCookies(names: CookieNames): Middleware {
  return (ctx, next) => {
    dropRepeatedCookies(ctx.req, names);
    return next();
  };
}

function askProvider({
  provider,
  exchanges,
  framedBy,
}: Pick<PagesDeps, 'provider' | 'exchanges' | 'framedBy'>): Middleware {
  return async (ctx, next) => {
    if (!providerPaths.has(ctx.path) && !resumePath.test(ctx.path)) return next();
    // Cross-origin access is decided before this application (S23). The library would reflect the origin,
    // and without one open the reply to all, unless it finds a decision made.
    const isDecided = ctx.res.hasHeader(allowOrigin);
    delete ctx.req.headers.origin;
    if (ctx.path === routes.authorization) spaceScope(ctx);
    // For the library's one page, which posts an answer to the application (`response_mode=form_post`).
    ctx.set({
      'Content-Security-Policy': selfSubmittingPage(framedBy(ctx)),
      'X-Content-Type-Options': 'nosniff',
    });
    const [handle] = provider().middleware;
    try {
      if (ctx.path === routes.token) await exchanges.run(ctx, () => handle!(ctx, next));
      else await handle!(ctx, next);
    } finally {
      if (!isDecided) for (const field of [allowOrigin, 'Access-Control-Expose-Headers']) ctx.remove(field);
    }
  };
}

/** The library puts the hash of its script behind `script-src`; its form goes to a validated address. */
function selfSubmittingPage(framedBy = "'none'"): string {
  return `default-src 'none'; script-src; base-uri 'none'; frame-ancestors ${framedBy}`;
}
