/** The description of the admin API: written from the operations, valid, complete, and one that only grows. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { operations } from '../../console/admin-api/table.ts';
import { complaintsAbout } from '../../console/description/complaints.ts';
import type { AnyOperation, Description } from '../../console/description/described.ts';
import { describeApi } from '../../console/description/description.ts';
import { operation } from '../../console/operations/operation.ts';
import { version } from '../../platform/installation.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { brokenBetween } from './growth.ts';

const docs = resolve(import.meta.dirname, '../../docs');
const described = describeApi(operations, version());
const rows = Object.values(described.paths).flatMap((methods) => Object.values(methods));

describe('docs/console-openapi.yaml', () => {
  /** After a change of operations `npx vitest run test/description/console.test.ts --update` writes it anew. */
  test('is what the operations say', async () => {
    await expect(stringify(described, { aliasDuplicateObjects: false, lineWidth: 120 })).toMatchFileSnapshot(
      join(docs, 'console-openapi.yaml'),
    );
  });

  test('is a valid OpenAPI 3.1 description', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(described)));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  test('has every operation, with an id of its own, and every status with a form', () => {
    expect(rows.map(({ operationId }) => operationId).sort()).toEqual(operations.map(({ id }) => id).sort());
    expect(complaintsAbout(operations)).toEqual([]);
    const bare = rows.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status, { $ref, content }]) => status !== '204' && $ref === undefined && !content)
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(bare).toEqual([]);
  });

  test('has no pattern beside a time, no closed answers, and no union without what tells its kinds', () => {
    const times = partsOf(described).filter(({ format, pattern }) => format === 'date-time' && pattern);
    expect(times).toEqual([]);
    expect(partsOf(described).filter(({ format }) => format === 'date-time').length).toBeGreaterThan(0);
    const loose = partsOf(described.components.schemas).filter(
      ({ anyOf, oneOf }) =>
        [anyOf, oneOf].some((kinds) => Array.isArray(kinds) && kinds.filter(isObject).length > 1) &&
        !partsOf({ anyOf, oneOf }).some(({ const: only }) => only !== undefined),
    );
    expect(loose).toEqual([]);
  });

  test('has nothing that generated clients in other languages stumble over', () => {
    expect(Object.keys(described.components.schemas ?? {})).not.toContain('Map');
    const parts = partsOf(described);
    const inNoPython = parts.filter(({ pattern }) => String(pattern).includes('\\p{'));
    expect(inNoPython).toEqual([]);
    const constants = parts.filter(({ const: only, type }) => typeof only === 'number' && type !== undefined);
    expect(constants.filter(({ type }) => type !== 'integer')).toEqual([]);
    expect(constants.length).toBeGreaterThan(0);
  });

  test('has examples that its own schemas take', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(described as object, 'console');
    const bodies = rows.flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema, example }) => ({
        operationId,
        schema,
        example,
      })),
    );
    const wrong = bodies.filter(({ schema, example }) => {
      if (schema.$ref === undefined) return false;
      const check = ajv.compile({ $ref: `console${schema.$ref}` });
      return example !== undefined && !check(example);
    });
    expect(wrong).toEqual([]);
    expect(bodies.filter(({ example }) => example !== undefined).length).toBeGreaterThan(1);
    const ofMembers = partsOf(described).filter(({ examples, type }) => Array.isArray(examples) && type);
    const wrongMembers = ofMembers.filter(
      (schema) =>
        !(schema.examples as unknown[]).every((value) => ajv.validate(refsIn(schema) as object, value)),
    );
    expect(wrongMembers).toEqual([]);
    expect(ofMembers.length).toBeGreaterThan(3);
  });
});

describe('v1 only grows', () => {
  /** The description of the last release; a release writes it anew: `cp docs/console-openapi.yaml test/description/released.yaml`. */
  const released = parse(readFileSync(join(import.meta.dirname, 'released.yaml'), 'utf8')) as Description;

  test('nothing that the last release promised is gone', () => {
    expect(brokenBetween(released, described)).toEqual([]);
  });

  const small = (changed: Partial<AnyOperation> = {}, more: readonly AnyOperation[] = []) =>
    describeApi([{ ...example, ...changed }, ...more] as readonly AnyOperation[], '1');

  test('what is added breaks nothing', () => {
    const wider = small({
      body: z.strictObject({
        size: z.number().max(9),
        kind: z.enum(['a', 'b', 'c']),
        note: z.string().exactOptional(),
      }),
      answer: z
        .strictObject({ id: z.string(), kind: z.enum(['a', 'b', 'c']), more: z.int() })
        .meta({ id: 'ThingWide' }),
    });
    expect(brokenBetween(small(), wider)).toEqual([]);
    expect(
      brokenBetween(small(), small({}, [{ ...example, id: 'otherThing', path: '/others/{thing}' }])),
    ).toEqual([]);
  });

  const answered = (shape: z.core.$ZodLooseShape) => z.strictObject(shape).meta({ id: 'ThingNow' });
  test.each<[string, Description, string]>([
    ['an operation', describeApi([], '1'), 'is gone'],
    ['its name', small({ id: 'changeThing' }), 'is called changeThing now'],
    ['a member of an answer', small({ answer: answered({ kind: z.enum(['a', 'b']) }) }), '.id: is gone'],
    [
      'its form',
      small({ answer: answered({ id: z.number(), kind: z.enum(['a', 'b']) }) }),
      'may now be number',
    ],
    [
      'a value of it',
      small({ answer: answered({ id: z.string(), kind: z.enum(['a']) }) }),
      'has no more the value b',
    ],
    [
      'a member of a body',
      small({ body: z.strictObject({ kind: z.enum(['a', 'b']) }) }),
      '.size: is not taken any more',
    ],
    [
      'a value that is taken',
      small({ body: z.strictObject({ size: z.number().max(5), kind: z.enum(['a']) }) }),
      'does not take b',
    ],
    [
      'room',
      small({ body: z.strictObject({ size: z.number().max(4), kind: z.enum(['a', 'b']) }) }),
      'maximum is tighter',
    ],
    [
      'freedom',
      small({
        body: z.strictObject({ size: z.number().max(5), kind: z.enum(['a', 'b']), note: z.string() }),
      }),
      '.note: has to be given',
    ],
    ['a parameter', small({ query: z.strictObject({}) }), 'query q is gone'],
    ['a status', small({ statuses: [202] }), 'does not answer 200'],
    ['a role', small({ access: 'write' }), 'wants other scopes'],
  ])('%s that is taken away is found', (_what, after, said) => {
    expect(brokenBetween(small(), after)).toEqual(expect.arrayContaining([expect.stringContaining(said)]));
  });
});

const example = operation({
  id: 'updateThing',
  method: 'PATCH',
  path: '/things/{thing}',
  summary: 'Changes a thing.',
  access: 'read',
  params: z.strictObject({ thing: z.string() }),
  query: z.strictObject({ q: z.string().exactOptional() }),
  body: z.strictObject({ size: z.number().max(5).meta({ example: 1 }), kind: z.enum(['a', 'b']) }),
  answer: z.strictObject({ id: z.string(), kind: z.enum(['a', 'b']) }).meta({ id: 'Thing' }),
  run: async () => ({}),
}) as AnyOperation;

describe('an operation that cannot be described', () => {
  test.each<[string, Partial<AnyOperation>, string]>([
    ['no summary', { summary: '' }, 'summary'],
    ['an answer without an id', { answer: z.strictObject({}) }, 'its view has no id'],
    ['a read without an answer', { method: 'GET', answer: undefined as never }, 'no answer schema'],
    ['a change without an event', { access: 'write' }, 'no event'],
    ['a path with other parameters', { path: '/things/{other}' }, 'params'],
    ['a body without examples', { body: z.strictObject({ size: z.number() }) }, 'no example'],
    ['an id that is no verb and object', { id: 'thing' }, 'id'],
  ])('with %s is found', (_what, change, said) => {
    expect(complaintsAbout([{ ...example, ...change }])).toEqual([expect.stringContaining(said)]);
  });

  test('that is there twice is found', () => {
    expect(complaintsAbout([example, example])).toHaveLength(2);
  });
});

describe('a running console', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test.each([
    ['/api/openapi.json', described],
    ['/api/members-openapi.json', membersDescribed()],
  ])('%s is given to everybody, and not again to who has it', async (path, content) => {
    const answer = await fetch(console.url + path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(content)));
    const again = await fetch(console.url + path, {
      headers: { 'If-None-Match': answer.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    const changed = await fetch(console.url + path, { method: 'DELETE' });
    expect([changed.status, changed.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

/** The same as of a member, through the console first. */
function membersDescribed(): object {
  const members = parse(readFileSync(join(docs, 'member-openapi.yaml'), 'utf8')) as { servers: object[] };
  const here = { url: '/', description: 'through the console that gave this description' };
  return { ...members, servers: [here, ...members.servers] };
}

function partsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(partsOf);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

function isObject(schema: Readonly<Record<string, unknown>>): boolean {
  return '$ref' in schema || schema.type === 'object';
}

/** For a schema that stands alone. */
function refsIn(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"console#/components'));
}
