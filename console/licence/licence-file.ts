/** A licence as an administrator brings it: a JSON object in a file. */
import { ProblemError, problems } from '../../platform/errors.ts';

export interface Licence {
  readonly id: string;
  readonly holder: string;
  readonly edition: string;
  /** Epoch seconds; absent: it does not end. */
  readonly expiresAt?: number;
}

/** What receivers take. */
const longestText = 200;
const members = ['id', 'holder', 'edition', 'expiresAt'];

/**
 * @param now  epoch milliseconds
 * @throws {ProblemError} `invalid_request` with what is wrong, when it is no licence or one that has ended
 */
export function parseLicence(text: string, now: number): Licence {
  const content = parseObject(text);
  const unknown = Object.keys(content).find((name) => !members.includes(name));
  if (unknown !== undefined)
    throw invalid(`It may hold ${members.join(', ')} and nothing else; something else is in it.`);
  const { expiresAt } = content;
  return {
    id: textOf(content, 'id'),
    holder: textOf(content, 'holder'),
    edition: textOf(content, 'edition'),
    ...(expiresAt === undefined ? {} : { expiresAt: endOf(expiresAt, now) }),
  };
}

function parseObject(text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw invalid('It is not JSON.', cause);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw invalid('It is not a JSON object.');
  return content as Record<string, unknown>;
}

function textOf(content: Readonly<Record<string, unknown>>, name: string): string {
  const value = content[name];
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= longestText;
  if (!isText || /\p{C}/u.test(value))
    throw invalid(`Its ${name} must be text of 1 to ${longestText} visible characters.`);
  return value;
}

/** Epoch seconds, or a date with a time and a zone (RFC 3339). */
function endOf(value: unknown, now: number): number {
  const isDate =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  const seconds = isDate ? Math.floor(Date.parse(value) / 1000) : value;
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds))
    throw invalid('Its expiresAt must be a time such as 2030-12-31T23:59:59Z, or whole seconds since 1970.');
  if (seconds * 1000 <= now) throw invalid(`It ended at ${new Date(seconds * 1000).toISOString()}.`);
  return seconds;
}

function invalid(why: string, cause?: unknown): ProblemError {
  return new ProblemError(problems.invalidRequest, `The licence cannot be taken. ${why}`, { cause });
}
