/** What an access token says (docs/surface.md#access-tokens, RFC 9068 §2.2). Machines and people get the same shape. */

export interface AccessTokenSubject {
  readonly subject: string;
  readonly username: string;
  readonly email?: string | undefined;
  readonly roles: readonly string[];
}

export interface AccessTokenGrant extends AccessTokenSubject {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The claims besides `iss`, `aud`, `iat`, `exp` and `jti`. */
export function describingClaims({ subject, username, email, roles, clientId, scopes }: AccessTokenGrant) {
  return {
    sub: subject,
    client_id: clientId,
    clientId,
    scope: scopes.join(' '),
    roles,
    realm_access: { roles },
    ...(scopes.includes('profile') ? { preferred_username: username } : {}),
    ...(scopes.includes('email') && email !== undefined ? { email } : {}),
  };
}
