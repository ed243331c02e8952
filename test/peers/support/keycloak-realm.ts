/** A realm of Keycloak's with people, groups and one application, and its sign-in form. */
import type { Page } from 'playwright-core';
import type { Keycloak, Representation } from './keycloak.ts';

const password = 'correct-staple-battery-7';

/** Ada belongs to `admins`, Vera to `operators`, Eve to nobody's group. */
export const groupsOf = { ada: ['admins'], vera: ['operators'], eve: [] } as const;

type ClientRepresentation = Readonly<Record<string, unknown>>;

/** @param clients  their representations; group names are a claim of their ID tokens and of userinfo */
export function corporation(realm: string, ...clients: readonly ClientRepresentation[]): Representation {
  return {
    realm,
    groups: [{ name: 'admins' }, { name: 'operators' }],
    users: Object.entries(groupsOf).map(([username, groups]) => ({
      username,
      enabled: true,
      email: `${username}@corp.example`,
      emailVerified: true,
      firstName: `${username[0]!.toUpperCase()}${username.slice(1)}`,
      lastName: 'Lovelace',
      credentials: [{ type: 'password', value: password }],
      groups,
    })),
    clients: clients.map((client) => ({
      protocol: 'openid-connect',
      enabled: true,
      protocolMappers: [groupsClaim],
      ...client,
    })),
  };
}

const groupsClaim = {
  name: 'groups',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-group-membership-mapper',
  config: {
    'claim.name': 'groups',
    'full.path': 'false',
    'id.token.claim': 'true',
    'userinfo.token.claim': 'true',
  },
};

interface ClientScope {
  readonly id: string;
  readonly name: string;
  readonly protocolMappers?: readonly { readonly id: string; readonly config: Record<string, string> }[];
}

/** From then on what these scopes give is in userinfo alone, as many providers have it. */
export async function excludeFromIdTokens(
  keycloak: Keycloak,
  realm: string,
  names: readonly string[],
): Promise<void> {
  const scopes = await keycloak.manage<ClientScope[]>('GET', `/${realm}/client-scopes`);
  for (const { id, protocolMappers = [] } of scopes.filter(({ name }) => names.includes(name))) {
    for (const mapper of protocolMappers) {
      const path = `/${realm}/client-scopes/${id}/protocol-mappers/models/${mapper.id}`;
      const config = { ...mapper.config, 'id.token.claim': 'false' };
      await keycloak.manage('PUT', path, { ...mapper, config });
    }
  }
}

/** Lets an application in by the metadata document that it gives out itself. */
export async function trustByMetadata(keycloak: Keycloak, realm: string, document: string): Promise<void> {
  const converted = await keycloak.manage<{ readonly attributes?: Record<string, string> }>(
    'POST',
    `/${realm}/client-description-converter`,
    document,
  );
  const attributes = {
    ...converted.attributes,
    saml_name_id_format: 'persistent',
    saml_force_name_id_format: 'true',
  };
  await keycloak.manage('POST', `/${realm}/clients`, {
    ...converted,
    attributes,
    protocolMappers: [
      samlMapper('saml-group-membership-mapper', 'groups', { 'full.path': 'false' }),
      samlMapper('saml-user-property-mapper', 'email', { 'user.attribute': 'email' }),
      samlMapper('saml-user-property-mapper', 'username', { 'user.attribute': 'username' }),
    ],
  });
}

function samlMapper(protocolMapper: string, name: string, config: Readonly<Record<string, string>>) {
  const named = { 'attribute.name': name, 'attribute.nameformat': 'Basic', ...config };
  return { name, protocol: 'saml', protocolMapper, config: named };
}

export async function typeInAtKeycloak(page: Page, username: string): Promise<void> {
  const name = page.getByLabel('Username or email');
  // Asked again, it knows whom it asks.
  if (await name.isVisible()) await name.fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}
