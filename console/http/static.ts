import type { Middleware } from 'koa';
import { staticFiles } from '../../views/static.ts';

/** Styles and pictures of the pages, from memory, at `/static/<name>`. */
export async function createStatic(): Promise<Middleware> {
  const files = await staticFiles();

  return function sendStatic(ctx) {
    const file = files.get(ctx.path.slice('/static/'.length));
    if (!file) return;
    const isPinned = ctx.query.v === file.etag.slice(1, -1);
    ctx.set({
      ETag: file.etag,
      'Cache-Control': isPinned ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // A picture opened by itself is a document too.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = file.type;
    ctx.body = file.body;
  };
}
