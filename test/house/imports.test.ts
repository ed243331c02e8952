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

/** A file at each depth of each room, and what it imports, one of each room and entries. */
const rows = names.flatMap((room) =>
  ['', 'a/', 'a/b/'].flatMap((below) =>
    [...names, 'console'].map((to) => ({
      file: `${room}/${below}from-${to.replaceAll('/', '-')}.ts`,
      to: `${to}/thing.ts`,
      isAllowed: to === room || rooms[room]!.includes(to),
    })),
  ),
);

let tree: string;
let rejected: Set<string>;

beforeAll(async () => {
  tree = await realpath(await mkdtemp(join(tmpdir(), 'console-imports-')));
  await cp(join(root, 'biome.json'), join(tree, 'biome.json'));
  for (const { file, to } of rows) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    const path = relative(dirname(file), to);
    await writeFile(
      join(tree, file),
      `export { thing } from '${path.startsWith('.') ? path : `./${path}`}';\n`,
    );
  }
  rejected = await lint(tree);
});
afterAll(() => rm(tree, { recursive: true }));

test.each(names)('the linter lets files of %s import what its room may, and nothing else', (room) => {
  const wrong = rows
    .filter(({ file }) => file.startsWith(`${room}/`))
    .filter(({ file, isAllowed }) => rejected.has(file) === isAllowed)
    .map(({ file, to, isAllowed }) => `${file} → ${to}: ${isAllowed ? 'refused' : 'let through'}`);
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
  expect(roomsWithin('console/storage')).toEqual(['console/storage/embedded', 'console/storage/staged']);
  expect(rooms['console/accounts']).not.toContain('console/storage/embedded');
});

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
  return new Set(lines.map((line) => relative(cwd, /file=([^,]+),/.exec(line)![1]!)));
}
