/**
 * A provider without some of what was said of it: what is then read anew has its default there again. A patch names
 * such fields with null (RFC 7396); for a replacement they are all but the secrets.
 */
import type { Provider } from './schema.ts';

/** Where a provider has what a field said; `*` stands for its kind. */
const places = {
  name: 'name',
  position: 'position',
  roleRules: 'roleRules.rules',
  defaultRole: 'roleRules.defaultRole',
  scopes: 'oidc.scopes',
  idTokenAlg: 'oidc.idTokenAlg',
  authorizationEndpoint: 'oidc.endpoints.authorization',
  tokenEndpoint: 'oidc.endpoints.token',
  jwksUri: 'oidc.endpoints.keys',
  userinfoEndpoint: 'oidc.endpoints.userinfo',
  endSessionEndpoint: 'oidc.endpoints.endSession',
  metadataUrl: 'saml.metadataUrl',
  metadataCertificate: 'saml.metadataCertificate',
  signRequests: 'saml.signing',
  encryptedAssertions: 'saml.encryption',
  nameIdFormat: 'saml.nameIdFormat',
  subjectAttribute: '*.subjectAttribute',
  startTls: 'ldap.startTls',
  ca: 'ldap.ca',
  allowPlaintext: 'ldap.allowPlaintext',
  userFilter: 'ldap.find.filter',
  groupBaseDn: 'ldap.groups',
  groupAttribute: 'ldap.groups.memberAttribute',
  groupNameAttribute: 'ldap.groups.nameAttribute',
  groupFilter: 'ldap.groups.filter',
  usernameAttribute: 'ldap.usernameAttribute',
  emailAttribute: 'ldap.emailAttribute',
  nameAttribute: 'ldap.nameAttribute',
} as const;

/** Those that a new provider has to be given, in one way or another. */
const neededPlaces = ['oidc.issuer', 'oidc.clientId', 'ldap.url', 'ldap.find.bindDn', 'ldap.find.baseDn'];

export type FieldWithDefault = keyof typeof places;

/** Fields that can be left out, or taken back. */
export const fieldsWithDefault = Object.keys(places) as readonly FieldWithDefault[];

export function withoutFields(provider: Provider, fields: readonly FieldWithDefault[]): Provider {
  return without(
    provider,
    fields.map((field) => places[field]),
  );
}

/** Its secrets, the keys made for it, and the metadata that were pinned: what no replacement has to say again. */
export function secretsAlone(provider: Provider): Provider {
  const kept: readonly string[] = [places.signRequests, places.encryptedAssertions, places.metadataUrl];
  const gone = Object.values(places).filter(
    (place) => !kept.includes(place) && place !== places.metadataCertificate,
  );
  const bare = without(provider, [...gone, ...neededPlaces]);
  // People are found by their name only where that is said again.
  if (bare.kind !== 'ldap' || bare.ldap.find.by === 'search') return bare;
  const { find: _byName, ...ldap } = bare.ldap;
  return { ...bare, ldap } as Provider;
}

function without(provider: Provider, gone: readonly string[]): Provider {
  const bare = gone.reduce<object>(
    (left, place) => dropped(left, place.replace('*', provider.kind).split('.')),
    provider,
  ) as Provider;
  if (bare.kind !== 'oidc' || !bare.oidc.endpoints) return bare;
  // Without the addresses that go together there are none by hand.
  const { authorization, token, keys } = bare.oidc.endpoints as Partial<typeof bare.oidc.endpoints>;
  if ([authorization, token, keys].some((address) => address !== undefined)) return bare;
  const { endpoints: _none, ...oidc } = bare.oidc;
  return { ...bare, oidc };
}

function dropped(from: object, [name = '', ...deeper]: readonly string[]): object {
  const { [name]: value, ...rest } = from as Record<string, unknown>;
  if (deeper.length === 0) return rest;
  return typeof value === 'object' && value !== null ? { ...from, [name]: dropped(value, deeper) } : from;
}
