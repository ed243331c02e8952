/** Style sheet, script and pictures: read once, sent with a validator. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Context } from 'koa';

interface StaticFile {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export function createStaticFiles() {
  const files = readFolder(findFolder(import.meta.dirname));

  return function sendStatic(ctx: Context): void {
    const file = files.get(ctx.path.slice('/static/'.length));
    if (!file) return;
    ctx.set({ ETag: file.etag, 'Cache-Control': 'no-cache', 'Content-Type': file.type });
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = file.body;
  };
}

/** Climbs until `dashboard/static` is found: it lies beside the sources, and above `dist/dashboard`. */
function findFolder(from: string): string {
  const folder = join(from, 'dashboard', 'static');
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error('dashboard/static is missing from this installation');
  return findFolder(dirname(from));
}

function readFolder(folder: string): ReadonlyMap<string, StaticFile> {
  const names = readdirSync(folder).filter((name) => extname(name) in types);
  return new Map(
    names.map((name) => {
      const body = readFileSync(join(folder, name));
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
      return [name, { body, type: types[extname(name)]!, etag }];
    }),
  );
}
