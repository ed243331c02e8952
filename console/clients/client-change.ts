/** What an administrator changes about a client that is there, and what of its tokens such a change ends. */
import type { ClientRecord } from '../storage/records.ts';
import { type Addresses, type CheckOutboundUrl, checkAddresses } from './client-addresses.ts';
import { hasAllKeys } from './client-keys.ts';
import {
  checkGrants,
  checkKeysOf,
  checkMaxRoles,
  checkName,
  checkPkce,
  checkScopes,
  checkShape,
  checkTokenAlg,
  checkTokenTtl,
  checkTokenTyp,
  impliedGrants,
  impliedScopes,
  type NewClient,
} from './client-rules.ts';
import { pkcePolicyOf } from './pkce.ts';
import { invalid } from './registration-errors.ts';
import { ceilingOf, isUnder } from './role-ceiling.ts';

/** What is left out stays; null is what a client has of which nothing is said. */
export interface ClientChange {
  /** What people see; an empty one is none. */
  readonly name?: string;
  readonly isPublic?: boolean;
  readonly isFirstParty?: boolean;
  /** All of them from then on. */
  readonly grantTypes?: readonly string[] | null;
  /** All that it may ask for from then on. */
  readonly scopes?: readonly string[] | null;
  readonly tokenAlg?: string;
  readonly tokenTyp?: string;
  readonly tokenTtlSeconds?: number | null;
  /** Whether each of its tokens is bound to a key (RFC 9449 §5.2). */
  readonly dpopBoundAccessTokens?: boolean;
  /** All public keys by which it proves who it is from then on. */
  readonly jwks?: { readonly keys: readonly unknown[] } | null;
  /** What it has to send with an authorization request. */
  readonly pkce?: string | null;
  /** All that it gets of its users' roles from then on. */
  readonly maxRoles?: readonly string[] | null;
  /** All of them from then on. */
  readonly redirectUris?: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  /** An empty one is none. */
  readonly backchannelLogoutUri?: string;
  readonly frontchannelLogoutUri?: string;
  readonly logoUri?: string;
  readonly clientUri?: string;
}

/** The client as it is from then on, and whether what it has had until then is void. */
export interface ChangedClient {
  readonly client: ClientRecord;
  readonly isVoided: boolean;
}

/**
 * Looks at what is changed and at nothing else: a rule that came later keeps nobody from changing the rest.
 *
 * @throws {ProblemError} `invalid_request`, `invalid_url`
 */
export function changedClient(
  before: ClientRecord,
  change: ClientChange,
  checkOutboundUrl: CheckOutboundUrl,
): ChangedClient {
  const { name, dpopBoundAccessTokens, tokenTtlSeconds, pkce, maxRoles, jwks: _keys, ...named } = before;
  const { backchannelLogoutUri, frontchannelLogoutUri, logoUri, clientUri, ...rest } = named;
  const shape = shapeOf(before, change, checkOutboundUrl);
  const { isPublic, isFirstParty, addresses, grants } = shape;
  const shownName = change.name ?? name;
  const client: ClientRecord = {
    ...rest,
    isPublic,
    isFirstParty,
    secrets: isPublic ? [] : before.secrets,
    ...(shownName ? { name: checkName(shownName) } : {}),
    ...addresses,
    grantTypes: grants,
    scopes: scopesOf(before, change, shape),
    tokenAlg: change.tokenAlg === undefined ? before.tokenAlg : checkTokenAlg(change.tokenAlg),
    tokenTyp: change.tokenTyp === undefined ? before.tokenTyp : checkTokenTyp(change.tokenTyp),
    ...present('tokenTtlSeconds', ttlOf(before, change)),
    ...present('jwks', keysAfter(before, change, shape)),
    ...present('pkce', pkceAfter(before, change, shape)),
    ...present('maxRoles', ceilingAfter(before, change, shape)),
    ...((change.dpopBoundAccessTokens ?? dpopBoundAccessTokens) ? { dpopBoundAccessTokens: true } : {}),
  };
  return { client, isVoided: takesAway(before, client) };
}

interface Shape {
  readonly isPublic: boolean;
  readonly isFirstParty: boolean;
  readonly addresses: Addresses;
  readonly grants: readonly string[];
  /** It was another one. */
  readonly isNew: boolean;
}

function shapeOf(before: ClientRecord, change: ClientChange, check: CheckOutboundUrl): Shape {
  const { isPublic = before.isPublic, isFirstParty = before.isFirstParty } = change;
  const wanted = wantedAddresses(before, change);
  const grants = grantsAfter(before, change, wanted.redirectUris);
  const isElsewhere = addressNames.some((name) => !isSame(wanted[name], before[name]));
  if (isElsewhere && !grants.includes('authorization_code') && Object.values(wanted).flat().length > 0)
    throw invalid(machineAddresses);
  const addresses = isElsewhere ? checkAddresses(wanted, check) : wanted;
  const isNew =
    isElsewhere ||
    grants !== before.grantTypes ||
    isPublic !== before.isPublic ||
    isFirstParty !== before.isFirstParty;
  if (isNew) checkShape({ isPublic, isFirstParty, addresses, grants });
  return { isPublic, isFirstParty, addresses, grants, isNew };
}

const machineAddresses = 'Addresses belong to the grant authorization_code, which this client lacks.';

const addressNames = [
  'redirectUris',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'frontchannelLogoutUri',
  'logoUri',
  'clientUri',
] as const;

/** Those of before, unless the change says otherwise. */
function wantedAddresses(before: ClientRecord, change: ClientChange): Addresses {
  const { redirectUris = before.redirectUris, postLogoutRedirectUris = before.postLogoutRedirectUris } =
    change;
  const back = change.backchannelLogoutUri ?? before.backchannelLogoutUri;
  const front = change.frontchannelLogoutUri ?? before.frontchannelLogoutUri;
  const logo = change.logoUri ?? before.logoUri;
  const home = change.clientUri ?? before.clientUri;
  return {
    redirectUris: kept(before.redirectUris, redirectUris),
    postLogoutRedirectUris: kept(before.postLogoutRedirectUris, postLogoutRedirectUris),
    ...(back ? { backchannelLogoutUri: back } : {}),
    ...(front ? { frontchannelLogoutUri: front } : {}),
    ...(logo ? { logoUri: logo } : {}),
    ...(home ? { clientUri: home } : {}),
  };
}

function grantsAfter(
  { grantTypes }: ClientRecord,
  change: ClientChange,
  redirectUris: readonly string[],
): readonly string[] {
  if (change.grantTypes === undefined) return grantTypes;
  return kept(grantTypes, checkGrants(change.grantTypes ?? impliedGrants(redirectUris)));
}

function scopesOf(before: ClientRecord, change: ClientChange, { grants }: Shape): readonly string[] {
  const wanted =
    change.scopes === undefined ? before.scopes : kept(before.scopes, change.scopes ?? impliedScopes(grants));
  const isSaid = change.scopes !== undefined && wanted !== before.scopes;
  return isSaid || grants !== before.grantTypes ? checkScopes(wanted, grants) : before.scopes;
}

function ttlOf(before: ClientRecord, change: ClientChange): number | undefined {
  const { tokenTtlSeconds: seconds } = change;
  if (seconds === undefined || seconds === before.tokenTtlSeconds) return before.tokenTtlSeconds;
  return seconds === null ? undefined : checkTokenTtl(seconds);
}

function keysAfter({ jwks: before }: ClientRecord, change: ClientChange, { isPublic }: Shape) {
  const wanted = change.jwks === undefined ? before : (change.jwks ?? undefined);
  return wanted && checkKeysOf({ isPublic }, wanted);
}

/** One that says what holds already is no change. */
function pkceAfter(before: ClientRecord, change: ClientChange, { isPublic, grants, isNew }: Shape) {
  const wanted = change.pkce === undefined ? before.pkce : (change.pkce ?? undefined);
  const policy = wanted === undefined ? undefined : checkPkce(wanted, { isPublic, grantTypes: grants });
  const isTheSame = pkcePolicyOf({ isPublic, ...present('pkce', policy) }) === pkcePolicyOf(before);
  return isTheSame && !isNew ? before.pkce : policy;
}

function ceilingAfter(before: ClientRecord, change: ClientChange, { isFirstParty, grants, isNew }: Shape) {
  const wanted = change.maxRoles === undefined ? before.maxRoles : (change.maxRoles ?? undefined);
  const isAsked = isNew || change.maxRoles !== undefined;
  const ceiling = wanted !== undefined && isAsked ? checkMaxRoles(wanted, grants) : wanted;
  const isTheSame = isSame(ceilingOf({ isFirstParty, ...present('maxRoles', ceiling) }), ceilingOf(before));
  return isTheSame && !isNew ? before.maxRoles : ceiling;
}

/** A grant, a scope, bearer tokens, a role, consent, an address at which codes have arrived, or what it proved itself by. */
function takesAway(before: ClientRecord, after: ClientRecord): boolean {
  return (
    (after.dpopBoundAccessTokens === true && before.dpopBoundAccessTokens !== true) ||
    after.isPublic !== before.isPublic ||
    (before.isFirstParty && !after.isFirstParty) ||
    lacks(after.grantTypes, before.grantTypes) ||
    lacks(after.scopes, before.scopes) ||
    lacks(after.redirectUris, before.redirectUris) ||
    !hasAllKeys(before.jwks, after.jwks) ||
    isCeilingLowered(before, after)
  );
}

function lacks(after: readonly string[], before: readonly string[]): boolean {
  return before.some((one) => !after.includes(one));
}

/** One that is raised ends sign-ins too where people consent: it was not on the page that they have seen. */
function isCeilingLowered(before: ClientRecord, after: ClientRecord): boolean {
  const [was, is] = [ceilingOf(before), ceilingOf(after)];
  if (isSame(was, is)) return false;
  return !after.isFirstParty || (was ?? ['Admin']).some((role) => !isUnder(is, role));
}

/** The order of scopes, roles, grants and addresses means nothing. */
function kept(before: readonly string[], wanted: readonly string[]): readonly string[] {
  return isSame(before, wanted) ? before : wanted;
}

type Said = string | readonly string[] | undefined;

function isSame(one: Said, other: Said): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  const [these, those] = [new Set(one), new Set(other)];
  return these.size === those.size && [...these].every((text) => those.has(text));
}

function present<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: T });
}

/** All that can be said of a client, with what it has where nothing is. */
export function wholeChange(newClient: NewClient): Required<ClientChange> {
  const { id: _id, ...said } = newClient;
  return { ...nothingSaid, ...said };
}

const nothingSaid: Required<ClientChange> = {
  name: '',
  isPublic: false,
  isFirstParty: false,
  grantTypes: null,
  scopes: null,
  tokenAlg: 'RS256',
  tokenTyp: 'JWT',
  tokenTtlSeconds: null,
  dpopBoundAccessTokens: false,
  jwks: null,
  pkce: null,
  maxRoles: null,
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: '',
  frontchannelLogoutUri: '',
  logoUri: '',
  clientUri: '',
};
