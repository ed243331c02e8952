/** Lets the library answer, at its own addresses and under rules of ours that it does not know. */
import type { Context, Middleware } from 'koa';
import type { Provider } from 'oidc-provider';
import { spaceScope } from '../tokens/scope-spaces.ts';
import type { createDeviceFlow } from './device-flow.ts';
import type { Exchanges } from './exchanges.ts';
import { routes } from './provider.ts';

export interface AskProviderDeps {
  /** The provider of this moment; it is replaced when keys change. */
  readonly provider: () => Provider;
  readonly exchanges: Pick<Exchanges, 'run'>;
  readonly deviceFlow: ReturnType<typeof createDeviceFlow>;
  /** The origin that may show the answer to this request in a frame, if any. */
  readonly framedBy: (ctx: Context) => Promise<string | undefined>;
}

/** The library matches paths loosely; it gets to see these, spelled exactly so, and no others. */
const providerPaths = new Set([
  ...['/oauth2/authorize', '/oauth2/token', '/oauth2/revoke', '/oauth2/introspect'],
  ...['/oauth2/device_authorization', '/device'],
]);
const allowOrigin = 'Access-Control-Allow-Origin';
const resumePath = /^\/(oauth2\/authorize|device)\/[\w-]+$/;

export function createAskProvider({
  provider,
  exchanges,
  deviceFlow,
  framedBy,
}: AskProviderDeps): Middleware {
  return async (ctx, next) => {
    if (!providerPaths.has(ctx.path) && !resumePath.test(ctx.path)) return next();
    // Cross-origin access is decided before this application (S23). The library would reflect the origin,
    // and without one open the reply to all, unless it finds a decision made.
    const isDecided = ctx.res.hasHeader(allowOrigin);
    delete ctx.req.headers.origin;
    if (ctx.path === routes.authorization) spaceScope(ctx);
    // For the library's one page, which posts an answer to the application (`response_mode=form_post`).
    ctx.set({
      'Content-Security-Policy': selfSubmittingPage(await framedBy(ctx)),
      'X-Content-Type-Options': 'nosniff',
    });
    const [handle] = provider().middleware;
    const library = async () => handle!(ctx, next);
    try {
      if (ctx.path === routes.token) {
        await exchanges.run(ctx, library);
        await deviceFlow.slowDown(ctx);
      } else if (ctx.path === routes.code_verification) await deviceFlow.page(ctx, library);
      else if (ctx.path === routes.device_authorization) await deviceFlow.authorization(ctx, library);
      else await library();
    } finally {
      if (!isDecided) for (const field of [allowOrigin, 'Access-Control-Expose-Headers']) ctx.remove(field);
    }
  };
}

/** The library puts the hash of its script behind `script-src`; its form goes to a validated address. */
function selfSubmittingPage(framedBy = "'none'"): string {
  return `default-src 'none'; script-src; base-uri 'none'; frame-ancestors ${framedBy}`;
}
