/** Bodies checked by a schema. What an error says holds no value of the body, which may be a secret in the wrong place. */
import type { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';

/**
 * @param schema  strict: a member that it does not know is refused
 * @throws {ProblemError} `invalid_request` that says which members are not as they should be, and why
 */
export function parseBody<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, code, message }) =>
    code === 'unrecognized_keys'
      ? `a member that is not known (known are ${Object.keys(schema.shape).join(', ')})`
      : `${path.join('.') || 'the body'} (${message})`,
  );
  throw new ProblemError(problems.invalidRequest, `Not as it should be: ${[...new Set(wrong)].join(', ')}.`);
}
