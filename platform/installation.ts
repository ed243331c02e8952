/** Where the files of this installation are: the sources during development, `dist/` when they are built. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isBuilt = import.meta.url.endsWith('.js');

/** Of the package that this program belongs to. */
export function version(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/**
 * A program of this package, to be started as a thread or a process.
 *
 * @param path  from the root, without an extension
 */
export function programOf(path: string): URL {
  const root = packageRoot();
  return pathToFileURL(isBuilt ? join(root, 'dist', `${path}.js`) : join(root, `${path}.ts`));
}

/** Built code lies in chunks, whose place says nothing of the module's own. */
function packageRoot(from = import.meta.dirname): string {
  if (existsSync(join(from, 'package.json'))) return from;
  if (dirname(from) === from) throw new Error('package.json is missing from this installation');
  return packageRoot(dirname(from));
}
