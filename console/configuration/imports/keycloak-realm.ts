/** What is read of an exported realm; the rest of it is passed over. */
import { z } from 'zod';

const text = z.string();
const isSo = z.boolean().default(false);
const texts = z.array(text).default([]);
const attributes = z.record(text, text).default({});
const role = z.looseObject({ name: text });
/** Of components: lists of one. */
const config = z.record(text, z.array(text)).default({});

const client = z.looseObject({
  clientId: text,
  name: text.optional(),
  enabled: z.boolean().default(true),
  protocol: text.default('openid-connect'),
  publicClient: isSo,
  bearerOnly: isSo,
  clientAuthenticatorType: text.default('client-secret'),
  secret: text.optional(),
  rootUrl: text.optional(),
  baseUrl: text.optional(),
  redirectUris: texts,
  webOrigins: texts,
  standardFlowEnabled: z.boolean().default(true),
  implicitFlowEnabled: isSo,
  directAccessGrantsEnabled: isSo,
  serviceAccountsEnabled: isSo,
  authorizationServicesEnabled: isSo,
  consentRequired: isSo,
  frontchannelLogout: isSo,
  attributes,
  protocolMappers: z.array(z.looseObject({ name: text, protocolMapper: text })).default([]),
});

const provider = z.looseObject({
  alias: text,
  displayName: text.optional(),
  providerId: text,
  enabled: z.boolean().default(true),
  config: attributes,
});

const providerMapper = z.looseObject({
  name: text,
  identityProviderAlias: text,
  identityProviderMapper: text,
  config: attributes,
});

const subComponent = z.looseObject({ name: text, providerId: text, config });
const storage = z.looseObject({
  name: text,
  providerId: text,
  config,
  subComponents: z.record(text, z.array(subComponent)).default({}),
});

interface GroupForm {
  readonly name: string;
  readonly path: string;
  readonly realmRoles: readonly string[];
}
const group: z.ZodType<GroupForm> = z
  .looseObject({ name: text, path: text.optional(), realmRoles: texts })
  .transform((one) => ({ ...one, path: one.path ?? `/${one.name}` }));

export const realmForm = z.looseObject({
  realm: text,
  roles: z
    .looseObject({ realm: z.array(role).default([]), client: z.record(text, z.array(role)).default({}) })
    .default({ realm: [], client: {} }),
  groups: z.array(group).default([]),
  users: z
    .array(z.looseObject({ username: text, serviceAccountClientId: text.optional(), realmRoles: texts }))
    .default([]),
  clients: z.array(client).default([]),
  clientScopes: z.array(z.looseObject({ name: text, protocol: text.optional() })).default([]),
  identityProviders: z.array(provider).default([]),
  identityProviderMappers: z.array(providerMapper).default([]),
  components: z.record(text, z.array(z.unknown())).default({}),
  authenticationFlows: z.array(z.looseObject({ alias: text, builtIn: z.boolean().optional() })).default([]),
  accessTokenLifespan: z.number().optional(),
  ssoSessionIdleTimeout: z.number().optional(),
  ssoSessionMaxLifespan: z.number().optional(),
  passwordPolicy: text.optional(),
  smtpServer: z.record(text, z.unknown()).default({}),
  registrationAllowed: isSo,
  bruteForceProtected: isSo,
  organizationsEnabled: isSo,
});

export type Realm = z.output<typeof realmForm>;
export type RealmClient = z.output<typeof client>;
export type RealmProvider = z.output<typeof provider>;
export type RealmProviderMapper = z.output<typeof providerMapper>;
export type Storage = z.output<typeof storage>;

/** Where people come from besides the realm. */
export function storagesOf({ components }: Realm): readonly Storage[] {
  return (components['org.keycloak.storage.UserStorageProvider'] ?? []).flatMap((component) => {
    const read = storage.safeParse(component);
    return read.success ? [read.data] : [];
  });
}

/** What Keycloak writes instead of a secret: stars, or where a vault has it. */
export function shownSecret(text: string | undefined): string | undefined {
  return text === undefined || /^\*+$/.test(text) || /^\$\{vault\..*\}$/.test(text) ? undefined : text;
}

/** Clients that Keycloak has in every realm. */
export const ownClients: readonly string[] = [
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
];
