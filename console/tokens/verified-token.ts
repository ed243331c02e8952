/** A signed access token that has passed every check; the check itself is handed in. */
export interface VerifiedToken {
  readonly subject: string;
  readonly clientId: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly jti: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Of the key that the token is bound to (RFC 9449 §6.1); absent for a bearer token. */
  readonly keyThumbprint?: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Checks a token that somebody asks about. @throws {ProblemError} `invalid_token` */
export type InspectToken = (token: string) => VerifiedToken | Promise<VerifiedToken>;

/** A compact JWS rather than one of the library's opaque tokens. */
export function isJwt(token: string): boolean {
  return token.split('.').length === 3;
}
