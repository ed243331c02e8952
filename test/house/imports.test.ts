/** Imports point one way, between rooms and between files. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cyclesOf, largeFolders, longFunctions, readSources, root } from './modules.ts';
import { importRules, roomOf, rooms, roomsWithin } from './rooms.ts';

const names = Object.keys(rooms);
const sources = readSources();

/** A file at each depth of each room. */
const files = names.flatMap((room) =>
  ['', 'a/', 'a/b/'].map((below) => ({ room, file: `${room}/${below}from.ts` })),
);
/** What each of them imports, a line each: one file of each room, and an entry. */
const targets = [...names, 'console'];

let tree: string;
let rejected: Set<string>;

beforeAll(async () => {
  tree = await realpath(await mkdtemp(join(tmpdir(), 'console-imports-')));
  await cp(join(root, 'biome.json'), join(tree, 'biome.json'));
  for (const { file } of files) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    const lines = targets.map((to) => {
      const path = relative(dirname(file), `${to}/thing.ts`);
      return `export { thing } from '${path.startsWith('.') ? path : `./${path}`}';\n`;
    });
    await writeFile(join(tree, file), lines.join(''));
  }
  rejected = await lint(tree);
});
afterAll(() => rm(tree, { recursive: true }));

test.each(names)('the linter lets files of %s import what its room may, and nothing else', (room) => {
  const wrong = files
    .filter((one) => one.room === room)
    .flatMap(({ file }) => targets.map((to, index) => ({ file, to, line: index + 1 })))
    .filter(({ file, to, line }) => rejected.has(`${file}:${line}`) === isAllowed(room, to))
    .map(({ file, to }) => `${file} → ${to}: ${isAllowed(room, to) ? 'refused' : 'let through'}`);
  expect(wrong).toEqual([]);
});

test('the rules of the linter are those of the table', async () => {
  const { overrides } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
  const own = overrides.filter(
    ({ linter }: { linter: { rules: { style?: { noRestrictedImports?: object } } } }) =>
      linter.rules.style?.noRestrictedImports !== undefined,
  );
  expect(own).toEqual(importRules());
});

test('no room may import one that may import it, at any distance', () => {
  const asFiles = Object.entries(rooms).map(([file, imports]) => ({ file, imports }));
  expect(cyclesOf(asFiles)).toEqual([]);
});

test('no file imports itself by way of others, types included', () => {
  expect(sources.length).toBeGreaterThan(600);
  expect(cyclesOf(sources)).toEqual([]);
});

test('every file of production code stands in a room, but for the entries of the console and the commands', () => {
  const outside = sources.map(({ file }) => file).filter((file) => roomOf(file) === undefined);
  expect(outside.filter((file) => !/^(?:console|bin)\/[^/]+$/.test(file))).toEqual([]);
});

test('every import of production code is one that its room may', () => {
  const wrong = sources.flatMap(({ file, imports }) => {
    const room = roomOf(file);
    if (room === undefined) return [];
    return imports
      .filter((to) => roomOf(to) !== room && !rooms[room]!.includes(roomOf(to) ?? ''))
      .map((to) => `${file} → ${to}`);
  });
  expect(wrong).toEqual([]);
});

test('no folder has more files, and no function more lines, than are read at one go', () => {
  const many = Array.from({ length: 21 }, (_, i) => ({ file: `a/${i}.ts` }));
  expect(largeFolders(many)).toEqual(['a (21)']);
  expect(longFunctions([{ file: 'a.ts', functions: [{ name: 'long', lines: 61 }] }])).toEqual([
    'a.ts long (61)',
  ]);
  expect(sources.flatMap(({ functions }) => functions).length).toBeGreaterThan(3_000);
  expect(largeFolders(sources)).toEqual([]);
  expect(longFunctions(sources)).toEqual([]);
});

test('a room within a room is reached by its own name alone', () => {
  const names = ['embedded', 'engine', 'migration', 'postgres', 'staged'];
  const within = names.map((name) => `console/storage/${name}`);
  expect([...roomsWithin('console/storage')].sort()).toEqual(within);
  expect(rooms['console/accounts']).not.toContain('console/storage/embedded');
});

function isAllowed(room: string, to: string): boolean {
  return to === room || rooms[room]!.includes(to);
}

/** @returns each refused import as `file:line` */
async function lint(cwd: string): Promise<Set<string>> {
  const biome = join(root, 'node_modules/.bin/biome');
  const args = [
    'lint',
    '--reporter=github',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--only=style/noRestrictedImports',
    '.',
  ];
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(biome, args, options).catch((error) => error);
  const lines = String(stdout)
    .split('\n')
    .filter((line) => line.includes('noRestrictedImports'));
  return new Set(
    lines.map((line) => {
      const [, file = '', number] = /file=([^,]+),line=(\d+),/.exec(line)!;
      return `${relative(cwd, file)}:${number}`;
    }),
  );
}
