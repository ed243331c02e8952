/** The console's own token check, on what this process knows; while it knows too little, nothing passes. */
import { decodeProtectedHeader } from 'jose';
import { type BearerCheck, type BearerDeps, createBearerCheck } from '../../access-tokens/bearer.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { RevocationCache } from './revocation-cache.ts';

export interface GuardedBearerDeps extends Omit<BearerDeps, 'findKey' | 'isRevoked'> {
  readonly cache: Pick<RevocationCache, 'isCurrent' | 'isRevoked' | 'findKey' | 'hasKey'>;
  /** Resolves when a key that is not known has been looked for. */
  readonly fetchKey: (kid: string) => Promise<void>;
}

const retryAfterSeconds = 1;

/** Whatever is asked may be answered with `token_status_unknown`. */
export function createGuardedBearer({ cache, fetchKey, ...deps }: GuardedBearerDeps): BearerCheck {
  const inner = createBearerCheck({ ...deps, findKey: cache.findKey, isRevoked: cache.isRevoked });

  return {
    check: (token, provenBy) => guarded(token, () => inner.check(token, provenBy)),
    inspect: (token) => guarded(token, () => inner.inspect(token)),
    isStillGood(caller) {
      rejectWhileUnknown();
      return inner.isStillGood(caller);
    },
  };

  function guarded<T>(token: string, check: () => T | Promise<T>): T | Promise<T> {
    rejectWhileUnknown();
    const caller = check();
    return caller instanceof Promise ? caller.catch((error) => checkAgain(token, check, error)) : caller;
  }

  /** A key may be newer than what is known here. @throws what the first check did, when it is not */
  async function checkAgain<T>(token: string, check: () => T | Promise<T>, error: unknown): Promise<T> {
    const kid = kidOf(token);
    if (kid === undefined || cache.hasKey(kid)) throw error;
    await fetchKey(kid);
    rejectWhileUnknown();
    if (!cache.hasKey(kid)) throw error;
    return check();
  }

  function rejectWhileUnknown(): void {
    if (cache.isCurrent()) return;
    throw new ProblemError(
      problems.tokenStatusUnknown,
      'The console has not said lately which tokens count, so none is let through',
      { headers: { 'Retry-After': String(retryAfterSeconds) } },
    );
  }
}

function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === 'string' && kid.length <= 256 ? kid : undefined;
  } catch {
    return undefined;
  }
}
