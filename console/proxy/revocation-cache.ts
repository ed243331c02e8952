/**
 * What this process knows of tokens, from the console's revocation stream: enough to answer on each call, from memory,
 * what the console itself would (S34). It knows how old its knowledge is, and says so.
 */
import type { KeyObject } from 'node:crypto';
import type { TokenIdentity } from '../../access-tokens/verify-token.ts';
import type { RevocationEvent } from '../tokens/revocation-stream/revocation-event.ts';
import type { ForWorker, PublicJwk } from './messages.ts';
import { readVerificationKey, type VerificationKey } from './public-keys.ts';

export interface RevocationCache {
  /** Takes over what is new, and tells listeners. */
  take(message: Extract<ForWorker, { type: 'state' | 'events' | 'keys' }>): void;
  /** Everything that is known, for another process. */
  state(): Extract<ForWorker, { type: 'state' }>;
  /** Whether the knowledge is complete and of the last few seconds: otherwise no token may pass. */
  isCurrent(): boolean;
  /** Seconds since the console was heard; Infinity before. */
  age(): number;
  isRevoked(token: TokenIdentity): boolean;
  findKey(name: { readonly kid: string; readonly alg: string }): KeyObject | undefined;
  hasKey(kid: string): boolean;
  permissionsOf(role: string): readonly string[] | undefined;
  origins(): ReadonlySet<string>;
  /** Tells that something has changed. @returns a function that ends the subscription */
  onChange(listener: () => void): () => void;
}

export interface RevocationCacheDeps {
  /** How old knowledge may be, seconds. */
  readonly graceSeconds: number;
  /** Milliseconds of the clock that all processes of this machine share, and nobody sets. */
  readonly monotonic: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Facts by what they are about. */
interface Facts {
  readonly revoked: Map<string, number>;
  /** Epoch seconds from which on tokens count, by client and by account. */
  readonly clients: Map<string, number>;
  readonly accounts: Map<string, number>;
  readonly roles: Map<string, readonly string[]>;
  origins: ReadonlySet<string>;
  kids: readonly string[];
}

export function createRevocationCache({
  graceSeconds,
  monotonic,
  now,
}: RevocationCacheDeps): RevocationCache {
  const listeners = new Set<() => void>();
  let facts = nothing();
  let keys: ReadonlyMap<string, VerificationKey> = new Map();
  let published: readonly PublicJwk[] = [];
  let receivedAt: number | undefined;

  const age = () => (receivedAt === undefined ? Number.POSITIVE_INFINITY : (monotonic() - receivedAt) / 1000);

  return {
    take(message) {
      if (message.type === 'state') {
        facts = nothing();
        receivedAt = message.receivedAt;
      }
      if (message.type !== 'keys') for (const entry of message.events) record(entry);
      if (message.type === 'state')
        takeKeys(message.keys.filter(({ kid }) => facts.kids.includes(String(kid))));
      if (message.type === 'keys') takeKeys(message.keys);
      if (message.type === 'events' && message.events.every(({ type }) => type === 'alive')) return;
      for (const listener of [...listeners]) listener();
    },
    state: () => ({
      type: 'state',
      events: allEvents(facts),
      keys: published,
      ...(receivedAt !== undefined && { receivedAt }),
    }),
    isCurrent: () => keys.size > 0 && age() < graceSeconds,
    age,
    isRevoked({ jti, sub, clientId, iat }) {
      const { revoked, clients, accounts } = facts;
      if (revoked.size > 0 && (revoked.has(jti) || revoked.has(jti.slice(0, jti.indexOf('.'))))) return true;
      if (!isCounted(clients.get(clientId), iat)) return true;
      return sub !== clientId && !isCounted(accounts.get(sub), iat);
    },
    findKey({ kid, alg }) {
      const found = keys.get(kid);
      return found?.alg === alg ? found.key : undefined;
    },
    hasKey: (kid) => keys.has(kid),
    permissionsOf: (role) => facts.roles.get(role),
    origins: () => facts.origins,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function record(event: RevocationEvent): void {
    switch (event.type) {
      case 'token':
        recordRevoked(event.jti, event.until);
        break;
      case 'client':
        put(facts.clients, event.id, event.from);
        break;
      case 'account':
        put(facts.accounts, event.id, event.from);
        break;
      case 'role':
        put(facts.roles, event.name, event.permissions);
        break;
      case 'origins':
        facts.origins = new Set(event.origins);
        break;
      case 'keys':
        facts.kids = event.kids;
        // A key that is withdrawn is gone at once; one that is new has still to be fetched.
        keys = new Map([...keys].filter(([kid]) => event.kids.includes(kid)));
        break;
      case 'alive':
        receivedAt = monotonic();
    }
  }

  /** Insertion is nearly in order of expiry, so the oldest few are enough to keep the map small. */
  function recordRevoked(jti: string, until: number): void {
    const seconds = now() / 1000;
    let checked = 0;
    for (const [oldest, expiresAt] of facts.revoked) {
      if (checked++ > 4) break;
      if (expiresAt < seconds) facts.revoked.delete(oldest);
    }
    facts.revoked.set(jti, until);
  }

  /** A key that stays is the same object, or every token would be verified anew. */
  function takeKeys(jwks: readonly PublicJwk[]): void {
    published = jwks;
    const read = jwks.map(readVerificationKey).filter((key) => key !== undefined);
    keys = new Map(
      read.map((key) => {
        const known = keys.get(key.kid);
        return [key.kid, known?.source === key.source ? known : key];
      }),
    );
    facts.kids = [...keys.keys()];
  }
}

function nothing(): Facts {
  return {
    revoked: new Map(),
    clients: new Map(),
    accounts: new Map(),
    roles: new Map(),
    origins: new Set(),
    kids: [],
  };
}

function put<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value === undefined) map.delete(name);
  else map.set(name, value);
}

function isCounted(from: number | undefined, issuedAt: number): boolean {
  return from !== undefined && issuedAt >= from;
}

function allEvents({ revoked, clients, accounts, roles, origins, kids }: Facts): RevocationEvent[] {
  return [
    ...[...clients].map(([id, from]) => ({ type: 'client', id, from }) as const),
    ...[...accounts].map(([id, from]) => ({ type: 'account', id, from }) as const),
    ...[...roles].map(([name, permissions]) => ({ type: 'role', name, permissions }) as const),
    ...[...revoked].map(([jti, until]) => ({ type: 'token', jti, until }) as const),
    { type: 'origins', origins: [...origins] },
    { type: 'keys', kids },
  ];
}
