/** What scopes there are, what they stand for, and which of them machines get (RFC 6749 §3.3). */
import { OAuthError } from '../../platform/errors.ts';
import type { ClientRecord, Role } from '../storage/records.ts';

/** The client of docs/surface.md#machine-tokens: it alone is an administrator when it asks for no role scope. */
export const applicationClientId = 'application-client';

export const identityScopes: readonly string[] = ['openid', 'email', 'profile'];

/** Role scopes and the role each gives (docs/surface.md#machine-tokens). */
export const roleScopes: ReadonlyMap<string, Role> = new Map([
  ['app:Viewer', 'Viewer'],
  ['app:MetricsViewer', 'MetricsViewer'],
]);

/** The scope that opens them. */
export const revocationEventsScope = 'api:revocations:read';

/** Where a member proxy in a process of its own reports what it has refused, and what was used there (`POST /api/v1/refusals`, `/usage-reports`, `/process-reports`). */

/** The scope that opens it. */
export const denialReportsScope = 'api:refusals:write';

/** Of proxies in processes of their own, for machines alone: no role and no wider scope stands in for them. */
const proxyScopes: readonly string[] = [revocationEventsScope, denialReportsScope];

/** What scopes of the admin API name: the first words of the paths of its operations (docs/admin-api.md#who-may). */
export const apiObjects: readonly string[] = [
  'audit',
  'access',
  'applications',
  'approvals',
  'backups',
  'clients',
  'configuration',
  'cp',
  'elevations',
  'health',
  'identity-providers',
  'imports',
  'installation',
  'jobs',
  'keys',
  'licence',
  'maps',
  'members',
  'operations',
  'queues',
  'roles',
  'sessions',
  'settings',
  'traffic',
  'users',
  'wan',
];

/** `api:<object>:read` or `:write`, with `*` for every object. Machines ask for them, and custom roles may hold them. */
export function isApiPermission(scope: string): boolean {
  const object = /^api:([a-z-]+|\*):(?:read|write)$/.exec(scope)?.[1];
  return object === '*' || (object !== undefined && apiObjects.includes(object));
}

/** What opens parts of the console's own API, for machines. */
export function isApiScope(scope: string): boolean {
  return proxyScopes.includes(scope) || isApiPermission(scope);
}

/**
 * The requested scopes of a machine, each one known and registered for the client. Nothing is dropped
 * silently: a dropped role scope would leave an administrator behind (S11).
 *
 * @param requested  the `scope` parameter, or undefined
 * @throws {OAuthError} `invalid_scope`
 */
export function clientCredentialsScopes(
  client: ClientRecord,
  requested: string | undefined,
): readonly string[] {
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
