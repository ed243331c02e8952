import type { Context } from 'koa';

/** The browser's live session, as pages need it. */
export interface BrowserSession {
  readonly uid: string;
  readonly accountId: string;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** Epoch seconds after which it ends even when it is in use. */
  readonly endsAt: number;
}

/** Who sits before the browser; the session itself belongs to the provider and is handed in. */
export interface CurrentSession {
  current(ctx: Context): Promise<BrowserSession | undefined>;
  /**
   * Signs in under a new session id.
   *
   * @param at  epoch seconds of the sign-in
   * @param by  by a password unless told otherwise
   */
  start(ctx: Context, accountId: string, at: number, by?: 'password' | 'provider'): Promise<BrowserSession>;
}
