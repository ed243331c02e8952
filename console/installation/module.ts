/** The files of an installation's own look: its logo, and the style sheet with its colours. Everybody may load them, before a sign-in too. */
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Branding } from './branding.ts';

/** A picture that is opened by itself is a document, which may do nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function createInstallationModule({ branding }: { readonly branding: Pick<Branding, 'file'> }) {
  const send = (ctx: Context): void => {
    const file = branding.file(String(ctx.params.file));
    if (!file) return;
    const isPinned = ctx.query.v === file.tag;
    ctx.set({
      ETag: `"${file.tag}"`,
      'Cache-Control': isPinned ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': policy,
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = file.type;
    ctx.body = file.body;
  };
  return {
    addRoutes(router: Router): void {
      router.get('/branding/:file', send);
    },
  };
}
