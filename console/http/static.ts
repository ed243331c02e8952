import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import { once } from '../../platform/async/once.ts';
import { type StaticFile, staticFiles } from '../../views/static.ts';

/** Smaller ones fit into a packet as they are. */
const leastGzipped = 1400;
const compress = promisify(gzip);

/**
 * Styles, scripts and pictures of the pages, from memory, at `/static/<name>`. They are compressed, once each, when
 * somebody first asks; nothing of a reader is in them, so that their size tells nobody anything.
 */
export async function createStatic(): Promise<Middleware> {
  const files = new Map(
    [...(await staticFiles())].map(([name, file]) => [name, { ...file, gzipped: gzippedOf(file) }]),
  );

  return async function sendStatic(ctx) {
    const file = files.get(ctx.path.slice('/static/'.length));
    if (!file) return;
    const isPinned = ctx.query.v === file.etag.slice(1, -1);
    const body = ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? await file.gzipped?.() : undefined;
    ctx.set({
      // Another one for other bytes (RFC 9110 §8.8.3.3).
      ETag: body ? `"${file.etag.slice(1, -1)}-gzip"` : file.etag,
      'Cache-Control': isPinned ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // A picture opened by itself is a document too.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      ...(file.gzipped && { Vary: 'Accept-Encoding' }),
    });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = file.type;
    if (body) ctx.set('Content-Encoding', 'gzip');
    ctx.body = body ?? file.body;
  };
}

/** @returns undefined of what would not become smaller */
function gzippedOf({ body, type }: StaticFile): (() => Promise<Buffer>) | undefined {
  if (body.length < leastGzipped || type === 'image/png' || type === 'image/jpeg') return undefined;
  return once(() => compress(body, { level: 9 }));
}
