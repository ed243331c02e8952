/**
 * What access tokens are for. Each is for one resource (RFC 8707) and opens nothing at the other, so that an
 * application that reads maps cannot turn round and change clients (RFC 9700 §2.3, S96).
 */
import { OAuthError } from '../../platform/errors.ts';
import { isApiScope } from '../clients/scopes.ts';

/** Resource identifiers, which are the `aud` of their tokens. */
export interface Resources {
  /** The member surface; what nobody asks about otherwise. */
  readonly members: string;
  /** The admin API. */
  readonly api: string;
}

/**
 * @param url       CONSOLE_URL
 * @param audience  CONSOLE_AUDIENCE
 */
export function resourcesOf({
  url,
  audience,
}: {
  readonly url: string;
  readonly audience: string;
}): Resources {
  return { members: audience, api: `${url}/api` };
}

/** In words for whoever asked for something else. */
export function knownResources({ members, api }: Resources): string {
  return `the resources here are ${members} and ${api}`;
}

/**
 * The resource that a machine asks for, by name or by its scopes.
 *
 * @param requested  the `resource` parameter, or undefined
 * @param scopes     each one known
 * @throws {OAuthError} `invalid_target` for one that is not known, and for more than one
 */
export function machineResource(
  resources: Resources,
  requested: string | undefined,
  scopes: readonly string[],
): string {
  const { members, api } = resources;
  if (requested !== undefined && requested !== members && requested !== api) {
    throw new OAuthError('invalid_target', `the resource is not known here: ${knownResources(resources)}`);
  }
  const asksForApi = scopes.some(isApiScope);
  const resource = requested ?? (asksForApi ? api : members);
  const foreign = scopes.find((scope) => (resource === api ? scope.startsWith('svc:') : isApiScope(scope)));
  if (foreign === undefined) return resource;
  const other = resource === api ? members : api;
  throw new OAuthError(
    'invalid_target',
    `a token is for one resource: ask for ${foreign} in a token of its own, with resource=${other}`,
  );
}
