/**
 * Sign-ins under way at an upstream provider: what `begin` wants back at `finish`, kept here and not in
 * the browser. One use, ten minutes, one browser, one provider (S43).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Artifact, ArtifactStore } from '../storage/storage.ts';
import { type AuthorizationSecrets, FederationError } from './connector.ts';

export interface NewAuthorizationState {
  /** From {@link AuthorizationStates.newId}; travels as `state` or RelayState. */
  readonly id: string;
  readonly providerId: string;
  /** A random value that only this browser holds, in a cookie; stored as its SHA-256. */
  readonly browser: string;
  readonly secrets: AuthorizationSecrets;
  /** What the sign-in is for, such as the interaction to go on with; never an address. */
  readonly purpose?: string | undefined;
}

export interface ReturnedAuthorizationState {
  /** As it came back: `state` or RelayState. */
  readonly id: string | undefined;
  /** Of the callback address that was called. */
  readonly providerId: string;
  /** The cookie that came along, if any. */
  readonly browser: string | undefined;
}

export type AuthorizationStates = ReturnType<typeof createAuthorizationStates>;

export interface AuthorizationStatesDeps {
  readonly artifacts: ArtifactStore;
  /** At least 128 bits of randomness, in characters of a URL. */
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export const authorizationStateSeconds = 600;
const kind = 'FederationAttempt';

export function createAuthorizationStates({ artifacts, newId, now }: AuthorizationStatesDeps) {
  return {
    newId,
    /** @throws {StorageUnavailableError} */
    open({ id, providerId, browser, secrets, purpose }: NewAuthorizationState): Promise<void> {
      const payload = { providerId, browser: digest(browser), secrets, ...(purpose ? { purpose } : {}) };
      const expiresAt = Math.floor(now() / 1000) + authorizationStateSeconds;
      return artifacts.put(kind, id, { payload, expiresAt });
    },
    /** Whether such a sign-in waits for its answer, in whichever browser. */
    async isOpen({
      id,
      providerId,
    }: Pick<ReturnedAuthorizationState, 'id' | 'providerId'>): Promise<boolean> {
      const found = id ? await artifacts.get(kind, id) : undefined;
      return found?.payload.providerId === providerId && found.consumedAt === undefined;
    },
    /**
     * For the one caller that may finish this sign-in. What comes from another browser or for another
     * provider is refused and spoils nothing for the rightful one.
     *
     * @throws {FederationError} 400 when there is no such sign-in under way here
     */
    async take({ id, providerId, browser }: ReturnedAuthorizationState) {
      if (!id || !browser) throw unknownState();
      const found = await artifacts.get(kind, id);
      if (!found || !isFor(found, providerId, browser)) throw unknownState();
      if (!(await artifacts.consume(kind, id))) throw unknownState();
      return found.payload as unknown as Pick<NewAuthorizationState, 'secrets' | 'purpose'>;
    },
  };
}

function isFor({ payload }: Artifact, providerId: string, browser: string): boolean {
  const isSameBrowser = timingSafeEqual(Buffer.from(digest(browser)), Buffer.from(String(payload.browser)));
  return isSameBrowser && payload.providerId === providerId;
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

/** One sentence for all of them: who tries others' sign-ins learns nothing from it. */
export function unknownState(): FederationError {
  return new FederationError(
    400,
    'This sign-in is not under way in this browser: it took longer than ten minutes, was used already, or was started elsewhere. Please sign in again.',
  );
}
