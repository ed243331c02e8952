/**
 * What a client may be registered as. Whoever registers clients (command line, admin API) goes through
 * these checks; their messages are for the administrator who typed the value.
 */
import { clientSecret, InvalidValueError } from '../../platform/checks.ts';
import { tokenAlgs } from '../keys/keys.ts';
import type { ClientKeys, PkcePolicy, TokenAlg, TokenTyp } from '../storage/records.ts';
import { type Addresses, type CheckOutboundUrl, checkAddresses } from './client-addresses.ts';
import { checkKeys } from './client-keys.ts';
import { pkcePolicies } from './pkce.ts';
import { invalid, shown, unique } from './registration-errors.ts';
import { identityScopes, isApiPermission, isApiScope, roleScopes } from './scopes.ts';

/** What an administrator says about a new client; what is left out has a default. */
export interface NewClient extends Partial<Addresses> {
  readonly id: string;
  /** What people see; by default the id. */
  readonly name?: string;
  /** Has no secret: a page or an application on somebody's device, which could not keep one. */
  readonly isPublic?: boolean;
  /** Skips the consent page. */
  readonly isFirstParty?: boolean;
  /** By default what the redirect addresses imply: people sign in, or a machine asks for itself. */
  readonly grantTypes?: readonly string[];
  readonly scopes?: readonly string[];
  /** The most that it gets of its users' roles; by default everything when first-party, else nothing. */
  readonly maxRoles?: readonly string[];
  /** By default RS256, which every resource server reads. */
  readonly tokenAlg?: string;
  /** By default JWT: widespread resource servers refuse at+jwt. */
  readonly tokenTyp?: string;
  /** By default that of the settings. */
  readonly tokenTtlSeconds?: number;
  /** By default PKCE or a nonce; a public client always needs PKCE. */
  readonly pkce?: string;
  /** Public keys by which it proves who it is (RFC 7523): then it gets no secret, unless one is given. */
  readonly jwks?: { readonly keys: readonly unknown[] };
  /** Every token is bound to a key of the client (RFC 9449 §5.2); by default it may choose. */
  readonly dpopBoundAccessTokens?: boolean;
}

/** A {@link NewClient} with every default filled in and every value checked. */
export interface CheckedClient extends Addresses {
  readonly id: string;
  readonly name?: string;
  readonly isPublic: boolean;
  readonly isFirstParty: boolean;
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  readonly maxRoles?: readonly string[];
  readonly tokenAlg: TokenAlg;
  readonly tokenTyp: TokenTyp;
  readonly tokenTtlSeconds?: number;
  readonly pkce?: PkcePolicy;
  readonly jwks?: ClientKeys;
  readonly dpopBoundAccessTokens?: boolean;
}

export const grantTypes: readonly string[] = ['authorization_code', 'refresh_token', 'client_credentials'];
export const tokenTyps: readonly TokenTyp[] = ['JWT', 'at+jwt'];

/** Life of an access token, seconds. What is kept for as long as a token may live, is kept for the longest. */
export const tokenTtlRange = { min: 60, max: 3600 } as const;

const secretLength = { min: 32, max: 256 } as const;

/** @throws {ProblemError} `invalid_request` or `invalid_url` with the first thing that is wrong */
export function checkNewClient(client: NewClient, checkOutboundUrl: CheckOutboundUrl): CheckedClient {
  const { id, isPublic = false, isFirstParty = false, dpopBoundAccessTokens = false } = client;
  checkClientId(id);
  const addresses = checkAddresses(client, checkOutboundUrl);
  const grants = checkGrants(client.grantTypes ?? impliedGrants(addresses.redirectUris));
  checkShape({ isPublic, isFirstParty, addresses, grants });
  const jwks = client.jwks && checkKeysOf({ isPublic }, client.jwks);
  return {
    id,
    isPublic,
    isFirstParty,
    ...(client.name === undefined ? {} : { name: checkName(client.name) }),
    ...addresses,
    grantTypes: grants,
    scopes: checkScopes(client.scopes ?? impliedScopes(grants), grants),
    ...(client.maxRoles === undefined ? {} : { maxRoles: checkMaxRoles(client.maxRoles, grants) }),
    tokenAlg: checkTokenAlg(client.tokenAlg ?? 'RS256'),
    tokenTyp: checkTokenTyp(client.tokenTyp ?? 'JWT'),
    ...(client.tokenTtlSeconds === undefined
      ? {}
      : { tokenTtlSeconds: checkTokenTtl(client.tokenTtlSeconds) }),
    ...(client.pkce === undefined ? {} : { pkce: checkPkce(client.pkce, { isPublic, grantTypes: grants }) }),
    ...(jwks === undefined ? {} : { jwks }),
    ...(dpopBoundAccessTokens ? { dpopBoundAccessTokens } : {}),
  };
}

/** @throws {ProblemError} `invalid_request` */
export function checkKeysOf(
  { isPublic }: Pick<CheckedClient, 'isPublic'>,
  jwks: { readonly keys: readonly unknown[] },
): ClientKeys {
  if (isPublic)
    throw invalid('A public client has no keys: it could not keep their private halves.', '/jwks');
  return checkKeys(jwks);
}

/**
 * The same rules as for the secret in the settings, and its warning is an error here.
 *
 * @throws {ProblemError} `invalid_request`; the message does not repeat the secret
 */
export function checkClientSecret(secret: string): string {
  if (secret.length < secretLength.min || secret.length > secretLength.max) {
    throw invalid(`A client secret has ${secretLength.min} to ${secretLength.max} characters.`, '/secret');
  }
  try {
    clientSecret(secret);
    return secret;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw invalid(`The client secret ${error.message}.`, '/secret');
  }
}

/**
 * What people see on pages: one line without what would steer a terminal or turn the writing round.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkName(name: string): string {
  const trimmed = name.trim();
  const isFit =
    trimmed !== '' && [...trimmed].length <= 64 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(trimmed);
  if (isFit) return trimmed;
  throw invalid('A name has 1 to 64 characters, none of which is a control character.', '/displayName');
}

/** No colon, so that Basic credentials have one reading; no UUID, since that is how subjects look (S14). */
function checkClientId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) {
    throw invalid(
      'A client id has 1 to 64 letters (a to z), digits and the characters . _ - and starts with a letter or a digit.',
      '/id',
    );
  }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    throw invalid('A client id must not look like the id of a user (a UUID).', '/id');
  }
}

/** Where there is something to come back to, people sign in. */
export function impliedGrants(redirectUris: readonly string[]): readonly string[] {
  return redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : ['client_credentials'];
}

/** @throws {ProblemError} `invalid_request` */
export function checkGrants(given: readonly string[]): readonly string[] {
  const grants = unique(given).map((grant, i) => checkOneOf('grant', grantTypes, grant, `/grants/${i}`));
  if (grants.length === 0) throw invalid('A client needs a grant.', '/grants');
  return grants;
}

/**
 * Registrations that could never work, or would open what nobody asked for.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkShape(client: {
  readonly isPublic: boolean;
  readonly isFirstParty: boolean;
  readonly addresses: Addresses;
  readonly grants: readonly string[];
}): void {
  const signsPeopleIn = client.grants.includes('authorization_code');
  if (client.isPublic && client.grants.includes('client_credentials')) {
    throw invalid('A public client cannot prove who it is, so client_credentials is not for it.');
  }
  if (signsPeopleIn && client.addresses.redirectUris.length === 0) {
    throw invalid('The grant authorization_code needs a redirect address.', '/redirectUris');
  }
  if (signsPeopleIn) return;
  if (client.grants.includes('refresh_token')) {
    throw invalid('The grant refresh_token goes with authorization_code.');
  }
  if (Object.values(client.addresses).flat().length > 0 || client.isFirstParty) {
    throw invalid('Addresses and consent belong to the grant authorization_code, which this client lacks.');
  }
}

export function impliedScopes(grants: readonly string[]): readonly string[] {
  return grants.includes('authorization_code') ? identityScopes : [];
}

/** @throws {ProblemError} `invalid_request` for a scope that there is not, or that is not for clients with these grants */
export function checkScopes(given: readonly string[], grants: readonly string[]): readonly string[] {
  return unique(given).map((scope, i) => {
    if (identityScopes.includes(scope) || roleScopes.has(scope)) return scope;
    if (scope === 'offline_access') {
      if (grants.includes('refresh_token')) return scope;
      throw invalid('The scope offline_access goes with the grant refresh_token.', `/scopes/${i}`);
    }
    if (!isMemberScope(scope) && !isApiScope(scope)) throw noScope(scope, `/scopes/${i}`);
    if (grants.includes('authorization_code')) {
      throw invalid(
        `The scope ${scope} is for machines: register a client of its own for it.`,
        `/scopes/${i}`,
      );
    }
    return scope;
  });
}

function noScope(scope: string, pointer: string) {
  const known = [...identityScopes, 'offline_access', ...roleScopes.keys()].join(', ');
  return invalid(
    `There is no scope ${shown(scope)}. Known are ${known}, svc:<group>:read or :write, svc:map:<name>:read or :write, svc:queue:<name>:offer, :poll or :size, and api:<object>:read or :write (docs/admin-api.md).`,
    pointer,
  );
}

/** What custom roles are made of. */
export function isPermission(scope: string): boolean {
  return isMemberScope(scope) || isApiPermission(scope);
}

/** docs/surface.md#scopes: groups, and single structures whose name may end in `*`. */
export function isMemberScope(scope: string): boolean {
  if (/^svc:(cluster|health|data|wan|cp|persistence):(read|write)$/.test(scope)) return true;
  const name = /^svc:(?:map:(.+):(?:read|write)|queue:(.+):(?:offer|poll|size))$/.exec(scope);
  // The characters of a scope (RFC 6749 §3.3), an asterisk only at the end.
  return /^(?:[!#-)+-[\]-~]+\*?|\*)$/.test(name?.[1] ?? name?.[2] ?? '');
}

/**
 * Whether there are such roles is decided with the registry at hand.
 *
 * @throws {ProblemError} `invalid_request` for a machine: its roles are its scopes
 */
export function checkMaxRoles(given: readonly string[], grants: readonly string[]): readonly string[] {
  if (grants.includes('authorization_code')) return unique(given);
  throw invalid(
    'A ceiling of roles is for applications that sign people in: a machine has the roles of its scopes.',
    '/maxRoles',
  );
}

/** @throws {ProblemError} `invalid_request` for a policy that there is not, or that this client cannot have */
export function checkPkce(
  given: string,
  { isPublic, grantTypes: grants }: Pick<CheckedClient, 'isPublic' | 'grantTypes'>,
): PkcePolicy {
  const policy = checkOneOf('PKCE policy', pkcePolicies, given, '/pkce');
  if (!grants.includes('authorization_code')) {
    throw invalid('PKCE belongs to the grant authorization_code, which this client lacks.', '/pkce');
  }
  if (isPublic && policy !== 'required') throw invalid('A public client always has to use PKCE.', '/pkce');
  return policy;
}

/** @throws {ProblemError} `invalid_request` */
export function checkTokenAlg(given: string): TokenAlg {
  return checkOneOf('token algorithm', tokenAlgs, given, '/tokenAlg');
}

/** @throws {ProblemError} `invalid_request` */
export function checkTokenTyp(given: string): TokenTyp {
  return checkOneOf('token type', tokenTyps, given, '/tokenTyp');
}

/** @throws {ProblemError} `invalid_request` */
export function checkTokenTtl(seconds: number): number {
  const { min, max } = tokenTtlRange;
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds;
  throw invalid(`Access tokens live ${min} to ${max} seconds.`, '/tokenTtlSeconds');
}

function checkOneOf<T extends string>(what: string, known: readonly T[], given: string, pointer?: string): T {
  const found = known.find((candidate) => candidate === given);
  if (found === undefined)
    throw invalid(`There is no ${what} ${shown(given)}. Known are ${known.join(', ')}.`, pointer);
  return found;
}
