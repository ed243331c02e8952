/** What the repository consists of, as text: for tests that hold its papers and its code together. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export interface Source {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

const top = readdirSync(root, { withFileTypes: true });
const generated = new Set(['node_modules', 'dist', 'data', '.git', 'package-lock.json', 'LICENSE']);
/** Of the test's own makers: built or installed there, and nobody's text of ours. */
const foreign = /(^|\/)(node_modules|target|\.venv|__pycache__)\//;
const textual = /\.(?:[cm]?[jt]sx?|md|ya?ml|sh|json|css|html|py|go|java|xml)$|^\.ci\/run$/;

/** Every text file that somebody here has written. */
export const sources: readonly Source[] = top
  .filter(({ name }) => !generated.has(name))
  .flatMap((entry) => (entry.isDirectory() ? filesOf(entry.name) : [entry.name]))
  .filter((path) => textual.test(path) && !foreign.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Folders at the root with code of the product. */
export const productFolders: readonly string[] = top
  .filter((entry) => entry.isDirectory() && !generated.has(entry.name) && !entry.name.startsWith('.'))
  .map(({ name }) => name)
  .filter((name) => !['test', 'docs'].includes(name));

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
