/**
 * When somebody last signed in by a provider, what last went wrong there, and when what it publishes of itself was
 * last read. Apart from its record, which administrators change; for each of them one small artifact a second at
 * most, however many come in.
 */
import type { ArtifactStore } from '../storage/storage.ts';

/** Epoch milliseconds. */
export interface ProviderUse {
  readonly lastSignInAt: number | undefined;
  readonly lastFailure: ProviderFailure | undefined;
  /** When its SAML metadata or its discovery document were last read. */
  readonly metadataReadAt: number | undefined;
  /** Why its SAML metadata could not be fetched again since then. */
  readonly metadataFailure: ProviderFailure | undefined;
  /** When the key set of an OpenID provider was last read. */
  readonly keysReadAt: number | undefined;
}

/** What a provider publishes of itself. */
export type ProviderDocument = 'metadata' | 'keys';

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

const kinds = {
  signIn: 'ProviderSignIn',
  failure: 'ProviderFailure',
  metadata: 'ProviderMetadata',
  metadataFailure: 'ProviderMetadataFailure',
  keys: 'ProviderKeys',
} as const;
/** Of a provider by which nobody comes any more. */
const storedSeconds = 400 * 86_400;
/** Metadata that were typed in are read once, and their age counts most when they are old. */
const documentStoredSeconds = 20 * 365 * 86_400;
const betweenMs = 1000;
const longestReason = 500;

export function createProviderUses({ artifacts, now }: ProviderUsesDeps) {
  const written = new Map<string, number>();

  return {
    signedIn: (providerId: string): Promise<void> => write(kinds.signIn, providerId, {}),
    failed: (providerId: string, error: unknown): Promise<void> =>
      write(kinds.failure, providerId, { reason: reasonOf(error) }),
    /** What it publishes of itself was read, whether it has changed or not. */
    read: (providerId: string, what: ProviderDocument): Promise<void> =>
      write(kinds[what], providerId, {}, documentStoredSeconds),
    metadataFailed: (providerId: string, error: unknown): Promise<void> =>
      write(kinds.metadataFailure, providerId, { reason: reasonOf(error) }),
    /** @param since  epoch milliseconds: what was noted of an earlier provider of this id does not count */
    async of(providerId: string, since: number): Promise<ProviderUse> {
      const [signIn, failure, metadata, metadataFailure, keys] = await Promise.all(
        Object.values(kinds).map((kind) => eventOf(kind, providerId, since)),
      );
      const hasFailed = metadataFailure && metadataFailure.at >= (metadata?.at ?? 0);
      return {
        lastSignInAt: signIn?.at,
        lastFailure: failure,
        metadataReadAt: metadata?.at,
        metadataFailure: hasFailed ? metadataFailure : undefined,
        keysReadAt: keys?.at,
      };
    },
  };

  async function eventOf(kind: string, id: string, since: number): Promise<ProviderFailure | undefined> {
    const payload = (await artifacts.get(kind, id))?.payload;
    const at = Number(payload?.at ?? -1);
    return at >= since ? { at, reason: String(payload?.reason) } : undefined;
  }

  /** What is only shown keeps nobody from signing in. */
  async function write(
    kind: string,
    providerId: string,
    more: object,
    seconds = storedSeconds,
  ): Promise<void> {
    const [name, at] = [`${kind} ${providerId}`, now()];
    if (Math.abs(at - (written.get(name) ?? 0)) < betweenMs) return;
    written.set(name, at);
    const artifact = { payload: { at, ...more }, expiresAt: Math.floor(at / 1000) + seconds };
    await artifacts.put(kind, providerId, artifact).catch(() => written.delete(name));
  }
}

/** Sentences of connectors are for the person at the browser: they say nothing that is secret. */
function reasonOf(error: unknown): string {
  const isSaid = error instanceof Error && ['FederationError', 'ProblemError'].includes(error.name);
  return isSaid ? error.message.slice(0, longestReason) : 'The console could not do its part: see its log.';
}
