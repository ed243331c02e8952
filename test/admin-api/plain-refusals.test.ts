/** What a refused member is told: what it may be, in words, and never the pattern or the schema that it does not fit. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../../console/admin-api/table.ts';
import { checkInput } from '../../console/operations/input-check.ts';
import { ProblemError } from '../../platform/errors.ts';
import { asSentence, saidIn } from '../../views/texts/text.ts';

interface Def {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly [name: string]: unknown;
}

interface Check {
  readonly check: string;
  readonly format?: string;
  readonly error?: unknown;
  readonly pattern?: RegExp;
}

/** Patterns without words of their own, by where they stand. */
function* mute(schema: unknown, at: string, seen = new Set<unknown>()): Generator<string> {
  if (!(schema instanceof z.ZodType) || seen.has(schema)) return;
  seen.add(schema);
  const def = schema._zod.def as unknown as Def;
  const own = def as unknown as Check;
  for (const check of [own, ...(def.checks ?? []).map(({ _zod }) => _zod.def)])
    if (check.format === 'regex' && check.error === undefined) yield `${at} ${check.pattern?.source}`;
  for (const [name, one] of Object.entries(def)) {
    if (name === 'getter') yield* mute((one as () => unknown)(), at, seen);
    else if (name === 'shape')
      for (const [member, inner] of Object.entries(one as object))
        yield* mute(inner, `${at}.${member}`, seen);
    else if (Array.isArray(one)) for (const inner of one) yield* mute(inner, at, seen);
    else yield* mute(one, at, seen);
  }
}

test('each pattern of a body and of a query says in words what it takes', () => {
  const found = operations.flatMap(({ id, body, query }) => [
    ...mute(body, `${id} body`),
    ...mute(query, `${id} query`),
  ]);
  expect(found).toEqual([]);
});

/** Values of which at least one fits into no field. */
const wrong = [null, 7.5, -1, 1e12, '', 'x'.repeat(9000), '<b>', 'ä ö/\\"', [], [7], ['', ''], {}, true];

/** @returns of each member that is wrong */
function detailsOf(schema: z.ZodType, value: unknown): readonly string[] {
  try {
    checkInput(schema, value, '#');
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { errors } = error.members as { errors: readonly { detail: string }[] };
    expect(error.message).not.toMatch(librarys);
    return errors.map(({ detail }) => detail);
  }
}

const librarys = /must match|expected|received|^Invalid |Too (?:small|big)|[*+?]\$|\^\[/;

const checked = operations.filter(({ body, query }) => body ?? query);
test.each(checked.map(({ id, body, query }) => [id, body ?? query!] as const))(
  '%s tells each member in words, in German too',
  (_id, schema) => {
    const names = 'shape' in schema ? Object.keys(schema.shape as object) : [];
    const inputs = [...wrong, ...names.flatMap((name) => wrong.map((value) => ({ [name]: value })))];
    const details = [...new Set(inputs.flatMap((input) => detailsOf(schema, input)))];
    expect(details.filter((detail) => librarys.test(detail))).toEqual([]);
    const unsaid = details.filter(
      (detail) =>
        !detail.startsWith('known are') && !saidIn('de', detail) && !saidIn('de', asSentence(detail)),
    );
    expect(unsaid).toEqual([]);
  },
);
