/**
 * What an upstream identity provider must offer, whatever its protocol. A connector proves who somebody
 * is at the provider and no more: which local account that is, and what it may do, is decided by
 * `account-linking.ts` alone (S45).
 */

/** Somebody whom a provider vouches for. */
export interface UpstreamIdentity {
  /** Never given to another person by the provider: OIDC `sub`, SAML NameID or an attribute, LDAP entryUUID or objectGUID. */
  readonly subject: string;
  readonly username?: string;
  readonly email?: string;
  /** The provider says so itself. */
  readonly isEmailVerified?: boolean;
  readonly name?: string;
  /** Claims or attributes for role rules; every value as text. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** The provider's own session, to pass a logout on to it and to recognise one that it sends. */
  readonly session?: {
    /** OIDC `sid`, SAML SessionIndex. */
    readonly id?: string;
    /** OIDC ID token, SAML NameID with its qualifiers: what a logout request has to carry. */
    readonly hint?: string;
    /** What the provider calls the person in a logout, where that is not the subject. */
    readonly name?: string;
  };
}

/** What `begin` wants to have back at `finish`: kept on the server, single use, bound to the browser, ≤ 10 minutes (S43). */
export type AuthorizationSecrets = Readonly<Record<string, string>>;

export interface BeginOptions {
  /** Travels as `state` or RelayState: an opaque id, never an address. */
  readonly stateId: string;
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

/** A session at the provider that is to end because the one here has ended. */
export interface LogoutOptions {
  readonly subject: string;
  readonly session: NonNullable<UpstreamIdentity['session']>;
  /** Travels as `state` or RelayState: an opaque id that comes back with the answer, never an address. */
  readonly logoutId: string;
  /** Where the answer is to come to: `<CONSOLE_URL>/login/logout/<idp id>` or, by SAML, `<CONSOLE_URL>/login/saml/<idp id>/logout`. */
  readonly returnUrl: string;
  /** The browser was sent there before, and has not come back: the provider may have refused what it brought. */
  readonly isRepeated?: boolean;
}

/** How the browser gets to the provider. */
export type BindingMessage =
  | { readonly method: 'GET'; readonly location: string }
  | { readonly method: 'POST'; readonly location: string; readonly fields: Readonly<Record<string, string>> };

/** A logout that the provider sends, once its message has proven to be the provider's. */
export interface ReceivedLogout {
  /** Everybody's sessions of this subject, unless ids name some of them. */
  readonly subject?: string;
  /** OIDC `sid`, SAML SessionIndex. */
  readonly sessionIds: readonly string[];
  /** Of this message alone: seen again before `usableUntilMs` (epoch milliseconds), it is a replay. */
  readonly messageId: string;
  readonly usableUntilMs: number;
}

/** A SAML message as it came to our logout address. */
export type SamlMessage =
  /** The query as received: the signature covers its very characters (SAML Bindings §3.4.4.1). */
  | { readonly binding: 'redirect'; readonly query: string; readonly logoutUrl: string }
  | {
      readonly binding: 'post';
      readonly parameters: ReadonlyMap<string, string>;
      readonly logoutUrl: string;
    };

export type SamlLogoutMessage =
  | { readonly type: 'request'; readonly logout: ReceivedLogout; readonly relayState: string | undefined }
  /** @property isDone  whether the provider says that the session there has ended */
  | { readonly type: 'response'; readonly logoutId: string; readonly isDone: boolean };

/** Sends the browser to the provider and reads what it brings back. */
export interface RedirectConnector {
  readonly kind: 'oidc' | 'saml';
  /** @throws {FederationError} when the provider cannot be reached or is configured wrongly */
  begin(options: BeginOptions): Promise<BindingMessage & { readonly secrets: AuthorizationSecrets }>;
  /** @throws {FederationError} when the answer is a denial, or does not prove anything */
  finish(reply: CallbackReply, secrets: AuthorizationSecrets): Promise<UpstreamIdentity>;
  /**
   * @returns undefined when the provider takes no logout
   * @throws {FederationError} when the provider cannot be reached or is configured wrongly
   */
  beginLogout?(options: LogoutOptions): Promise<BindingMessage | undefined>;
  /**
   * OpenID Connect Back-Channel Logout 1.0 §2.6 (S41).
   *
   * @throws {FederationError} when the token is not one, or not for us
   */
  readLogoutToken?(token: string): Promise<ReceivedLogout>;
  /**
   * OpenID Connect Front-Channel Logout 1.0 §2: parameters `iss` and `sid`.
   *
   * @returns the provider's session id
   * @throws {FederationError} when they are not there, or another provider's
   */
  readFrontChannelLogout?(parameters: ReadonlyMap<string, string>): string;
  /** @throws {FederationError} for every message that is not signed by the provider, for us and now (S48) */
  readSamlLogout?(message: SamlMessage): Promise<SamlLogoutMessage>;
  /**
   * Says to the provider that the sessions of its request have ended.
   *
   * @returns undefined when it has no address for that
   */
  answerSamlLogout?(
    request: Extract<SamlLogoutMessage, { readonly type: 'request' }>,
  ): Promise<BindingMessage | undefined>;
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

/** An upstream sign-in that did not work. */
export class FederationError extends Error {
  override readonly name = 'FederationError';
  readonly status: 400 | 401 | 403 | 503;
  readonly code: FederationErrorCode;

  /**
   * @param status   400 a malformed or foreign answer, 401 a proof that does not hold, 403 a denial, 503 no answer
   * @param message  for the person at the browser: no token, no assertion, no address of an internal host
   */
  constructor(
    status: FederationError['status'],
    message: string,
    { code = 'login_failed', ...options }: ErrorOptions & { readonly code?: FederationErrorCode } = {},
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

/** `forbidden`: the provider has proven who it is, and this console does not let them in (S45). */
export type FederationErrorCode = 'login_failed' | 'forbidden' | 'invalid_request';
