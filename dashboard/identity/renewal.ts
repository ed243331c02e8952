/** Keeps the tokens of a session fresh without the person noticing, and ends the session when that fails. */
import { ClientError, ResponseBodyError } from 'openid-client';
import { SessionOverError } from '../errors.ts';
import type { CheckAccessToken } from './access-tokens.ts';
import type { RelyingParty } from './relying-party.ts';
import type { Session, Sessions } from './sessions.ts';
import { KeySetError } from './signed-tokens.ts';

export type Renewal = ReturnType<typeof createRenewal>;

export interface RenewalDeps {
  readonly relyingParty: Pick<RelyingParty, 'renew'>;
  readonly checkAccessToken: CheckAccessToken;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly renewBeforeSeconds: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onEnd: (session: Session, reason: string) => void;
}

export function createRenewal(deps: RenewalDeps) {
  const { relyingParty, checkAccessToken, sessions, renewBeforeSeconds, now, onEnd } = deps;
  /** A refresh token works once, so two tabs must not use it twice. */
  const running = new WeakMap<Session, Promise<void>>();

  return {
    /**
     * An access token that is good for this moment.
     *
     * @throws {SessionOverError} the console does not renew it any more: the session here has ended too
     */
    async accessToken(session: Session): Promise<string> {
      const secondsLeft = session.caller.expiresAt - now() / 1000;
      if (secondsLeft <= marginOf(session)) await renewOnce(session, secondsLeft > 0);
      return session.tokens.accessToken;
    },
    /** After a 401 for a token that looked good: it was revoked. @throws {SessionOverError} */
    async replaceRejected(session: Session, rejected: string): Promise<string> {
      if (session.tokens.accessToken === rejected) await renewOnce(session, false);
      return session.tokens.accessToken;
    },
  };

  function marginOf({ caller }: Session): number {
    return renewBeforeSeconds ?? (caller.expiresAt - caller.issuedAt) / 5;
  }

  function renewOnce(session: Session, isStillGood: boolean): Promise<void> {
    const current =
      running.get(session) ?? renew(session, isStillGood).finally(() => running.delete(session));
    running.set(session, current);
    return current;
  }

  /** A console that cannot be reached now ends nothing while the token at hand is good. */
  async function renew(session: Session, isStillGood: boolean): Promise<void> {
    if (session.tokens.refreshToken === undefined) return end(session, 'no refresh token');
    try {
      // Kept at once: the refresh token before this one is used up, whatever the check says.
      session.tokens = await relyingParty.renew(session);
      session.caller = await checkAccessToken(session.tokens.accessToken);
      session.renewals++;
    } catch (error) {
      if (error instanceof ResponseBodyError && error.status < 500) return end(session, error.error);
      const isAway = isOutage(error) || error instanceof ResponseBodyError;
      if (!isStillGood || !isAway) throw error;
    }
  }

  function end(session: Session, reason: string): never {
    if (sessions.end(session.id)) onEnd(session, reason);
    throw new SessionOverError(`the console ended the sign-in: ${reason}`);
  }
}

/** The library wraps what the network does; bare errors of `fetch` come through as they are. */
function isOutage(error: unknown): boolean {
  const isNetwork = error instanceof TypeError || error instanceof DOMException;
  return isNetwork || error instanceof ClientError || error instanceof KeySetError;
}
