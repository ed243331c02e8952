/** Words that are retired come back neither as identifiers nor as names of files. */
import { basename, extname } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { type Source, sources } from './sources.ts';
import { kept, retired, terms } from './words.ts';

/** Production code, benches and test helpers; not the tests themselves. */
const files = sources.filter(
  ({ path }) =>
    /^(?:access-tokens|bench|bin|console|dashboard|http|member|member-proxy|platform|test|views)\//.test(
      path,
    ) &&
    /\.[cm]?[jt]sx?$/.test(path) &&
    !/\.test\.[jt]sx?$/.test(path) &&
    path !== 'test/house/words.ts',
);
const termPatterns = terms.map((term) => new RegExp(` ${term}s? `, 'g'));
/** Each name once, with the files in which it is. */
const names = new Map<string, { readonly words: string; readonly paths: string[] }>();
for (const source of files) {
  for (const name of namesIn(source)) {
    const known = names.get(name);
    if (known) known.paths.push(source.path);
    else names.set(name, { words: wordsOf(name), paths: [source.path] });
  }
}

test.each(Object.entries(retired))('nothing is called "%s" any more: say %s', (word) => {
  expect(files.length).toBeGreaterThan(700);
  const pattern = patternOf(word);
  const found = [...names].filter(([name, { words }]) => !Object.hasOwn(kept, name) && pattern.test(words));
  expect(found.map(([name, { paths }]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
});

test('names that stay are in use, and would be found otherwise', () => {
  const needless = Object.keys(kept).filter(
    (name) => !names.has(name) || !Object.keys(retired).some((word) => has(name, word)),
  );
  expect(needless).toEqual([]);
});

test.each([
  ['lane', 'laneOf', true],
  ['lane', 'fast-lane', true],
  ['lane', 'openFastLanes', true],
  ['lane', 'HTTP_LANE', true],
  ['lane', 'planeOf', false],
  ['token view', 'createTokenView', true],
  ['token view', 'viewOfToken', false],
  ['token view', 'tokenReview', false],
  ['mark', 'voidMarksOf', false],
  ['mark', 'markOfVoid', true],
])('"%s" is found in %s: %s', (word, name, isFound) => {
  expect(has(name, word)).toBe(isFound);
});

function has(name: string, word: string): boolean {
  return patternOf(word).test(wordsOf(name));
}

function patternOf(word: string): RegExp {
  return new RegExp(` ${word.replaceAll(' ', 's? ')}s? `);
}

/** `readHTTPHead`, `read-http-head` and `READ_HTTP_HEAD` are the same words: with a space around each, terms apart. */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .join(' ')
    .toLowerCase();
  return termPatterns.reduce((rest, term) => rest.replaceAll(term, '  '), ` ${words} `);
}

/** Its own name, and every identifier in it. */
function namesIn({ path, text }: Source): ReadonlySet<string> {
  const found = new Set([basename(path, extname(path))]);
  visit(parseSync(path, text).program);
  return found;

  function visit(node: unknown): void {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
    if (typeof name === 'string' && /Identifier$/.test(String(type)) && !isSetting(name)) found.add(name);
    Object.values(node).forEach(visit);
  }
}

/** Of the environment: such a name is the user's. */
function isSetting(name: string): boolean {
  return name.startsWith('CONSOLE_');
}
