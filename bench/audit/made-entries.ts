/** Entries as consoles write them, of each number the same: who knows the number knows what to ask for. */
import { createHash } from 'node:crypto';
import type { EntryFields } from '../../console/audit/entry.ts';

const periodMs = 30 * 24 * 60 * 60 * 1000;
const end = Date.parse('2026-11-22T00:00:00Z');

/** Spread over thirty days. @param size  of all entries */
export function timeOf(i: number, size: number): number {
  return end - periodMs + Math.floor((i / size) * periodMs);
}

/** Of a hundred entries. */
const tokens = 48;
const calls = 92;
const denied = 96;
const signIns = 99;

/**
 * What consoles write, in the portions in which they do: tokens and the writing calls made with them, denials, sign-ins, and
 * now and then a change.
 */
export function fieldsOf(i: number): EntryFields {
  const kind = i % 100;
  if (kind < tokens) return tokenIssued(i);
  if (kind < calls) return memberCall(i, false);
  if (kind < denied) return memberCall(i, true);
  return kind < signIns ? signIn(i) : clientUpdated(i);
}

/** The denial of the hundred that an entry is of. */
export const deniedAt = (i: number) => i - (i % 100) + calls;
export const clientOf = (i: number) => `machine-${String(scattered(i, 200)).padStart(4, '0')}`;
export const personOf = (i: number) => `person-${String(scattered(i, 1000)).padStart(5, '0')}`;
export const mapOf = (i: number) => `orders-${scattered(i, 500)}`;
export const memberOf = (i: number) => `http://10.4.0.${scattered(i, 10)}:5701`;
export const decisionOf = (i: number) => `${randomText(`d${i}`).slice(0, 9)}.0.${i % 1000}`;
/** Of a call, by its trace. */
export const traceOf = (i: number) => createHash('md5').update(`trace ${i}`).digest('hex');
/** So that some calls have the token of an entry before them. */
const tokenOf = (i: number) => uuid(i - (i % 100) + (i % tokens));

function tokenIssued(i: number): EntryFields {
  return {
    event: 'token.issued',
    outcome: 'success',
    actor: { kind: 'client', id: clientOf(i) },
    source: sourceOf(clientOf(i)),
    requestId: requestOf(i),
    tokenId: tokenOf(i),
    detail: { grantType: 'client_credentials' },
  };
}

function memberCall(i: number, isDenied: boolean): EntryFields {
  const client = clientOf(i - (i % 100) + (i % tokens));
  const key = scattered(i, 100_000);
  return {
    event: 'member.call',
    outcome: isDenied ? 'denied' : 'success',
    actor: { kind: 'client', id: client },
    object: { kind: 'map', id: mapOf(i) },
    source: sourceOf(client),
    requestId: requestOf(i),
    client,
    traceId: traceOf(i),
    tokenId: tokenOf(i),
    ...(isDenied ? { decisionId: decisionOf(i) } : { member: memberOf(i) }),
    permission: 'svc:data:write',
    ...(isDenied && { missing: 'svc:data:write' }),
    reason: isDenied ? 'missing_scope' : 'forwarded',
    status: isDenied ? 403 : 200,
    ms: scattered(i, 90) / 10,
    detail: {
      method: 'POST',
      path: `/svc/rest/maps/${mapOf(i)}/${key}`,
      route: '/svc/rest/maps/{mapName}/{key...}',
    },
  };
}

function signIn(i: number): EntryFields {
  return {
    event: 'login',
    outcome: i % 7 === 0 ? 'failure' : 'success',
    actor: { kind: 'user', id: personOf(i), via: 'page' },
    source: sourceOf(personOf(i)),
    requestId: requestOf(i),
  };
}

function clientUpdated(i: number): EntryFields {
  return {
    event: 'client.updated',
    outcome: 'success',
    actor: { kind: 'user', id: personOf(i), session: `ses_${randomText(`s${i}`).slice(0, 8)}`, via: 'page' },
    object: { kind: 'client', id: clientOf(i) },
    change: {
      scopes: { add: [`svc:map:${mapOf(i)}:read`], remove: ['svc:map:*:read'] },
    },
    source: sourceOf(personOf(i)),
    requestId: requestOf(i),
  };
}

/** Each caller has its address. */
const sourceOf = (name: string) => `10.3.${Number(name.slice(-4)) >> 8}.${Number(name.slice(-4)) & 255}`;
const requestOf = (i: number) => `${randomText(`q${Math.floor(i / 100_000)}`).slice(0, 8)}-${i.toString(36)}`;

/** Spread over so many, and the same at each call. */
function scattered(i: number, size: number): number {
  return (Math.imul(i ^ (i >>> 15), 0x9e3779b1) >>> 8) % size;
}

function uuid(i: number): string {
  const hex = createHash('md5').update(`token ${i}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}

function randomText(of: string): string {
  return createHash('md5').update(of).digest('base64url');
}
