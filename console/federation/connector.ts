/**
 * What an outside identity provider must offer, whatever its protocol. A connector proves who somebody
 * is at the provider and no more: which local account that is, and what it may do, is decided by
 * `link.ts` alone (S45).
 */

/** Somebody whom a provider vouches for. */
export interface UpstreamIdentity {
  /** Never given to another person by the provider: OIDC `sub`, SAML NameID, LDAP entryUUID or objectGUID. */
  readonly subject: string;
  readonly username?: string;
  readonly email?: string;
  readonly name?: string;
  /** Claims or attributes for role rules; every value as text. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** The provider's own session, to pass a logout on to it and to recognise one that it sends. */
  readonly session?: {
    /** OIDC `sid`, SAML SessionIndex. */
    readonly id?: string;
    /** OIDC ID token, SAML NameID with its qualifiers: what a logout request has to carry. */
    readonly hint?: string;
  };
}

/** What `begin` wants to have back at `finish`: kept on the server, single use, bound to the browser, ≤ 10 minutes (S43). */
export type AttemptSecrets = Readonly<Record<string, string>>;

export interface BeginOptions {
  /** Travels as `state` or RelayState: an opaque id, never an address. */
  readonly attemptId: string;
  /** `<CONSOLE_URL>/login/callback/<idp id>`. */
  readonly callbackUrl: string;
  /** The person must prove again who they are (`prompt=login`, ForceAuthn). */
  readonly reauthenticate: boolean;
}

/** What came to the callback address. */
export interface CallbackReply {
  readonly callbackUrl: string;
  /** Each parameter once, of the query or of the posted form. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Sends the browser to the provider and reads what it brings back. */
export interface RedirectConnector {
  readonly kind: 'oidc' | 'saml';
  /** @throws {FederationError} when the provider cannot be reached or is configured wrongly */
  begin(options: BeginOptions): Promise<{ readonly location: string; readonly secrets: AttemptSecrets }>;
  /** @throws {FederationError} when the answer is a refusal, or does not prove anything */
  finish(reply: CallbackReply, secrets: AttemptSecrets): Promise<UpstreamIdentity>;
}

/** Checks a password that was typed here. */
export interface PasswordConnector {
  readonly kind: 'ldap';
  /**
   * @returns undefined when name or password are wrong
   * @throws {FederationError} when the provider cannot be asked
   */
  verify(username: string, password: string): Promise<UpstreamIdentity | undefined>;
  /** Closes idle connections. */
  close(): Promise<void>;
}

export type Connector = RedirectConnector | PasswordConnector;

/** An outside sign-in that did not work: shown as `login_failed`. */
export class FederationError extends Error {
  override readonly name = 'FederationError';
  readonly status: 400 | 401 | 403 | 503;

  /**
   * @param status   400 a malformed or foreign answer, 401 a proof that does not hold, 403 a refusal, 503 no answer
   * @param message  for the person at the browser: no token, no assertion, no address of an internal host
   */
  constructor(status: FederationError['status'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
