/** What is said elsewhere too, and shown on pages: summaries of the API, what checks say, and what problems say. All of it has its German. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { operations } from '../../console/admin-api/table.ts';
import { memberCallsInGerman, memberGroupsInGerman } from '../../views/texts/de/api/member-calls.ts';
import { operationsInGerman } from '../../views/texts/de/api/operations.ts';
import { saidBySchemasInGerman } from '../../views/texts/de/api/said-checks.ts';
import { saidIn } from '../../views/texts/text.ts';

const root = join(import.meta.dirname, '../..');

/** As forms say it: as it came, or as a sentence. */
function isSaid(text: string): boolean {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
  return saidIn('de', text) !== undefined || saidIn('de', sentence) !== undefined;
}

describe('the descriptions of both interfaces', () => {
  test('have a German summary for each operation of the admin API, and for no other', () => {
    expect(Object.keys(operationsInGerman).sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  test('have one for each call to members, and for each group', () => {
    const { paths, tags } = parse(readFileSync(join(root, 'docs/member-openapi.yaml'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
      tags: { name: string }[];
    };
    const ids = Object.values(paths).flatMap((ways) =>
      Object.values(ways).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(Object.keys(memberCallsInGerman).sort()).toEqual(ids.sort());
    expect(Object.keys(memberGroupsInGerman).sort()).toEqual(tags.map(({ name }) => name).sort());
  });

  test.each(Object.entries({ ...operationsInGerman, ...memberCallsInGerman }))(
    '%s is one sentence of German',
    (_id, text) => {
      expect(text).toMatch(/^[A-ZÄÖÜ]/);
      expect(text).not.toMatch(/\b(?:the|and|which|Lists|Shows|Gives|`)\b/);
    },
  );
});

describe('what schemas say by themselves', () => {
  const object = z.strictObject({ a: z.string() });
  const messages = [
    [z.string().min(3), ''],
    [z.string().max(3), 'aaaa'],
    [z.array(z.string()).min(3), []],
    [z.array(z.string()).max(0), ['']],
    [z.number().min(3), 1],
    [z.number().positive(), 0],
    [z.number().max(3), 7],
    [z.number().lt(3), 7],
    [z.enum(['a', 'b']), 'c'],
    [z.string(), 7],
    [object, null],
    [z.literal('a'), 'b'],
    [z.string().regex(/^a$/), 'b'],
    [z.iso.datetime(), 'b'],
    [z.url(), 'b'],
    [z.email(), 'b'],
    [z.base64(), '%'],
    [z.union([z.string(), z.number()]), null],
  ] as const;
  const said = messages.map(([schema, value]) => schema.safeParse(value).error!.issues[0]!.message);

  test.each(said)('%s', (message) => {
    expect(saidIn('de', message)).toBeDefined();
    expect(saidIn('de', message)).not.toBe(message);
  });

  test('is what the library says today: nothing is left of another release of it', () => {
    const used = new Set(said.map((message) => saidIn('de', message)!));
    const unused = Object.entries(saidBySchemasInGerman).filter(
      ([, german]) => ![...used].some((text) => new RegExp(`^${escaped(german)}$`, 's').test(text)),
    );
    expect(unused.map(([english]) => english)).toEqual([]);
  });
});

function escaped(text: string): string {
  const plain = text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return plain.replaceAll('{n}', '\\d+').replace(/\{\w+\}/g, '.+');
}

/** Values of which at least one fits into no field. */
const wrong = [null, 7.5, -1, 1e12, '', 'x'.repeat(9000), '<b>', [], [7], ['', ''], {}, true];

describe('what checks of the admin API say', () => {
  const checked = operations.filter(({ body, query }) => body ?? query);
  test.each(checked.map(({ id, body, query }) => [id, body ?? query!] as const))('%s', (_id, schema) => {
    const names = 'shape' in schema ? Object.keys(schema.shape as object) : [];
    const inputs = [...wrong, ...names.flatMap((name) => wrong.map((value) => ({ [name]: value })))];
    const issues = inputs.flatMap((input) => schema.safeParse(input).error?.issues ?? []);
    const messages = issues.filter(({ code }) => code !== 'unrecognized_keys').map(({ message }) => message);
    expect([...new Set(messages)].filter((message) => !isSaid(message))).toEqual([]);
  });
});

/** Rooms whose answers come to pages. */
const rooms = [
  'access',
  'accounts',
  'admin-api',
  'approvals',
  'audit',
  'clients',
  'configuration',
  'federation',
  'installation',
  'jobs',
  'keys',
  'licence',
  'login',
  'members',
  'operations',
  'usage',
];
/** Made of what others say, or of kinds that have sentences of their own. */
const madeElsewhere = [/^7 7\.$/, /^There is no 7 7\.$/];
/** What the console says of lines of an import; files of other programs are read by commands alone. */
const ofLines = [
  ...['fields', 'target', 'user-rows', 'client-rows', 'row-keys', 'sources/csv', 'sources/json-lines'],
  'sources/source',
].map((name) => `console/bulk/${name}.ts`);
const ofHashes = ['argon2', 'bcrypt', 'from-ldap', 'hashes', 'pbkdf2', 'phc', 'scrypt'].map(
  (name) => `console/accounts/password-hashes/${name}.ts`,
);

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

test.each(rooms)('what problems of console/%s say', (room) => {
  const folder = join(root, 'console', room);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const said = files.flatMap((name) => sentencesIn(readFileSync(join(folder, name), 'utf8'), name));
  const left = said.filter((text) => !isSaid(text) && !madeElsewhere.some((form) => form.test(text)));
  expect([...new Set(left)]).toEqual([]);
});

test.each([...ofLines, ...ofHashes])('what %s says of lines of an import', (name) => {
  const said = sentencesIn(readFileSync(join(root, name), 'utf8'), name);
  expect([...new Set(said)].filter((text) => !isSaid(text))).toEqual([]);
});

test('such sentences are found where there are some', () => {
  const problem = 'throw new ProblemError(problems.x, `There are $' + '{n} of $' + '{what}.`);';
  const text = `${problem} z.string().regex(/a/, 'no a')`;
  expect(sentencesIn(text, 'a.ts')).toEqual(['There are 7 of 7.', 'no a']);
});

/** Of problems, and of checks that say what is wrong: a number stands for each gap. */
function sentencesIn(source: string, name: string): string[] {
  const found: (string | undefined)[] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { type, callee, arguments: given = [] } = node as Node & { callee?: Node; arguments?: Node[] };
    if (type === 'NewExpression' && callee?.name === 'ProblemError') found.push(...textsOf(given[1]));
    const isOfLine = ['RowError', 'SourceError', 'InvalidHashError', 'tooCostly'].includes(
      String(callee?.name),
    );
    if (isOfLine) found.push(...textsOf(given[0]));
    const { key, value } = node as { key?: Node; value?: Node };
    if (type === 'Property' && key?.name === 'reason' && ofLines.includes(name))
      found.push(...textsOf(value));
    const method = (callee?.property as Node | undefined)?.name as string | undefined;
    const isCheck = ['regex', 'refine', 'min', 'max', 'length'].includes(method ?? '');
    if (type === 'CallExpression' && isCheck && given.length > 1) found.push(...textsOf(given.at(-1)));
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(name, source).program);
  return found.filter((text) => text !== undefined && text.length > 3) as string[];
}

function textsOf(node: Node | undefined): readonly (string | undefined)[] {
  if (node?.type === 'ConditionalExpression') {
    return [...textsOf(node.consequent as Node), ...textsOf(node.alternate as Node)];
  }
  if (node?.type === 'Literal') return [typeof node.value === 'string' ? node.value : undefined];
  if (node?.type !== 'TemplateLiteral') return [];
  const quasis = node.quasis as { readonly value: { readonly cooked: string } }[];
  return [quasis.map(({ value }) => value.cooked).join('7')];
}
