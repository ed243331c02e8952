/** Tokens that order something: taken once, and soon after they were made. */
import { InvalidTokenError } from './signed-tokens.ts';

/** @throws {InvalidTokenError} when it is an old one, or was here before */
export type CheckFresh = (token: { readonly jti?: unknown; readonly iat?: unknown }) => void;

/** Older than this, it is somebody's old copy. */
const maxAgeSeconds = 300;
const defaultSkewSeconds = 30;
/** More ids than this are not remembered; the oldest go first. */
const maxRemembered = 10_000;

export interface FreshnessOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How far the clock here may be behind, in seconds; 30 unless told. */
  readonly skewSeconds?: number;
}

export function createCheckFresh({ now, skewSeconds = defaultSkewSeconds }: FreshnessOptions): CheckFresh {
  /** `jti` to the epoch seconds at which its token is too old anyway. */
  const seen = new Map<string, number>();

  return ({ jti, iat }) => {
    const seconds = now() / 1000;
    if (typeof jti !== 'string' || jti === '') throw new InvalidTokenError('its claim jti is not right');
    if (Number(iat) < seconds - maxAgeSeconds || Number(iat) > seconds + skewSeconds) {
      throw new InvalidTokenError('it was not issued just now');
    }
    if (seen.has(jti)) throw new InvalidTokenError('it was sent before');
    seen.set(jti, Number(iat) + maxAgeSeconds);
    for (const [old, end] of seen) {
      if (end >= seconds && seen.size <= maxRemembered) break;
      seen.delete(old);
    }
  };
}
