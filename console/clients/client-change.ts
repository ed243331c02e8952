/** What an administrator changes about a client that is there, and what of its tokens such a change ends. */
import { checkRolesExist } from '../accounts/roles.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import { type Addresses, type CheckOutboundUrl, checkAddresses } from './client-addresses.ts';
import { checkMaxRoles, checkName, checkPkce, checkScopes, checkShape } from './client-rules.ts';
import { invalid } from './registration-errors.ts';
import { ceilingOf, isUnder } from './role-ceiling.ts';

/** What is left out stays. */
export interface ClientChange {
  /** What people see; an empty one is none. */
  readonly name?: string;
  /** All that it may ask for from then on. */
  readonly scopes?: readonly string[];
  /** Whether each of its tokens is bound to a key (RFC 9449 §5.2). */
  readonly dpopBoundAccessTokens?: boolean;
  /** What it has to send with an authorization request. */
  readonly pkce?: string;
  /** All that it gets of its users' roles from then on. */
  readonly maxRoles?: readonly string[];
  /** All of them from then on. */
  readonly redirectUris?: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  /** An empty one is none. */
  readonly backchannelLogoutUri?: string;
  readonly frontchannelLogoutUri?: string;
}

/** The client as it is from then on, and whether what it has had until then is void. */
export interface ChangedClient {
  readonly client: ClientRecord;
  readonly isVoided: boolean;
}

/** @throws {ProblemError} `invalid_request`, `invalid_url` */
export function changedClient(
  before: ClientRecord,
  change: ClientChange,
  source: Pick<Registry, 'get' | 'all'>,
  checkOutboundUrl: CheckOutboundUrl,
): ChangedClient {
  const { name, dpopBoundAccessTokens, backchannelLogoutUri, frontchannelLogoutUri, ...rest } = before;
  const { scopes, pkce, maxRoles } = change;
  checkRolesExist(source, maxRoles ?? []);
  const isBound = change.dpopBoundAccessTokens ?? dpopBoundAccessTokens ?? false;
  const shownName = change.name ?? name;
  const client: ClientRecord = {
    ...rest,
    ...(shownName ? { name: checkName(shownName) } : {}),
    ...addressesOf(before, change, checkOutboundUrl),
    ...(scopes === undefined ? {} : { scopes: checkScopes(scopes, before.grantTypes) }),
    ...(pkce === undefined ? {} : { pkce: checkPkce(pkce, before) }),
    ...(maxRoles === undefined ? {} : { maxRoles: checkMaxRoles(maxRoles, before.grantTypes) }),
    ...(isBound ? { dpopBoundAccessTokens: true } : {}),
  };
  return { client, isVoided: takesAway(before, client) };
}

/** Those of before, unless the change says otherwise; looked at when it says anything about them. */
function addressesOf(before: ClientRecord, change: ClientChange, check: CheckOutboundUrl): Addresses {
  const back = change.backchannelLogoutUri ?? before.backchannelLogoutUri;
  const front = change.frontchannelLogoutUri ?? before.frontchannelLogoutUri;
  const wanted = {
    redirectUris: change.redirectUris ?? before.redirectUris,
    postLogoutRedirectUris: change.postLogoutRedirectUris ?? before.postLogoutRedirectUris,
    ...(back ? { backchannelLogoutUri: back } : {}),
    ...(front ? { frontchannelLogoutUri: front } : {}),
  };
  if (!addressNames.some((name) => change[name] !== undefined)) return wanted;
  const { isPublic, isFirstParty, grantTypes: grants } = before;
  if (!grants.includes('authorization_code')) throw invalid(machineAddresses);
  const addresses = checkAddresses(wanted, check);
  checkShape({ isPublic, isFirstParty, addresses, grants });
  return addresses;
}

const machineAddresses = 'Addresses belong to the grant authorization_code, which this client lacks.';

const addressNames = [
  'redirectUris',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'frontchannelLogoutUri',
] as const;

/** A scope, bearer tokens, a role, or an address at which codes have arrived. */
function takesAway(before: ClientRecord, after: ClientRecord): boolean {
  return (
    (after.dpopBoundAccessTokens === true && before.dpopBoundAccessTokens !== true) ||
    before.scopes.some((scope) => !after.scopes.includes(scope)) ||
    before.redirectUris.some((uri) => !after.redirectUris.includes(uri)) ||
    isCeilingLowered(before, after)
  );
}

/** One that is raised ends sign-ins too where people consent: it was not on the page that they have seen. */
function isCeilingLowered(before: ClientRecord, after: ClientRecord): boolean {
  const [was, is] = [ceilingOf(before), ceilingOf(after)];
  if (was === is || (was?.length === is?.length && was?.every((role) => is?.includes(role)))) return false;
  return !after.isFirstParty || (was ?? ['Admin']).some((role) => !isUnder(is, role));
}
