/**
 * What a process elsewhere must know of tokens to tell, without asking, which of them still count: one
 * fact a line. The console writes them (`GET /api/v1/revocations`), a member proxy of its own reads them.
 */

import { jsonObject } from '../../../platform/json.ts';
/** Times are epoch seconds. A later fact about the same thing replaces the earlier one. */
export type RevocationEvent =
  /** Tokens with this `jti`, or with it before the dot in theirs, are revoked; after `until` they have expired. */
  | { readonly type: 'token'; readonly jti: string; readonly until: number }
  /** Tokens of this client count when issued from `from` on; without it none do. */
  | { readonly type: 'client'; readonly id: string; readonly from?: number }
  /** The same for the `sub` of people. */
  | { readonly type: 'account'; readonly id: string; readonly from?: number }
  /** What a role opens that an administrator has defined; without it, it is defined no longer. */
  | { readonly type: 'role'; readonly name: string; readonly permissions?: readonly string[] }
  /** The key set has these keys and no others. */
  | { readonly type: 'keys'; readonly kids: readonly string[] }
  /** Pages of these origins and no others may call. */
  | { readonly type: 'origins'; readonly origins: readonly string[] }
  /** All that holds has been told; who is not named is not known. */
  | { readonly type: 'complete' }
  /** Nothing else has happened until now. */
  | { readonly type: 'alive' };
export const revocationEventsPath = '/api/v1/revocations';

/**
 * How often the console says that nothing has happened, milliseconds. So much shorter than set is the time of grace of
 * one who has just lost the console, for nobody can count it from anything but the last word.
 */
export const aliveMs = 100;

/** @returns undefined for what is not known: a later version may tell more */
export function readRevocationEvent(line: string): RevocationEvent | undefined {
  const value = jsonObject(line);
  if (typeof value?.type !== 'string' || !Object.hasOwn(fits, value.type)) return undefined;
  const event = value as RevocationEvent;
  return fits[event.type](value) ? event : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const fits: Readonly<Record<RevocationEvent['type'], (fields: Fields) => boolean>> = {
  token: ({ jti, until }) => isText(jti) && isTime(until),
  client: isParty,
  account: isParty,
  role: ({ name, permissions }) => isText(name) && (permissions === undefined || isTexts(permissions)),
  keys: ({ kids }) => isTexts(kids),
  origins: ({ origins }) => isTexts(origins),
  complete: () => true,
  alive: () => true,
};

function isParty({ id, from }: Fields): boolean {
  return isText(id) && (from === undefined || isTime(from));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value);
}
