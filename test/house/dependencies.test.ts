/** What the project is built from, as its manifest and its lock file say. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folders } from './modules.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const manifest = read('package.json') as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly engines: { readonly node: string };
};
interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}
const locked = Object.entries(read('package-lock.json').packages as Readonly<Record<string, Locked>>).filter(
  ([path]) => path !== '',
);

test('every version is exact (S88)', () => {
  const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
  const loose = Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect([name, versionOf(name)]).toEqual([name, version]);
  }
});

test('a library that is loaded late is taken by its default: of one in CommonJS the builder gives no other name', () => {
  const late = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/.*\bawait import\('[^.n][^']*'\).*/g) ?? [],
    );
  expect(late.filter((line) => !/const \{ default: \w+ \} = await import/.test(line))).toEqual([]);
  expect(late.length).toBeGreaterThan(0);
});

test('the papers name the Node that the manifest asks for', () => {
  const least = manifest.engines.node.replace('>=', '').replace(/\.0$/, '');
  expect(least).toMatch(/^\d+\.\d+$/);
  for (const paper of ['README.md', 'SECURITY.md']) {
    expect(readFileSync(join(root, paper), 'utf8'), paper).toMatch(
      new RegExp(`\\b${least} (?:and|or) newer`),
    );
  }
});

test('the lock file holds the integrity of every package (S88)', () => {
  expect(locked.length).toBeGreaterThan(100);
  expect(
    locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([]);
});

test('no package but argon2 may run a script when it is installed (S88)', () => {
  const allowed = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed);
  expect(allowed).toEqual([['argon2', true]]);
  const withScripts = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path));
  const undecided = withScripts.filter((name) => !Object.hasOwn(manifest.allowScripts, name));
  // npm leaves fsevents out on anything but macOS, and it has a binary of its own.
  expect(undecided.filter((name) => name !== 'fsevents')).toEqual([]);
});

test.each([
  ['koa', '3.1.2'],
  ['@node-saml/node-saml', '5.1.0'],
  ['xml-crypto', '6.0.1'],
])('every copy of %s is at least %s (S89)', (name, least) => {
  const copies = locked.filter(([path]) => nameOf(path) === name).map(([, { version }]) => version);
  expect(copies.length).toBeGreaterThan(0);
  expect(copies.filter((version) => compare(version, least) < 0)).toEqual([]);
});

test('no server or client of the project parses HTTP leniently (S89)', () => {
  const lenient = /insecureHTTPParser:\s*true|--insecure-http-parser/;
  const files = [...folders, 'package.json'].flatMap(filesOf);
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => lenient.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('no package is used by its private files', () => {
  const files = folders.flatMap(filesOf);
  const privately = /(?:from|import\() ?'(?:@[\w-]+\/)?[\w-][\w.-]*\/(?:lib|dist|src|build)\//;
  expect(privately.test("import { a } from '@scope/name/lib/a.js'")).toBe(true);
  expect(files.filter((file) => privately.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('the project evaluates no text as code (S90)', () => {
  const evaluation = /\beval\(|\bnew Function\(|\bvm\.run|from 'node:vm'/;
  const files = folders.flatMap(filesOf);
  expect(files.filter((file) => evaluation.test(readFileSync(file, 'utf8')))).toEqual([]);
});

function versionOf(name: string): string | undefined {
  return locked.find(([path]) => path === `node_modules/${name}`)?.[1].version;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return left!.map((part, i) => part - right![i]!).find((difference) => difference !== 0) ?? 0;
}

function filesOf(path: string): string[] {
  const absolute = join(root, path);
  if (/\.json$/.test(path)) return [absolute];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

test('SQL has parameters: one driver, and each statement is made when its file is loaded (S80)', () => {
  const drivers =
    /^(pg|pg-.*|postgres|mysql2?|mariadb|better-sqlite3|sqlite3?|tedious|knex|kysely|sequelize|typeorm|prisma)$/;
  const asked = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(asked.filter((name) => drivers.test(name))).toEqual(['kysely', 'pg']);
  const folder = join(root, 'console/storage/postgres');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    // Within a function, a statement could be made of what was asked.
    const made = text
      .split('\n')
      .filter((line) => /^ {4,}(const|let|return|await) .*\bstatement\(/.test(line));
    expect(made, file).toEqual([]);
    const asked = text.match(/\.query(<[^(]*>)?\([^)]*\$\{/g) ?? [];
    expect(asked, file).toEqual([]);
  }
});
