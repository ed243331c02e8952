/**
 * Which of the access tokens that codes were just exchanged for have been seen in use: whoever uses one has
 * got the answer, and does not repeat the code for a lost one.
 */
export interface TokenUses {
  /** Resolves when its use will be noticed everywhere. @param jti  of a token that is issued now */
  watch(jti: string): void | Promise<void>;
  /** Asked on every call with a token, whichever it is: a lookup in memory, while any is watched. */
  record(jti: string): void;
  wasUsed(jti: string): boolean | Promise<boolean>;
}

export interface TokenUsesDeps {
  /** How long a code may be repeated. */
  readonly watchedMs: number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Gets each that is used for the first time. */
  readonly onUsed?: (jti: string) => void;
}

interface Watched {
  readonly until: number;
  isUsed: boolean;
}

export function createTokenUses({ watchedMs, elapsed, onUsed }: TokenUsesDeps) {
  const watched = new Map<string, Watched>();

  return {
    watch(jti: string): void {
      forgetOld();
      watched.set(jti, { until: elapsed() + watchedMs, isUsed: false });
    },
    record(jti: string): void {
      if (watched.size === 0) return;
      const one = watched.get(jti);
      if (!one || one.isUsed) return;
      one.isUsed = true;
      onUsed?.(jti);
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
