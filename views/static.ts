import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** One file that pages refer to: what to send and how a browser may recognise it again. */
export interface StaticFile {
  readonly body: Buffer;
  /** Value of `Content-Type`. */
  readonly type: string;
  /** Strong validator with its quotes (RFC 9110 §8.8.3), made from the content. */
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.jpeg': 'image/jpeg',
};

/** Read once with the program: the folder is part of it and does not change while it runs. */
const files = new Map([
  ...readFolder(findFolder(import.meta.dirname, join('views', 'static'))),
  ...readFolder(findFolder(import.meta.dirname, join('dist', 'static'))),
]);

/**
 * Everything that is served under `/static/`, by file name. A request whose `v` equals
 * the one in {@link assetPath} may be cached for good; any other only with its ETag.
 */
export async function staticFiles(): Promise<ReadonlyMap<string, StaticFile>> {
  return files;
}

/**
 * The address of a static file; it changes with the content.
 *
 * @param name  file name in `views/static/`, or in `dist/static/`, where the build puts those with a library in them
 * @throws {Error} when there is no such file: a page would point at nothing
 */
export function assetPath(name: string): string {
  const file = files.get(name);
  if (file === undefined) throw new Error(`views/static/ has no ${name}`);
  return `/static/${name}?v=${file.etag.slice(1, -1)}`;
}

/** Climbs until it is found: both lie at the root, above the sources and above what is built. */
function findFolder(from: string, place: string): string {
  const folder = join(from, place);
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error(`${place} is missing: npm run build makes dist/`);
  return findFolder(dirname(from), place);
}

function readFolder(folder: string): ReadonlyMap<string, StaticFile> {
  const found = new Map<string, StaticFile>();
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const body = readFileSync(join(folder, name));
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16);
    found.set(name, { body, type, etag: `"${hash}"` });
  }
  return found;
}
