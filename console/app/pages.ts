/** Everything that a browser visits, as one Koa application: what holds for all pages, then those of the features. */
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { type CookieNames, dropRepeatedCookies } from '../http/cookies.ts';
import type { ErrorResponses } from '../http/error-responses.ts';
import { leadToOwnHost } from '../http/own-host.ts';
import { pinAddresses } from '../oidc/provider.ts';

export interface PagesDeps {
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly cookies: { readonly names: CookieNames; readonly keys: readonly string[] };
  readonly errors: ErrorResponses;
  readonly sendStatic: Middleware;
  /** Knows how pages are shown to whoever asks. */
  readonly presentation: Middleware;
  /** In this order, which counts where two patterns fit one path. */
  readonly features: readonly { addRoutes(router: Router): void }[];
  /** Answers what no page is there for. */
  readonly provide: Middleware;
}

export function createPages(deps: PagesDeps): Koa {
  const { url, cookies, errors, sendStatic, presentation, features, provide } = deps;
  const app = new Koa();
  app.keys = [...cookies.keys];
  pinAddresses(app, url);
  const router = new Router({ sensitive: true, strict: true });
  for (const feature of features) feature.addRoutes(router);
  router.get('/static/:name', sendStatic);
  app.use(storeNothing);
  app.use(presentation);
  app.use(errors.middleware);
  app.use(leadToOwnHost(url));
  app.use(rejectRepeatedCookies(cookies.names));
  app.use(router.routes());
  app.use(router.allowedMethods());
  app.use(provide);
  return app;
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
