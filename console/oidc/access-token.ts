/** What an access token says (docs/surface.md#access-tokens, RFC 9068 §2.2). Machines and people get the same shape. */
import { OAuthError } from '../errors.ts';
import type { ClientRecord, Role } from '../storage/records.ts';
import { refusalReportsScope } from './refusal-reports.ts';
import { tokenNewsScope } from './token-news.ts';

/** The client of docs/surface.md#machine-tokens: it alone is an administrator when it asks for no role scope. */
export const applicationClientId = 'application-client';

export const identityScopes: readonly string[] = ['openid', 'email', 'profile'];

/** Role scopes and the role each gives (docs/surface.md#machine-tokens). */
export const roleScopes: ReadonlyMap<string, Role> = new Map([
  ['app:Viewer', 'Viewer'],
  ['app:MetricsViewer', 'MetricsViewer'],
]);

/** What opens parts of the console's own API, for machines. */
export const apiScopes: readonly string[] = [tokenNewsScope, refusalReportsScope];

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

/**
 * The requested scopes of a machine, each one known and registered for the client. Nothing is dropped
 * silently: a dropped role scope would leave an administrator behind (S11).
 *
 * @param requested  the `scope` parameter, or undefined
 * @throws {OAuthError} `invalid_scope`
 */
export function machineScopes(client: ClientRecord, requested: string | undefined): readonly string[] {
  if (requested === undefined || requested === '') return [];
  const scopes = requested.split(' ');
  for (const scope of scopes) {
    if (!client.scopes.includes(scope)) {
      throw new OAuthError('invalid_scope', `this client may ask for: ${client.scopes.join(' ')}`);
    }
  }
  return [...new Set(scopes)];
}

/** Decided after every scope has been found known (docs/surface.md#machine-tokens). */
export function machineRoles(clientId: string, scopes: readonly string[]): readonly Role[] {
  const asked = scopes.flatMap((scope) => roleScopes.get(scope) ?? []);
  return asked.length === 0 && clientId === applicationClientId ? ['Admin'] : asked;
}
