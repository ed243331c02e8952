/**
 * Which session of an outside provider a session here began with: to pass a logout on, and to find the
 * sessions that a provider's own logout is about.
 */
import type { UpstreamIdentity } from './connector.ts';

export interface UpstreamSession {
  /** Of the session here. */
  readonly uid: string;
  readonly accountId: string;
  readonly providerId: string;
  readonly subject: string;
  readonly session: NonNullable<UpstreamIdentity['session']>;
}

export interface UpstreamSessions {
  /** @param expiresAt  epoch seconds: the absolute end of the session here */
  note(session: UpstreamSession, expiresAt: number): Promise<void>;
  /** Of the session here; undefined for a local sign-in. */
  of(uid: string): Promise<UpstreamSession | undefined>;
  /** The sessions here that a provider's logout is about: of this session id, or of everybody with this subject. */
  find(providerId: string, about: { readonly id?: string; readonly subject?: string }): Promise<readonly UpstreamSession[]>;
  forget(uid: string): Promise<void>;
}
