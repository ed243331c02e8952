/**
 * When somebody last signed in by a provider, and what last went wrong there. Apart from its record, which
 * administrators change; for each of them one small artifact a second at most, however many come in.
 */
import type { ArtifactStore } from '../storage/storage.ts';

/** Epoch milliseconds. */
export interface ProviderUse {
  readonly lastSignInAt: number | undefined;
  readonly lastFailure: ProviderFailure | undefined;
}

export interface ProviderFailure {
  readonly at: number;
  /** In words that people may read. */
  readonly reason: string;
}

export type ProviderUses = ReturnType<typeof createProviderUses>;

export interface ProviderUsesDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kinds = { signIn: 'ProviderSignIn', failure: 'ProviderFailure' } as const;
/** Of a provider by which nobody comes any more. */
const storedSeconds = 400 * 86_400;
const betweenMs = 1000;
const longestReason = 500;

export function createProviderUses({ artifacts, now }: ProviderUsesDeps) {
  const written = new Map<string, number>();

  return {
    signedIn: (providerId: string): Promise<void> => write(kinds.signIn, providerId, {}),
    failed: (providerId: string, error: unknown): Promise<void> =>
      write(kinds.failure, providerId, { reason: reasonOf(error) }),
    /** @param since  epoch milliseconds: what was noted of an earlier provider of this id does not count */
    async of(providerId: string, since: number): Promise<ProviderUse> {
      const [signIn, failure] = await Promise.all([
        artifacts.get(kinds.signIn, providerId),
        artifacts.get(kinds.failure, providerId),
      ]);
      const [signedInAt, failedAt] = [signIn, failure].map((found) => Number(found?.payload.at ?? -1));
      return {
        lastSignInAt: signedInAt! >= since ? signedInAt : undefined,
        lastFailure:
          failedAt! >= since ? { at: failedAt!, reason: String(failure?.payload.reason) } : undefined,
      };
    },
  };

  /** What is only shown keeps nobody from signing in. */
  async function write(kind: string, providerId: string, more: object): Promise<void> {
    const [name, at] = [`${kind} ${providerId}`, now()];
    if (Math.abs(at - (written.get(name) ?? 0)) < betweenMs) return;
    written.set(name, at);
    const artifact = { payload: { at, ...more }, expiresAt: Math.floor(at / 1000) + storedSeconds };
    await artifacts.put(kind, providerId, artifact).catch(() => written.delete(name));
  }
}

/** Sentences of connectors are for the person at the browser: they say nothing that is secret. */
function reasonOf(error: unknown): string {
  const isSaid = error instanceof Error && ['FederationError', 'ProblemError'].includes(error.name);
  return isSaid ? error.message.slice(0, longestReason) : 'The console could not do its part: see its log.';
}
