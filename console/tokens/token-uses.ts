/**
 * Which of the access tokens that codes were just exchanged for have been seen in use: whoever uses one has
 * got the answer, and does not repeat the code for a lost one.
 */
export type TokenUses = ReturnType<typeof createTokenUses>;

export interface TokenUsesDeps {
  /** How long a code may be repeated. */
  readonly watchedMs: number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

interface Watched {
  readonly until: number;
  isUsed: boolean;
}

export function createTokenUses({ watchedMs, elapsed }: TokenUsesDeps) {
  const watched = new Map<string, Watched>();

  return {
    /** @param jti  of a token that is issued now */
    watch(jti: string) {
      forgetOld();
      watched.set(jti, { until: elapsed() + watchedMs, isUsed: false });
    },
    /** Asked on every call with a token, whichever it is: a lookup in memory, while any is watched. */
    record(jti: string) {
      if (watched.size === 0) return;
      const one = watched.get(jti);
      if (one) one.isUsed = true;
    },
    wasUsed: (jti: string): boolean => watched.get(jti)?.isUsed === true,
  };

  /** They come in the order in which they go. */
  function forgetOld(): void {
    const now = elapsed();
    for (const [jti, { until }] of watched) {
      if (until > now) return;
      watched.delete(jti);
    }
  }
}
