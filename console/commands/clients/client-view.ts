/** A client in words. */
import { type HoldView, type OwnerView, ownership } from '../operations/owners.ts';
import { fields } from '../runner/output.ts';

/** As the API shows it. */
export interface ClientView {
  readonly id: string;
  readonly kind: 'machine' | 'application';
  readonly status: 'active' | 'disabled';
  readonly displayName: string | null;
  readonly scopes: readonly string[];
  readonly grants: readonly string[];
  readonly isPublic: boolean;
  readonly firstParty: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly backchannelLogoutUri: string | null;
  readonly frontchannelLogoutUri: string | null;
  readonly logoUri: string | null;
  readonly clientUri: string | null;
  readonly pkce: keyof typeof pkceInWords | null;
  readonly maxRoles: readonly string[] | null;
  readonly tokenAlg: string;
  readonly tokenTyp: string;
  readonly tokenTtlSeconds: number | null;
  readonly dpop: boolean;
  readonly jwks: { readonly keys: readonly { readonly kty: string; readonly kid?: string }[] } | null;
  readonly secrets: readonly SecretView[];
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
  readonly tokensLastHour: number;
  /** Of a machine, in a list. */
  readonly unused?: {
    readonly scopes: readonly string[] | null;
    readonly unknown: 'new' | 'uncounted' | 'pending' | null;
  };
  readonly owner: OwnerView;
  readonly hold: HoldView | null;
  readonly createdAt: string | null;
}

export interface SecretView {
  readonly id: string;
  readonly createdAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly endsOnUseOf: string | null;
}

export const headings = ['ID', 'NAME', 'KIND', 'STATE', 'LAST USED', 'UNUSED', 'SCOPES'];

export function rowOf(client: ClientView): readonly string[] {
  const { id, displayName, lastUsedAt, scopes } = client;
  return [
    ...[id, displayName ?? '', kindOf(client), stateOf(client), minuteOf(lastUsedAt)],
    unusedIn(client),
    scopes.join(' '),
  ];
}

function unusedIn({ unused }: ClientView): string {
  if (unused?.unknown === 'pending') return 'pending';
  return String(unused?.scopes?.length ?? '-');
}

export function describe(client: ClientView): string {
  const { kind, tokenAlg, tokenTyp, tokenTtlSeconds, dpop, pkce } = client;
  const signsPeopleIn = kind === 'application';
  const life = tokenTtlSeconds === null ? '' : `, for ${tokenTtlSeconds} s`;
  return fields({
    id: client.id,
    name: client.displayName ?? undefined,
    kind: kindOf(client),
    state: stateOf(client),
    ...ownership(client),
    consent: client.firstParty ? 'not asked for' : undefined,
    grants: client.grants.join(', '),
    scopes: client.scopes.join(' '),
    'roles at most': signsPeopleIn ? ceilingInWords(client) : undefined,
    'redirect addresses': client.redirectUris,
    'post-logout addresses': client.postLogoutUris,
    'back-channel logout': client.backchannelLogoutUri ?? undefined,
    'front-channel logout': client.frontchannelLogoutUri ?? undefined,
    logo: client.logoUri ?? undefined,
    'home page': client.clientUri ?? undefined,
    PKCE: pkce === null ? undefined : pkceInWords[pkce],
    tokens: `${tokenTyp}, ${tokenAlg}${dpop ? ', bound to a key (DPoP)' : ''}${life}`,
    secrets: client.secrets.map(secretInWords),
    keys: client.jwks?.keys.map(({ kty, kid }) => (kid === undefined ? kty : `${kid} (${kty})`)),
    added: client.createdAt ?? 'follows from the settings',
    'last used': minuteOf(client.lastUsedAt),
    'last used from': client.lastUsedFrom ?? undefined,
    'tokens in an hour': String(client.tokensLastHour),
  });
}

function secretInWords({ id, createdAt, lastUsedAt, expiresAt, endsOnUseOf }: SecretView): string {
  if (createdAt === null) return 'of the settings';
  const end = expiresAt === null ? '' : `, ends ${expiresAt}`;
  const wait = endsOnUseOf === null ? '' : `, ends when ${endsOnUseOf} is used`;
  return `${id}, of ${createdAt}, last used: ${minuteOf(lastUsedAt)}${end}${wait}`;
}

function ceilingInWords({ maxRoles }: ClientView): string {
  if (maxRoles === null) return 'all of its users';
  return maxRoles.length === 0 ? 'none' : maxRoles.join(', ');
}

const pkceInWords = {
  required: 'required',
  nonce: 'PKCE or a nonce',
  optional: 'optional: neither PKCE nor a nonce is asked for',
} as const;

/** UTC, to the minute. */
function minuteOf(at: string | null): string {
  return at === null ? 'never' : `${at.slice(0, 16)}Z`;
}

function kindOf({ kind, isPublic }: ClientView): string {
  return kind === 'application' && isPublic ? 'public application' : kind;
}

function stateOf({ status, owner }: ClientView): string {
  return `${status}${owner.kind === 'settings' ? ', from the settings' : ''}`;
}
