/** What came, checked by a schema: all that is wrong at once, and none of its values, which may be secrets (S53). */
import type { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { inPlainWords } from './plain-issues.ts';

export interface InputError {
  /** RFC 6901, with `#` before it; of the query `?name`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/**
 * @param where  what the pointers begin with: `#` for a body, `?` for the query
 * @param under  names of the members in which `value` stands
 * @throws {ProblemError} `invalid_request` whose `errors` name each member that is wrong
 */
export function checkInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  where: '#' | '?',
  under: readonly string[] = [],
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...under, ...issue.path] }));
  throw invalidInput(issues.flatMap((issue) => errorsOf(issue, schema, where)));
}

/** @param errors  at least one */
export function invalidInput(errors: readonly InputError[]): ProblemError {
  const said = errors.map(({ pointer, code, detail }) => `${nameOf(pointer, code)} (${detail})`);
  return new ProblemError(problems.invalidRequest, `Not as it should be: ${[...new Set(said)].join(', ')}.`, {
    members: { errors },
  });
}

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType, where: string): InputError[] {
  const at = issue.path.map((part) => (where === '#' ? `/${escaped(String(part))}` : String(part))).join('');
  if (issue.code !== 'unrecognized_keys') {
    return [{ pointer: where + at, code: issue.code, detail: inPlainWords(issue.message) }];
  }
  // The name itself may be a value in the wrong place.
  const known = at === '' && 'shape' in schema ? Object.keys(schema.shape as object) : [];
  const detail = known.length > 0 ? `known are ${known.join(', ')}` : 'a member that is not known';
  return [{ pointer: where + at, code: 'unknown_member', detail }];
}

function nameOf(pointer: string, code: string): string {
  if (code === 'unknown_member') return 'a member that is not known';
  const name = pointer.slice(pointer.startsWith('#') ? 2 : 1).replaceAll('/', '.');
  return name || (pointer.startsWith('#') ? 'the body' : 'the query');
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
