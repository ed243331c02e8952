/**
 * Signing out at the upstream provider with which a session began, as the sign-out pages see it. How the
 * provider is asked is no concern of theirs.
 */
import type { Context } from 'koa';

/** The provider's session behind one of ours. */
export interface UpstreamSessionOrigin {
  readonly providerId: string;
  readonly subject: string;
  readonly session: { readonly id?: string; readonly hint?: string };
}

export interface UpstreamLogout {
  /** Shown to people. */
  readonly providerName: string;
  /**
   * `ready`: the browser has not been there yet. `away`: it was sent there and has not come back. `refused`: the
   * provider has no logout, cannot be reached, or says that it failed. `done`: the provider says that it is over.
   */
  readonly state: 'ready' | 'away' | 'refused' | 'done';
}

export interface UpstreamLogouts {
  /** The provider with which this session began, to be read before it ends; undefined for a local sign-in. */
  of(uid: string): Promise<UpstreamSessionOrigin | undefined>;
  /**
   * Remembers a logout that is to be passed on, once the session here has ended.
   *
   * @param ticket  of the page to come back to
   * @returns the id under which it is found
   */
  prepare(begun: UpstreamSessionOrigin, ticket: string): Promise<string>;
  /** @returns undefined when it is too long ago */
  find(id: string): Promise<UpstreamLogout | undefined>;
  /** Sends the browser to the provider. @returns false, and nothing sent, when there is no way to its logout */
  start(ctx: Context, id: string): Promise<boolean>;
}
