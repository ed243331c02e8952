/**
 * Signing in at somebody else's provider, as the sign-in pages see it. How a provider is asked and
 * believed is no concern of theirs.
 */
import type { Context } from 'koa';
import type { ProblemError } from '../../platform/errors.ts';
import type { UserRecord } from '../storage/records.ts';
import type { SignedIn } from './sign-in.ts';

export interface UpstreamChoice {
  /** Shown to people. */
  readonly name: string;
  /** Path of this console that leads there. */
  readonly href: string;
}

export interface UpstreamAuthorization {
  /** Of the authorization request that the sign-in is for; none for the console's own. */
  readonly interactionUid?: string;
  /** The person must prove again who they are. */
  readonly reauthenticate: boolean;
}

export interface UpstreamSignIn {
  /** @param path  of the sign-in page, below which each choice has its address */
  choices(path: string): Promise<readonly UpstreamChoice[]>;
  /** Directories whose passwords the form takes, as people know them. */
  directoryNames(): Promise<readonly string[]>;
  /**
   * The provider that has to confirm this account, because no password typed here can.
   *
   * @returns undefined for an account that has its password here or at a directory
   */
  confirmingChoice(path: string, account: UserRecord): UpstreamChoice | undefined;
  /**
   * Sends the browser to the provider.
   *
   * @throws {ProblemError} `login_failed` when the provider cannot be asked, `not_found`, and `forbidden`
   *   before this console has its first administrator
   */
  begin(ctx: Context, providerId: string, authorization: UpstreamAuthorization): Promise<void>;
}

/** The session here that an upstream sign-in has led to. */
export interface UpstreamSignInSession {
  readonly uid: string;
  /** Epoch seconds after which it ends even when it is in use. */
  readonly endsAt: number;
}

/** A sign-in page, as the browser comes back to it from a provider. */
export interface UpstreamReturn {
  /** Goes on with what the sign-in was for. @throws {ProblemError} when that is over */
  complete(ctx: Context, signedIn: SignedIn, interactionUid?: string): Promise<UpstreamSignInSession>;
  /** Shows the page again with what went wrong. @returns false, and nothing shown, when that page is over */
  showError(ctx: Context, error: ProblemError, interactionUid?: string): Promise<boolean>;
}
