/**
 * What a process elsewhere must know of tokens to tell, without asking, which of them still count: one
 * fact a line. The console writes them (`GET /api/v1/revocations`), a member proxy of its own reads them.
 */

import { jsonObject } from '../../../platform/json.ts';
import type { Party } from '../../accounts/void-marks.ts';

/** Times are epoch seconds. A later fact about the same thing replaces the earlier one. */
export type RevocationEvent =
  /** The first line. Who reads another version must not believe what follows. */
  | { readonly type: 'start'; readonly version: number }
  /** Tokens with this `jti`, or with it before the dot in theirs, are revoked; after `until` they have expired. */
  | { readonly type: 'token'; readonly jti: string; readonly until: number }
  /**
   * Tokens of this client count when issued from `from` on; without it none do. After `until` all that it makes void
   * has expired. A client that is not named has lost nothing.
   */
  | PartyEvent<'client'>
  /** The same for the `sub` of people. */
  | PartyEvent<'account'>
  /** Tokens of all people, or of all clients, that were issued before that time are void. */
  | { readonly type: 'floor'; readonly party: Party; readonly before: number }
  /** What a role opens that an administrator has defined; without it, it is defined no longer. */
  | { readonly type: 'role'; readonly name: string; readonly permissions?: readonly string[] }
  /** The key set has these keys and no others. */
  | { readonly type: 'keys'; readonly kids: readonly string[] }
  /** Pages of other origins than before may call: ask about each anew. */
  | { readonly type: 'origins' }
  /** These members, `host:port`, get no calls but those that name them, and no others; without such a line none is drained. */
  | { readonly type: 'drained'; readonly members: readonly string[] }
  /** All that holds has been told; who is not named has lost nothing. */
  | { readonly type: 'complete' }
  /** Nothing else has happened until now. */
  | { readonly type: 'alive' };

interface PartyEvent<Type extends Party> {
  readonly type: Type;
  readonly id: string;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/**
 * Version 1 named every account and client that counted, and who was not named did not count: read as that, version 2
 * would let nothing pass, and version 1 read as this would let everything.
 */
export const revocationEventsVersion = 2;
export const revocationEventsPath = '/api/v1/revocations';
/** Whether pages of `?origin=` may call. */
export const redirectOriginsPath = '/api/v1/redirect-origins';

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
  start: ({ version }) => isTime(version),
  token: ({ jti, until }) => isText(jti) && isTime(until),
  client: isParty,
  account: isParty,
  floor: ({ party, before }) => (party === 'client' || party === 'account') && isTime(before),
  role: ({ name, permissions }) => isText(name) && (permissions === undefined || isTexts(permissions)),
  keys: ({ kids }) => isTexts(kids),
  origins: () => true,
  drained: ({ members }) => isTexts(members),
  complete: () => true,
  alive: () => true,
};

function isParty({ id, from, until }: Fields): boolean {
  return isText(id) && [from, until].every((time) => time === undefined || isTime(time));
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
