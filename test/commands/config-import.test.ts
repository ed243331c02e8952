/** `npx console config import`: the configuration of other servers, as files that this one applies. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ApiCaller, apiCaller } from '../admin-api/support.ts';
import { runTool } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);
const realm = fixture('keycloak-realm.json');
const script = fixture('management-center.sh');
const roles = ['--role', 'cluster-admin=Admin', '--role', 'cluster-viewer=Viewer'];

let console: RunningConsole;
let call: ApiCaller;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'console-import-'));
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(async () => {
  await console?.stop();
  await rm(directory, { recursive: true, force: true });
});

interface LeftOut {
  readonly what: string;
  readonly why: string;
}

async function imported(...args: readonly string[]) {
  const done = await runTool(['config', 'import', ...args, '--json'], {});
  expect(done.code, done.stderr).toBe(0);
  return JSON.parse(done.stdout) as {
    document: Record<string, Record<string, Record<string, unknown>>>;
    leftOut: readonly LeftOut[];
    secrets: readonly string[];
  };
}

describe('a realm of Keycloak', () => {
  test('becomes clients, applications and providers that this console takes as they are', async () => {
    const to = join(directory, 'keycloak');
    const { document, secrets } = await imported('keycloak', realm, ...roles, '--to', to);
    expect(document.applications).toEqual({
      kiosk: expect.objectContaining({
        isPublic: true,
        redirectUris: ['http://localhost:8080/callback'],
        logoUri: 'https://kiosk.example.com/logo.png',
        clientUri: 'https://kiosk.example.com/home',
      }),
      storefront: {
        displayName: 'Storefront',
        redirectUris: ['https://shop.example.com/callback'],
        postLogoutUris: ['https://shop.example.com/bye', 'https://shop.example.com/callback'],
        backchannelLogoutUri: 'https://shop.example.com/backchannel',
        pkce: 'required',
        tokenTtlSeconds: 300,
        secrets: [{ id: 'keycloak', from: { file: 'secrets/applications-storefront-keycloak' } }],
      },
    });
    expect(document.clients).toEqual({
      billing: {
        scopes: ['app:Viewer'],
        tokenAlg: 'ES256',
        dpop: true,
        secrets: [{ id: 'keycloak', from: { file: 'secrets/clients-billing-keycloak' } }],
      },
      'jwt-machine': {},
      short: { enabled: false },
    });
    expect(document.identityProviders).toMatchObject({
      corp: {
        kind: 'oidc',
        name: 'Corp login',
        issuer: 'https://id.corp.example',
        clientAuth: 'post',
        scopes: ['profile', 'email', 'groups'],
        roleRules: ['groups=cluster-admins -> Admin', 'groups=ops -> Viewer'],
        defaultRole: 'Viewer',
      },
      partner: {
        kind: 'saml',
        enabled: false,
        signRequests: true,
        encryptedAssertions: true,
        roleRules: ['memberOf=partners -> Viewer'],
      },
      directory: {
        kind: 'ldap',
        url: 'ldaps://ldap.example.com',
        userFilter:
          '(&(objectClass=inetOrgPerson)(objectClass=organizationalPerson)(employeeType=staff)(uid={username}))',
        groupBaseDn: 'ou=groups,dc=example,dc=com',
        groupAttribute: 'member',
        groupNameAttribute: 'cn',
        subjectAttribute: 'entryUUID',
      },
    });
    for (const path of secrets) expect((await stat(join(to, path))).mode & 0o777).toBe(0o600);

    const file = join(to, 'keycloak.yaml');
    const applied = await runTool(['config', 'apply', file, '--json'], { dataDir: console.dataDir });
    expect(applied.code, applied.stderr + applied.stdout).toBe(0);
    expect(JSON.parse(applied.stdout)).toMatchObject({ canApply: true, counts: { create: 8 } });
    const again = await runTool(['config', 'plan', file, '--exit-code'], { dataDir: console.dataDir });
    expect(again.code, again.stdout).toBe(0);
    expect((await call('GET', '/applications/storefront')).body).toMatchObject({
      owner: { kind: 'code', source: 'keycloak' },
      secrets: [{ id: 'keycloak' }],
      pkce: 'required',
    });
    const token = await fetch(`${console.url}/oauth2/introspect`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('storefront:storefront-0123456789-abcdefghijklmn')}` },
      body: new URLSearchParams({ token: 'none' }),
    });
    expect(token.status).toBe(200);
  });

  test('has a list of what has no counterpart, with what to do instead', async () => {
    const { leftOut } = await imported('keycloak', realm, ...roles);
    const whats = leftOut.map(({ what }) => what);
    expect(whats).toEqual(
      expect.arrayContaining([
        'role orders-team',
        'role storefront.editor',
        'group /operators',
        'client wiki-saml',
        'client api',
        'client short: its secret',
        'client jwt-machine: client-jwt',
        'client jwt-machine: scopes',
        'client storefront: redirect address https://shop.example.com/oauth/*',
        'client storefront: sign-in without consent',
        'client kiosk: implicit flow',
        'client storefront: home page http://shop.example.com/',
        'identity provider github (github)',
        'identity provider Partner: its name',
        'identity provider corp: mapper mail',
        'client scope orders',
        '1 users',
        'accessTokenLifespan 120',
        'password policy length(14)',
      ]),
    );
    expect(
      whats.filter((what) => /account|admin-cli|realm-management|uma_authorization|default-roles/.test(what)),
    ).toEqual([]);
    expect(leftOut.find(({ what }) => what === 'accessTokenLifespan 120')?.why).toContain(
      'CONSOLE_ACCESS_TOKEN_TTL=120',
    );
    expect(leftOut.every(({ why }) => why.length > 10)).toBe(true);
  });

  test('is printed as a file that says so itself, and has no secret in it', async () => {
    const { stdout } = await runTool(['config', 'import', 'keycloak', realm, '--source', 'shop'], {});
    expect(stdout).toMatch(/^# What has no counterpart here:\n# - role cluster-admin: /);
    expect(parse(stdout)).toMatchObject({
      version: 1,
      source: 'shop',
      clients: { billing: expect.anything() },
    });
    for (const secret of ['storefront-0123456789', 'billing-0123456789', 'corp-secret', 'bind-secret']) {
      expect(stdout).not.toContain(secret);
    }
    const { document } = await imported('keycloak', realm);
    expect(document.identityProviders!.corp).not.toHaveProperty('roleRules');
  });

  test('without its secrets names the files to put them in', async () => {
    const hidden = join(directory, 'hidden.json');
    const text = (await readFile(realm, 'utf8')).replaceAll(
      /(billing|storefront)-0123456789-\w+/g,
      '**********',
    );
    await writeFile(hidden, text);
    const { leftOut, secrets } = await imported('keycloak', hidden);
    expect(secrets.filter((path) => /billing|storefront/.test(path))).toEqual([]);
    expect(leftOut).toContainEqual({
      what: 'secrets/clients-billing-keycloak',
      why: 'the secret is not in the file: put it there',
    });
  });

  test.each([
    ['no JSON', '{"realm": '],
    ['a list', '[]'],
    ['another object', '{"clients": []}'],
    ['clients that are none', '{"realm": "x", "clients": [{"clientId": 7}]}'],
  ])('of %s is refused, and nothing is written', async (_what, text) => {
    const file = join(directory, 'bad.json');
    const to = join(directory, 'bad');
    await writeFile(file, text);
    const done = await runTool(['config', 'import', 'keycloak', file, '--to', to], {});
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('no export of one realm');
    await expect(stat(to)).rejects.toThrow('ENOENT');
  });

  test('with names made to mislead stays inside the directory and the comment', async () => {
    const file = join(directory, 'hostile.json');
    const clients = [
      {
        clientId: '../../escaped',
        secret: 'x'.repeat(40),
        standardFlowEnabled: false,
        serviceAccountsEnabled: true,
      },
      { clientId: 'a\nroles: {Admin2: {}}', bearerOnly: true },
    ];
    await writeFile(file, JSON.stringify({ realm: 'x', clients }));
    const { document, secrets } = await imported('keycloak', file);
    expect([document.clients, secrets]).toEqual([undefined, []]);
    const { stdout } = await runTool(['config', 'import', 'keycloak', file], {});
    expect(parse(stdout)).toEqual({ version: 1, source: 'keycloak' });
  });
});

describe('a script of hz-mc conf', () => {
  test('becomes people and providers that this console takes as they are', async () => {
    const to = join(directory, 'mc');
    const { document } = await imported('hz-mc', script, '--role', 'readwrite=Viewer', '--to', to);
    expect(document.users).toEqual({
      root: { roles: ['Admin'] },
      vera: { roles: ['Viewer'] },
      wanda: { roles: ['Viewer'] },
      metrics: { roles: ['MetricsViewer'] },
    });
    expect(document.identityProviders).toEqual({
      ldap: {
        kind: 'ldap',
        name: 'Directory',
        url: 'ldaps://ldap.example.com',
        bindDn: 'cn=reader,dc=example,dc=org',
        bindPassword: { file: 'secrets/identityProviders-ldap-bindPassword' },
        baseDn: 'ou=users,dc=example,dc=org',
        userFilter: '(&(objectClass=person)(uid={username}))',
        groupBaseDn: 'ou=groups,dc=example,dc=org',
        groupAttribute: 'member',
        roleRules: [
          'groups=mc-admins -> Admin',
          'groups=mc-users -> Viewer',
          'groups=readers -> Viewer',
          'groups=guests -> Viewer',
          'groups=metrics -> MetricsViewer',
        ],
      },
      oidc: expect.objectContaining({
        issuer: 'https://id.example.com',
        jwksUri: 'https://id.example.com/jwk',
        roleRules: ['roles=admin -> Admin', 'roles=mc-read-only -> Viewer'],
      }),
    });
    expect(await readFile(join(to, 'secrets/identityProviders-ldap-bindPassword'), 'utf8')).toBe(
      'bind-secret-1',
    );
    const applied = await runTool(['config', 'apply', join(to, 'management-center.yaml'), '--json'], {
      dataDir: console.dataDir,
    });
    expect(applied.code, applied.stderr + applied.stdout).toBe(0);
    expect(JSON.parse(applied.stdout).counts).toMatchObject({ create: 6 });
    const repeated = await runTool(['config', 'import', 'hz-mc', script, '--to', to], {});
    expect([repeated.code, repeated.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
  });

  test('has a list of what has no counterpart', async () => {
    const { leftOut } = await imported('hz-mc', script);
    expect(leftOut).toEqual(
      expect.arrayContaining([
        {
          what: 'cluster orders',
          why: 'settings of the console: CONSOLE_MEMBERS=http://10.0.0.1:5701,http://10.0.0.2:5701 CONSOLE_MEMBER_USERNAME=orders',
        },
        { what: 'cluster', why: expect.stringContaining('/config/second.yaml') },
        { what: 'user wanda: role readwrite', why: expect.stringContaining('--role readwrite=') },
        { what: 'user vera: the password', why: expect.stringContaining('invited') },
        { what: 'ldap configure: --read-write-groups mc-users', why: expect.anything() },
        { what: 'ldap configure: --nested-group-search', why: expect.anything() },
        {
          what: expect.stringContaining('--redirect-url'),
          why: expect.stringContaining('/login/callback/oidc'),
        },
        { what: 'set sensitive-properties', why: expect.anything() },
      ]),
    );
    expect(JSON.stringify(leftOut)).not.toMatch(/s3cr3t|bind-secret|oidc-secret|9876543210/);
  });

  test('of anything else is refused', async () => {
    const file = join(directory, 'other.sh');
    await writeFile(file, 'echo hello\n');
    const done = await runTool(['config', 'import', 'hz-mc', file], {});
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining('no hz-mc conf')]);
  });
});

test.each([
  [['other', realm]],
  [['keycloak', realm, '--role', 'x']],
  [['keycloak', realm, '--source', '../x']],
])('wrong usage is exit code 2: %j', async (args) => {
  expect((await runTool(['config', 'import', ...args], {})).code).toBe(2);
});

test('the form of files is printed for editors', async () => {
  const { stdout } = await runTool(['config', 'schema'], { dataDir: console.dataDir });
  expect(JSON.parse(stdout)).toEqual((await call('GET', '/configuration/schema')).body);
});
