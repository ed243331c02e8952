/**
 * Signing keys: made at the first start, kept over restarts, rotated while the process runs. Every
 * algorithm always has a next key in the key set, so that a rotation never signs with a key that a
 * verifier has not seen (S5).
 */
import { randomBytes } from 'node:crypto';
import type { KeyRecord, TokenAlg } from '../storage/records.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import type { Cipher } from './encryption.ts';
import { newPrivateJwk, readPrivateJwk } from './key-material.ts';
import {
  isGone,
  isWaiting,
  type KeyState,
  nextChange,
  planRotation,
  signingKey,
  states,
} from './key-schedule.ts';
import { createSigningKey, type SigningKey } from './signing.ts';

export const tokenAlgs: readonly TokenAlg[] = ['RS256', 'ES256', 'EdDSA'];

/** Seconds for which verifiers may remember the key set (`Cache-Control` of `/oauth2/jwks`). */
export const keySetMaxAgeSeconds = 300;

export interface KeysDeps {
  readonly registry: Registry;
  readonly cipher: Cipher;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A signing key older than this is rotated. */
  readonly rotationDays: number;
  /** The longest life of anything that a key has signed, ID token hints included, in seconds. */
  readonly longestTokenLifeSeconds: number;
}

export type Keys = ReturnType<typeof createKeys>;

export interface PublishedKey {
  readonly key: SigningKey;
  readonly state: KeyState;
  readonly record: KeyRecord;
}

const longestTimerMs = 3_600_000;

export function createKeys({ registry, cipher, now, rotationDays, longestTokenLifeSeconds }: KeysDeps) {
  const rotation = {
    keySetMaxAgeMs: keySetMaxAgeSeconds * 1000,
    longestLifeMs: longestTokenLifeSeconds * 1000,
  };
  const listeners = new Set<() => void>();
  let published: readonly PublishedKey[] = [];
  let byKid: ReadonlyMap<string, SigningKey> = new Map();
  let signing: ReadonlyMap<TokenAlg, SigningKey> = new Map();
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = registry.onChange((changed) => {
    if (changed.has('keys')) refresh();
  });

  return {
    /**
     * Makes what is missing: a signing key for each algorithm. Call once before use.
     *
     * @throws {DecryptionError} when the store's keys are encrypted, and not with this encryption key
     * @throws {InvalidKeyError} when a key of the store must not sign (S4)
     */
    async prepare() {
      refresh(); // a store that is not fit to be used is not written to
      await encryptOutdatedKeys();
      await addMissing('signing');
      refresh();
    },
    /** Instead of {@link Keys.prepare}: reads what is there, makes nothing and writes nothing. @throws as that */
    load: refresh,
    /**
     * Makes the next key of each algorithm, and rotates by age; cheap when there is nothing to do.
     *
     * @param to  the same registry, as whoever does it for all writes it
     */
    async maintain(to: Pick<Registry, 'update'> = registry) {
      await removeGone(to);
      await addMissing('next', to);
      if (tokenAlgs.some(isTooOld)) await rotate(to);
    },
    /** @throws {Error} before {@link Keys.prepare} */
    signing(alg: TokenAlg): SigningKey {
      const key = signing.get(alg);
      if (!key) throw new Error(`there is no signing key for ${alg}`);
      return key;
    },
    /** A key of the key set, for verification. */
    find: (kid: string): SigningKey | undefined => byKid.get(kid),
    /** Signing keys first, then the next ones, then those that only verify. */
    published: (): readonly PublishedKey[] => published,
    /**
     * Lets the next keys sign: at once when verifiers have had time to see them, else as soon as they have.
     *
     * @param options  `isEmergency`: the keys may be known to somebody. All of them, the next ones too, give
     *   way to new ones now, and every token they signed dies
     * @returns epoch milliseconds from which other keys sign
     */
    async rotate({ isEmergency = false }: { readonly isEmergency?: boolean } = {}): Promise<number> {
      const from = isEmergency ? await replaceAll() : await rotate();
      refresh();
      return from;
    },
    /** Tells that {@link Keys.published} has changed, by a rotation here or elsewhere, or by the clock. */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      clearTimeout(timer);
      unsubscribe();
    },
  };

  async function rotate(to: Pick<Registry, 'update'> = registry): Promise<number> {
    await addMissing('signing', to);
    await addMissing('next', to);
    const from = await to.update((transaction) => {
      const at = now();
      const changed = tokenAlgs.flatMap((alg) => planRotation(recordsOf(transaction, alg), at, rotation));
      for (const key of changed) transaction.put('keys', key);
      return Math.max(at, ...changed.map(({ signsFrom }) => signsFrom ?? at));
    });
    await addMissing('next', to);
    return from;
  }

  async function replaceAll(): Promise<number> {
    const made = await Promise.all(tokenAlgs.map(newKey));
    const from = await registry.update((transaction) => {
      const at = now();
      for (const id of [...transaction.all('keys').keys()]) transaction.remove('keys', id);
      for (const key of made) transaction.put('keys', { ...key, publishedAt: at, signsFrom: at });
      return at;
    });
    await addMissing('next');
    return from;
  }

  /** A key for each algorithm that has none in this role. */
  async function addMissing(
    role: 'signing' | 'next',
    to: Pick<Registry, 'update'> = registry,
  ): Promise<void> {
    const isMissing = (source: KeySource, alg: TokenAlg) => {
      const keys = recordsOf(source, alg);
      return role === 'next' ? !keys.some((key) => isWaiting(key, now())) : !signingKey(keys, now());
    };
    const missing = tokenAlgs.filter((alg) => isMissing(registry, alg));
    if (missing.length === 0) return;
    const made = await Promise.all(missing.map(newKey));
    await to.update((transaction) => {
      const times = { publishedAt: now(), ...(role === 'signing' ? { signsFrom: now() } : {}) };
      for (const key of made) {
        // Unless another process was quicker.
        if (isMissing(transaction, key.alg)) transaction.put('keys', { ...key, ...times });
      }
    });
  }

  async function newKey(alg: TokenAlg): Promise<Omit<KeyRecord, 'publishedAt'>> {
    const id = `${alg.toLowerCase()}-${randomBytes(9).toString('base64url')}`;
    return { id, alg, privateJwk: cipher.encrypt(JSON.stringify(await newPrivateJwk(alg)), labelOf(id)) };
  }

  /** Those that were stored before this encryption key was set (S79). */
  async function encryptOutdatedKeys(): Promise<void> {
    const isOutdated = ({ id, privateJwk }: KeyRecord) => cipher.isOutdated(privateJwk, labelOf(id));
    const outdated = [...registry.all('keys').values()].filter(isOutdated);
    if (outdated.length === 0) return;
    await registry.update((transaction) => {
      for (const { id } of outdated) {
        const key = transaction.get('keys', id);
        if (!key || !isOutdated(key)) continue;
        const label = labelOf(id);
        const privateJwk = cipher.encrypt(cipher.open(key.privateJwk, label), label);
        transaction.put('keys', { ...key, privateJwk });
      }
    });
  }

  async function removeGone(to: Pick<Registry, 'update'>): Promise<void> {
    const gone = [...registry.all('keys').values()].filter((key) => isGone(key, now()));
    if (gone.length === 0) return;
    await to.update((transaction) => {
      for (const { id } of gone) transaction.remove('keys', id);
    });
  }

  function isTooOld(alg: TokenAlg): boolean {
    const key = signingKey(recordsOf(registry, alg), now());
    const oldest = now() - rotationDays * 86_400_000;
    return key !== undefined && key.signsUntil === undefined && (key.signsFrom ?? 0) < oldest;
  }

  /** Derives everything from the records and the clock, and wakes at the next moment that changes it. */
  function refresh(): void {
    const at = now();
    const before = describe(published);
    published = tokenAlgs
      .flatMap((alg) => states(recordsOf(registry, alg), at))
      .map(([record, state]) => ({ record, state, key: byKid.get(record.id) ?? open(record) }))
      .sort((a, b) => order[a.state] - order[b.state]);
    byKid = new Map(published.map(({ key }) => [key.kid, key]));
    signing = new Map(published.filter(({ state }) => state === 'signing').map(({ key }) => [key.alg, key]));
    clearTimeout(timer);
    const next = nextChange(registry.all('keys').values(), at);
    if (next !== undefined) timer = setTimeout(refresh, Math.min(next - at + 1, longestTimerMs)).unref();
    if (describe(published) !== before) for (const listener of listeners) listener();
  }

  function open({ id, alg, privateJwk }: KeyRecord): SigningKey {
    return createSigningKey(id, alg, readPrivateJwk(id, alg, cipher.open(privateJwk, labelOf(id))));
  }
}

const order = { signing: 0, next: 1, retired: 2 } as const;
const labelOf = (id: string) => `signing key ${id}`;
const describe = (keys: readonly PublishedKey[]) =>
  keys.map(({ key, state }) => `${key.kid} ${state}`).join();

type KeySource = Pick<RegistryTransaction, 'all'>;

function recordsOf(source: KeySource, alg: TokenAlg): KeyRecord[] {
  return [...source.all('keys').values()].filter((key) => key.alg === alg);
}
