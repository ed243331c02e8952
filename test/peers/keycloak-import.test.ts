/** A realm that Keycloak itself exports, brought along by `npx console config import`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Keycloak, keycloakStartMs, openKeycloak, whyNoKeycloak } from './support/keycloak.ts';

describe.skipIf(whyNoKeycloak)(`A realm of Keycloak${whyNoKeycloak ?? ''}`, { timeout: 60_000 }, () => {
  let console: RunningConsole;
  let keycloak: Keycloak;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keycloak-import-'));
    [console, keycloak] = await Promise.all([startConsole(), openKeycloak()]);
    await keycloak.addRealm({
      realm: 'brought-along',
      roles: { realm: [{ name: 'cluster-admin' }] },
      clients: [
        {
          clientId: 'wiki',
          redirectUris: ['https://wiki.example.com/callback'],
          secret: 'wiki-0123456789-abcdefghijklmnopqrst',
          directAccessGrantsEnabled: true,
          attributes: { 'backchannel.logout.url': 'https://wiki.example.com/logout' },
        },
        { clientId: 'nightly', standardFlowEnabled: false, serviceAccountsEnabled: true },
        { clientId: 'papers', protocol: 'saml', redirectUris: ['https://papers.example.com/saml'] },
      ],
      identityProviders: [
        {
          alias: 'corp',
          providerId: 'oidc',
          config: {
            issuer: 'https://id.corp.example',
            clientId: 'keycloak',
            clientSecret: 'corp-secret-0123456789',
            clientAuthMethod: 'client_secret_basic',
            authorizationUrl: 'https://id.corp.example/authorize',
            tokenUrl: 'https://id.corp.example/token',
          },
        },
      ],
      identityProviderMappers: [
        {
          name: 'admins',
          identityProviderAlias: 'corp',
          identityProviderMapper: 'oidc-role-idp-mapper',
          config: { claim: 'groups', 'claim.value': 'admins', role: 'cluster-admin', syncMode: 'FORCE' },
        },
      ],
    });
  }, keycloakStartMs + 60_000);
  afterAll(async () => {
    await console?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('is applied here as it was exported there, once its secrets are in their files', async () => {
    const exported = await keycloak.manage(
      'POST',
      '/brought-along/partial-export?exportClients=true&exportGroupsAndRoles=true',
    );
    const file = join(directory, 'realm.json');
    await writeFile(file, JSON.stringify(exported));
    const args = ['config', 'import', 'keycloak', file, '--role', 'cluster-admin=Admin', '--to', directory];
    const imported = await runTool([...args, '--json'], {});
    expect(imported.code, imported.stderr).toBe(0);
    const { leftOut } = JSON.parse(imported.stdout) as { leftOut: { what: string; why: string }[] };
    const whats = leftOut.map(({ what }) => what);
    expect(whats).toEqual(
      expect.arrayContaining([
        'client papers',
        'client nightly: scopes',
        'client wiki: passwords at the token endpoint',
      ]),
    );
    // Its console hides them; bin/kc.sh export does not.
    const places = whats.filter((what) => what.startsWith('secrets/'));
    expect(places.sort()).toEqual([
      'secrets/applications-wiki-keycloak',
      'secrets/clients-nightly-keycloak',
      'secrets/identityProviders-corp-clientSecret',
    ]);
    await mkdir(join(directory, 'secrets'), { recursive: true });
    for (const place of places) await writeFile(join(directory, place), `${place}-0123456789-abcdefghijklmn`);
    const applied = await runTool(['config', 'apply', join(directory, 'keycloak.yaml'), '--json'], {
      dataDir: console.dataDir,
    });
    expect(applied.code, applied.stderr + applied.stdout).toBe(0);
    const { steps } = JSON.parse(applied.stdout) as { steps: { kind: string; id: string; action: string }[] };
    expect(steps.map(({ kind, id, action }) => `${action} ${kind}/${id}`)).toEqual([
      'create identityProviders/corp',
      'create clients/nightly',
      'create applications/wiki',
    ]);
    const token = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa('nightly:secrets/clients-nightly-keycloak-0123456789-abcdefghijklmn')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(token.status).toBe(200);
  });
});
