/** Values of a line, each read as what it has to be. */
import type { Fields } from './sources/source.ts';

/** What keeps a line out; the message is for the administrator, and repeats no secret. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** What a record is checked with. */
export interface Allowed {
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly isRole: (name: string) => boolean;
  readonly isProvider: (id: string) => boolean;
  /** @throws {ProblemError} `invalid_url` */
  readonly checkOutboundUrl: (url: string, loopbackOrigins: readonly string[]) => unknown;
}

export function rejectUnknown(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new RowError(`there is no field ${shown(unknown)}; there are ${known.join(', ')}`);
}

export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new RowError(`${name} is no text`);
}

/** Files of tables write it in words. */
export function flagOf(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'yes' || value === '1') return true;
  if (value === 'false' || value === 'no' || value === '0') return false;
  throw new RowError(`${name} is neither true nor false`);
}

/** A list, or words with spaces between them. */
export function listOf(fields: Fields, name: string): readonly string[] | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value.split(' ').filter(Boolean);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new RowError(`${name} is no list of texts`);
}

/** ISO 8601, or epoch milliseconds. */
export function timeOf(fields: Fields, name: string, latest: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  const isIso = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value);
  const at = isIso ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  if (Number.isInteger(at) && at >= 0 && at <= latest) return at;
  throw new RowError(`${name} is no time of the past, such as 2024-05-31T12:00:00Z`);
}

/** The id that applications know people by: kept where it is a UUID, as other servers make them too. */
export function uuidOf(fields: Fields): string | undefined {
  const id = textOf(fields, 'id');
  if (id === undefined || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new RowError('the id is no UUID in lower case: leave it out, and it gets a new one');
}

/** Short, and without anything that a terminal would act on. */
export function shown(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '?');
  return JSON.stringify(visible.length > 64 ? `${visible.slice(0, 64)}…` : visible);
}
