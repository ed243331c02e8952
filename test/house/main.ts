/**
 * `npm run house`: what the issue of the house is measured by. `-- --write` brings the import rules of `biome.json` up
 * to the table in `rooms.ts`. Exits 1 where a bound is passed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cyclesOf,
  largeFolders,
  longFunctions,
  mostFiles,
  mostFunctionLines,
  readSources,
  root,
  testShares,
} from './modules.ts';
import { importRules, roomOf, rooms } from './rooms.ts';

const mostLines = 34_000;

if (process.argv.includes('--write')) writeRules();
const sources = readSources();
const folders = largeFolders(sources);
const functions = longFunctions(sources);
const cycles = cyclesOf(sources);
const total = sources.reduce((sum, { lines }) => sum + lines, 0);
const byRoom = Object.keys(rooms).map((room) => {
  const own = sources.filter(({ file }) => roomOf(file) === room);
  return `${room} ${own.reduce((sum, { lines }) => sum + lines, 0)} (${own.length})`;
});
const shares = testShares().map(
  ({ folder, codeLines, testLines }) =>
    `${folder} ${(testLines / codeLines).toFixed(2)} (${testLines} for ${codeLines})`,
);

console.log(`production code: ${sources.length} files, ${total} lines without comments (goal ${mostLines})`);
console.log(`lines by room (files): ${byRoom.join(', ')}`);
console.log(`lines of tests for one of code, both without comments: ${shares.join(', ')}`);
report(`folders with more than ${mostFiles} files`, folders);
report(`functions of more than ${mostFunctionLines} lines`, functions);
report(
  'cycles between files, types included',
  cycles.map((files) => files.join(' ')),
);
process.exitCode = folders.length + functions.length + cycles.length > 0 ? 1 : 0;

function report(what: string, found: readonly string[]): void {
  console.log(`${what}: ${found.length === 0 ? 'none' : found.length}`);
  for (const one of found) console.log(`  ${one}`);
}

function writeRules(): void {
  const file = join(root, 'biome.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const others = config.overrides.filter(
    ({ linter }: { linter: { rules: { style?: { noRestrictedImports?: object } } } }) =>
      linter.rules.style?.noRestrictedImports === undefined,
  );
  config.overrides = [...others, ...importRules()];
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
}
