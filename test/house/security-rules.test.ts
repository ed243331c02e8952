/**
 * docs/security-rules.md and the code, held together: every number that is cited has its row, and every row
 * tests that are there and cite it. `UPDATE_DOCS=1` writes the tests of each row anew.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exists, read, root, sources } from './sources.ts';

const page = 'docs/security-rules.md';

/** `S256` is a method of PKCE; a fault's number stands before a colon or in brackets, as in test titles. */
const rule = /\bS(?!256\b)[1-9]\d{0,2}\b/g;
const fault = /(?<![%\w])[A-D][1-9]\d?(?=(?:, ?[A-DS]\d{1,3})*[:)])/g;

const citing = sources.filter(({ path }) => path !== page);
/** Files in which something is tested, a suite that several files run included. */
const tests = citing.filter(
  ({ path, text }) => path.startsWith('test/') && /\b(?:test|describe)\b/.test(text),
);

interface Row {
  readonly number: string;
  readonly says: string;
  readonly files: readonly string[];
}
const rows = rowsOf(read(page));

if (process.env.UPDATE_DOCS) writeFileSync(join(root, page), withTests(read(page)));

test.each([
  { what: 'rule', pattern: rule, where: citing, isOne: (number: string) => number.startsWith('S') },
  { what: 'fault', pattern: fault, where: tests, isOne: (number: string) => !number.startsWith('S') },
])('every number of a $what that is cited has its row, in order and once', ({ pattern, where, isOne }) => {
  const listed = rowsOf(read(page))
    .map(({ number }) => number)
    .filter(isOne);
  expect(listed).toEqual([...new Set(listed)].sort(byNumber));
  const unknown = where.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map(([number]) => number)
      .filter((number) => !listed.includes(number))
      .map((number) => `${path}: ${number}`),
  );
  expect(unknown).toEqual([]);
});

describe.each(rowsOf(read(page)).map((row) => [row.number, row] as const))(
  '%s',
  (number, { says, files }) => {
    test('is said in one sentence', () => expect(says).toMatch(/^\S.*[^.]\.$/));

    test('has tests, which are there and cite it', () => {
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !exists(file))).toEqual([]);
      expect(files.filter((file) => !cites(read(file), number))).toEqual([]);
    });
  },
);

function rowsOf(text: string): Row[] {
  return [...text.matchAll(/^\| ([A-DS]\d{1,3}) \| (.*) \| (.*)\|$/gm)].map(([, number, says, files]) => ({
    number: number!,
    says: says!,
    files: [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!),
  }));
}

function withTests(text: string): string {
  return rows.reduce((written, { number, says }) => {
    const files = tests.filter((file) => cites(file.text, number)).map(({ path }) => `\`${path}\``);
    return written.replace(
      new RegExp(`^\\| ${number} \\| .*$`, 'm'),
      () => `| ${number} | ${says} | ${files.join(', ')} |`,
    );
  }, text);
}

function cites(text: string, number: string): boolean {
  return [...text.matchAll(number.startsWith('S') ? rule : fault)].some(([cited]) => cited === number);
}

function byNumber(a: string, b: string): number {
  return a.charCodeAt(0) - b.charCodeAt(0) || Number(a.slice(1)) - Number(b.slice(1));
}
