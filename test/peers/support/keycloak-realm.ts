/** A realm of Keycloak's with people, groups and one application, and its sign-in form. */
import type { Page } from 'playwright-core';
import type { Keycloak, Representation } from './keycloak.ts';

const password = 'correct-staple-battery-7';

/** Ada belongs to `admins`, Vera to `operators`, Eve to nobody's group. */
export const groupsOf = { ada: ['admins'], vera: ['operators'], eve: [] } as const;
export type Member = keyof typeof groupsOf;

/** @param client  its representation; group names are a claim of its ID tokens and of userinfo */
export function corporation(realm: string, client: Readonly<Record<string, unknown>>): Representation {
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
    clients: [{ protocol: 'openid-connect', enabled: true, protocolMappers: [groupsClaim], ...client }],
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
export async function keepOutOfIdTokens(
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

export async function typeInAtKeycloak(page: Page, username: Member): Promise<void> {
  const name = page.getByLabel('Username or email');
  // Asked again, it knows whom it asks.
  if (await name.isVisible()) await name.fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In' }).click();
}
