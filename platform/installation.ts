/** Where the files of this installation are: the sources during development, `dist/` when they are built. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isBuilt = import.meta.url.endsWith('.js');

/** Of the package that this program belongs to. */
export function version(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** What starts the console here: the package has no sources to build first. */
export function startCommand(): string {
  return isClone() ? 'npm start' : 'npx cluster-console';
}

/** The same for the reference dashboard. */
export function dashboardCommand(): string {
  return isClone() ? 'npm run dashboard' : 'npx cluster-console-dashboard';
}

function isClone(): boolean {
  return existsSync(join(packageRoot(), 'build.js'));
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

/**
 * What the build has written beside the programs.
 *
 * @param path  from `dist/`
 */
export function builtFile(path: string): string {
  return join(packageRoot(), 'dist', path);
}

/**
 * Loads a library late and without a promise: most starts do without it. Built, it is a file of its own, which
 * build.js has to know.
 */
export function requireLibrary(name: string): unknown {
  const load = createRequire(import.meta.url);
  return load(isBuilt ? join(packageRoot(), 'dist/libraries', `${name}.cjs`) : name);
}

/** Built code lies in chunks, whose place says nothing of the module's own. */
function packageRoot(from = import.meta.dirname): string {
  if (existsSync(join(from, 'package.json'))) return from;
  if (dirname(from) === from) throw new Error('package.json is missing from this installation');
  return packageRoot(dirname(from));
}
