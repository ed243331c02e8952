/**
 * Wrong client secrets are told slower and slower to whoever sends many (S29). The secret is looked at first and
 * at once: the right one is never refused and never waits, from whatever address it comes.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { OAuthError } from '../../../platform/errors.ts';
import type { SecretFailures } from './secret-failures.ts';

export interface SecretGuessing {
  /**
   * Runs a request whose client authenticates itself; an error of its credentials is held before it is thrown.
   *
   * @param source  of the request: an IPv4 address, or the /64 of an IPv6 one
   * @throws {OAuthError} what `work` throws, or `temporarily_unavailable` (429) when too many of one source are held
   */
  slow<T>(source: () => string, work: () => Promise<T>): Promise<T>;
}

const retryAfterSeconds = 2;

export function createSecretGuessing(failures: SecretFailures): SecretGuessing {
  return {
    async slow(source, work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') await hold(source());
        throw error;
      }
    },
  };

  async function hold(source: string): Promise<void> {
    const holdMs = await failures.add(source);
    if (holdMs === undefined) throw tooMany();
    if (holdMs > 0) await wait(holdMs);
  }
}

function tooMany(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'too many wrong client secrets come from this address', {
    status: 429,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}
