/**
 * The keys that an upstream provider signs by: kept for a while, and read once more at a key that is not
 * among them, because providers change theirs from one moment to the next.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import type { CustomFetch } from 'openid-client';
import { FederationError } from '../connector.ts';
import type { OidcMetadata } from './metadata.ts';

export interface OidcKeysDeps {
  readonly metadata: OidcMetadata;
  readonly fetch: CustomFetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The key set was fetched, and is in use. */
  readonly onRead?: (() => void) | undefined;
}

export type OidcKeys = ReturnType<typeof createOidcKeys>;

/** A key set is fetched anew where the metadata name another address. */
interface KeysOf {
  readonly of: string;
  readonly find: JWTVerifyGetKey;
}

/** A key that the provider has given up is not believed for longer. */
const ttlMs = 300_000;
/** So that tokens of strangers, each with a key of its own, do not make the console ask for each. */
const againMs = 5000;

export function createOidcKeys({ metadata, fetch, now, onRead }: OidcKeysDeps) {
  let keys: KeysOf | undefined;

  return {
    /**
     * @param check  verifies a token by the keys of the provider as it is now
     * @throws {FederationError} when they cannot be had, or are of no use; otherwise what `check` throws
     */
    async verify<T>(check: (find: JWTVerifyGetKey) => Promise<T>): Promise<T> {
      const address = (await metadata.current()).jwks_uri!;
      try {
        if (keys?.of !== address) keys = { of: address, find: keysAt(address) };
        return await check(keys.find);
      } catch (error) {
        throw isOfKeys(error)
          ? new FederationError(503, 'The keys of the identity provider cannot be had.', { cause: error })
          : error;
      }
    },
  };

  function keysAt(address: string): JWTVerifyGetKey {
    let isFetched = false;
    const set = createRemoteJWKSet(new URL(address), {
      cacheMaxAge: ttlMs,
      // The library's own way goes by the age of the set, and knows no key that came just after it.
      cooldownDuration: Infinity,
      [customFetch]: async (url, { headers, signal }) => {
        const answer = await fetch(url, {
          method: 'GET',
          headers: Object.fromEntries(headers),
          body: undefined,
          redirect: 'manual',
          signal,
        });
        isFetched = true;
        return answer;
      },
    });
    let readAgainMs = -Infinity;
    return async (header, token) => {
      try {
        return await set(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await readAgain();
        return set(header, token);
      } finally {
        if (isFetched && set.fresh) onRead?.();
        isFetched = false;
      }
    };

    /** Whoever comes while it is read waits for the same answer. */
    async function readAgain(): Promise<void> {
      const isTooSoon = Math.abs(now() - readAgainMs) < againMs;
      if (isTooSoon && !set.reloading) return;
      readAgainMs = now();
      await set.reload();
    }
  }
}

/** Told from a token that does not hold. */
function isOfKeys(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true;
  // Without a name of its own: what the key set's address answered is none.
  if (error instanceof errors.JOSEError) return error.code === 'ERR_JOSE_GENERIC';
  // An address that is none; a status that is none; a key that is too short, or does not read as one.
  return error instanceof TypeError || error instanceof RangeError || error instanceof DOMException;
}
