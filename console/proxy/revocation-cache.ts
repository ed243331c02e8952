/**
 * What this process knows of tokens, and which members are drained, from the console's revocation stream: enough to answer on each call, from memory,
 * what the console itself would (S34). It knows how old its knowledge is, and says so.
 */
import type { KeyObject } from 'node:crypto';
import type { TokenIdentity } from '../../access-tokens/verify-token.ts';
import type { RevocationEvent } from '../tokens/revocation-stream/revocation-event.ts';
import { createVoidMemory, type VoidMemory } from '../tokens/voids/void-memory.ts';
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
  /** `host:port` of members that get no calls but by their name; another object whenever that changes. */
  drainedMembers(): ReadonlySet<string>;
  /** Rises when pages of other origins than before may call. */
  originsVersion(): number;
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
  /** Who has lost something; whoever is not there has lost nothing. */
  readonly voids: VoidMemory;
  readonly roles: Map<string, readonly string[]>;
  kids: readonly string[];
  drained: ReadonlySet<string>;
}

export function createRevocationCache({
  graceSeconds,
  monotonic,
  now,
}: RevocationCacheDeps): RevocationCache {
  const listeners = new Set<() => void>();
  let facts = nothing(now);
  let originsVersion = 0;
  let keys: ReadonlyMap<string, VerificationKey> = new Map();
  let published: readonly PublicJwk[] = [];
  let receivedAt: number | undefined;

  const age = () => (receivedAt === undefined ? Number.POSITIVE_INFINITY : (monotonic() - receivedAt) / 1000);

  return {
    take(message) {
      if (message.type === 'state') {
        facts = nothing(now);
        originsVersion += 1;
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
      const { revoked, voids } = facts;
      if (revoked.size > 0 && (revoked.has(jti) || revoked.has(jti.slice(0, jti.indexOf('.'))))) return true;
      return voids.isVoid(clientId, sub, iat);
    },
    findKey({ kid, alg }) {
      const found = keys.get(kid);
      return found?.alg === alg ? found.key : undefined;
    },
    hasKey: (kid) => keys.has(kid),
    permissionsOf: (role) => facts.roles.get(role),
    drainedMembers: () => facts.drained,
    originsVersion: () => originsVersion,
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
      case 'account':
        recordVoid(event);
        break;
      case 'floor':
        facts.voids.raise(event);
        break;
      case 'role':
        put(facts.roles, event.name, event.permissions);
        break;
      case 'drained':
        facts.drained = new Set(event.members);
        break;
      case 'origins':
        originsVersion += 1;
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

  /** The console bounds what it tells; this is for one that tells more. */
  function recordVoid({ type, id, from, until = Number.POSITIVE_INFINITY }: PartyEvent): void {
    facts.voids.replace({ party: type, id, from, until });
    facts.voids.makeRoom();
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

type PartyEvent = Extract<RevocationEvent, { type: 'client' | 'account' }>;

function nothing(now: () => number): Facts {
  return {
    revoked: new Map(),
    voids: createVoidMemory({ now }),
    roles: new Map(),
    kids: [],
    drained: new Set(),
  };
}

function put<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value === undefined) map.delete(name);
  else map.set(name, value);
}

function allEvents({ revoked, voids, roles, kids, drained }: Facts): RevocationEvent[] {
  return [
    ...voids.floors().map((floor) => ({ type: 'floor', ...floor }) as const),
    ...[...voids.all()].map(({ party, id, from, until }) => ({
      type: party,
      id,
      from,
      ...(Number.isFinite(until) ? { until } : {}),
    })),
    ...[...roles].map(([name, permissions]) => ({ type: 'role', name, permissions }) as const),
    ...[...revoked].map(([jti, until]) => ({ type: 'token', jti, until }) as const),
    { type: 'keys', kids },
    { type: 'drained', members: [...drained] },
  ];
}
