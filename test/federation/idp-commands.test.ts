import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { registryOf, temporaryDirectory, trailOf } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { newKeyPair, providerEntityId, signOnUrl } from './saml-provider.ts';
import type { RunningProvider } from './support.ts';
import { leave, signInAbroad, startOpenIdProvider } from './upstream.ts';

// Most tests start several processes, one after the other.
vi.setConfig({ testTimeout: 180_000 });

const secret = 'marmot-0123456789-abcdefghij';
const rule = ['--role-rule', 'groups=cn=admins,dc=example -> Admin'];
const oidc = ['--kind', 'oidc', '--issuer', 'https://idp.example', '--client-id', 'console'];
const search = ['--bind-dn', 'cn=console', '--bind-password-file', '-', '--base-dn', 'dc=example'];

let folder: string;
let dataDir: string;
let console: RunningConsole;
let provider: RunningProvider;
const tool = (args: readonly string[], stdin = '', env = {}) => runTool(args, { dataDir, stdin, env });
const done = (args: readonly string[], stdin = '', env = {}) => toolDone(args, { dataDir, stdin, env });
/** The same in the running console, which knows the provider at which people sign in. */
const toolThere = (args: readonly string[], stdin = '') => runTool(args, { dataDir: console.dataDir, stdin });
const doneThere = (args: readonly string[], stdin = '') =>
  toolDone(args, { dataDir: console.dataDir, stdin });

beforeAll(async () => {
  const port = await freePort();
  provider = await startOpenIdProvider(`http://localhost:${port}`, 'corp');
  console = await startConsole({ port, env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await console?.stop();
  await provider?.close();
});
beforeEach(() => {
  folder = temporaryDirectory();
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const { id } of (await doneThere(['idp', 'list', '--json'])).json<View[]>()) {
    await doneThere(['idp', 'remove', '--yes', id]);
  }
});

interface View {
  readonly id: string;
  readonly settings: Record<string, unknown>;
  readonly [name: string]: unknown;
}

/** Everything that a person or a program gets to see of a provider. */
async function seen(id: string, done: typeof doneThere, directory: string): Promise<string> {
  const calls = [
    ['show', id],
    ['show', id, '--json'],
    ['list'],
    ['list', '--json'],
    ['disable', id],
    ['enable', id],
  ];
  const outcomes = [];
  for (const call of calls) outcomes.push(await done(['idp', ...call]));
  return outcomes.map(({ stdout, stderr }) => stdout + stderr).join('') + JSON.stringify(trailOf(directory));
}

const seenThere = (id: string) => seen(id, doneThere, console.dataDir);

describe('an OpenID provider', () => {
  test('is added, shown, changed and removed, each change audited', async () => {
    const add = [
      'idp',
      'add',
      'corp',
      ...oidc,
      ...rule,
      '--client-secret-file',
      '-',
      '--name',
      'Corp',
      '--json',
    ];
    const added = (await done(add, `${secret}\n`)).json<View>();
    expect(added).toEqual({
      id: 'corp',
      readable: true,
      name: 'Corp',
      kind: 'oidc',
      problem: null,
      enabled: true,
      position: null,
      linkedUsers: 0,
      lastSignInAt: null,
      lastFailure: null,
      metadataReadAt: null,
      metadataFailure: null,
      keysReadAt: null,
      owner: { kind: 'admin', source: null },
      hold: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: null,
      roleRules: ['groups=cn=admins,dc=example -> Admin'],
      defaultRole: null,
      callbackUrl: 'http://localhost:8080/login/callback/corp',
      testUrl: 'http://localhost:8080/login/test/corp',
      settings: {
        issuer: 'https://idp.example',
        clientId: 'console',
        clientAuthentication: 'client_secret_basic',
        scopes: ['openid', 'email', 'profile'],
        idTokenAlg: 'RS256',
        endpoints: null,
        postLogoutUrl: 'http://localhost:8080/login/logout/corp',
        backchannelLogoutUrl: 'http://localhost:8080/login/backchannel/corp',
      },
    });
    expect((await done(['idp', 'show', 'corp', '--json'])).json()).toEqual(added);
    expect(await seen('corp', done, dataDir), 'S54').not.toContain(secret);
    const changes = ['--name', 'Other', '--default-role', 'Viewer', '--scope', 'openid groups'];
    const changed = (await done(['idp', 'update', 'corp', ...changes, '--json'])).json<View>();
    expect(changed).toEqual({
      ...added,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'Other',
      defaultRole: 'Viewer',
      settings: { ...added.settings, scopes: ['openid', 'groups'] },
    });
    expect((await done(['idp', 'update', 'corp', '--default-role', 'none', '--json'])).json()).toMatchObject({
      defaultRole: null,
    });
    expect(JSON.stringify(JSON.parse(registryOf(dataDir)).providers), 'the secret stays').toContain(secret);
    await done(['idp', 'remove', '--yes', 'corp']);
    expect((await done(['idp', 'list', '--json'])).json()).toEqual([]);
    const events = trailOf(dataDir).map(({ event, target, outcome }) => [event, target, outcome]);
    const names = ['added', 'disabled', 'enabled', 'updated', 'updated', 'removed'];
    expect(events).toEqual(names.map((name) => [`idp.${name}`, 'corp', 'success']));
  });

  test('the secret is encrypted where there is an encryption key (S79)', async () => {
    const env = { CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const add = [
      'idp',
      'add',
      'corp',
      ...oidc,
      ...rule,
      '--client-auth',
      'post',
      '--client-secret-file',
      '-',
    ];
    await done(add, secret, env);
    expect(registryOf(dataDir)).not.toContain(secret);
    expect((await done(['idp', 'list'], '', env)).stdout).toMatch(/corp\s+oidc\s+active/);
    expect((await done(['idp', 'list'])).stdout).toMatch(/corp\s+cannot be read/);
  });

  test.each([
    ['PEM, RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }), 'pem', 'RS256'],
    ['PEM, P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'pem', 'ES256'],
    ['JWK, Ed25519', () => generateKeyPairSync('ed25519'), 'jwk', 'EdDSA'],
  ] as const)('takes a client key: %s', async (_what, generate, form, alg) => {
    const { privateKey } = generate();
    const text =
      form === 'pem'
        ? privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
        : JSON.stringify(privateKey.export({ format: 'jwk' }));
    const file = join(folder, 'key');
    writeFileSync(file, text);
    const add = [
      'idp',
      'add',
      'corp',
      ...oidc,
      ...rule,
      '--client-key-file',
      file,
      '--client-key-id',
      'one',
      '--json',
    ];
    expect((await doneThere(add)).json<View>().settings.clientAuthentication).toBe('private_key_jwt');
    const stored = JSON.parse(registryOf(console.dataDir)).providers[0].oidc.authentication.key as string;
    expect(JSON.parse(stored)).toMatchObject({ alg, kid: 'one', d: expect.any(String) });
    expect(await seenThere('corp')).not.toContain((JSON.parse(stored) as { d: string }).d);
  });

  test('takes its addresses by hand', async () => {
    const by = ['--authorization-endpoint', 'https://a.example/a', '--token-endpoint', 'https://a.example/t'];
    const add = ['idp', 'add', 'corp', ...oidc, ...rule, '--client-auth', 'none', ...by, '--json'];
    const rejected = await tool(add);
    expect([rejected.code, rejected.json<View>().message]).toEqual([
      1,
      expect.stringContaining('--jwks-uri'),
    ]);
    const added = (await done([...add, '--jwks-uri', 'https://a.example/k'])).json<View>();
    expect(added.settings.endpoints).toMatchObject({ keys: 'https://a.example/k' });
  });
});

describe.skipIf(!existsSync('/usr/bin/openssl'))('a SAML provider', () => {
  const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
  const document = (certificate: string) => `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${providerEntityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate
      .replace(/-----[^-]+-----/g, '')
      .trim()}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="${binding}" Location="${signOnUrl.replace('&', '&amp;')}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;

  test('is read once, pinned, signs requests by a key of its own, and is compared by idp test', async () => {
    const [pair, next] = [newKeyPair(), newKeyPair()];
    let served = document(pair.certificate);
    const server = createServer((_req, res) => res.end(served));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
    try {
      const add = ['idp', 'add', 'corp', '--kind', 'saml', '--metadata-url', url, '--sign-requests', ...rule];
      const added = (await doneThere([...add, '--json'])).json<View>();
      expect(added.settings).toMatchObject({
        entityId: providerEntityId,
        signOnUrl,
        certificates: [{ sha256: new X509Certificate(pair.certificate).fingerprint256 }],
        metadataUrl: url,
        ownEntityId: `${console.url}/login/saml/corp/metadata`,
        ownLogoutUrl: `${console.url}/login/saml/corp/logout`,
        signsRequests: true,
        ownCertificate: { subject: `CN=corp at localhost:${console.port}` },
      });
      expect(await seenThere('corp'), 'S54').not.toContain('PRIVATE KEY');
      const good = await toolThere(['idp', 'test', 'corp']);
      expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('signed by RSA-SHA-256')]);

      served = document(next.certificate);
      const changed = await toolThere(['idp', 'test', 'corp', '--json']);
      expect(changed.code).toBe(1);
      expect(stepOf(changed.json(), 'metadata as pinned')).toMatchObject({
        ok: false,
        said: expect.stringContaining('certificates'),
        advice: expect.stringContaining('npx console idp update corp'),
      });
      await doneThere(['idp', 'update', 'corp', '--metadata-url', url]);
      const keyOf = ({ settings }: View) => (settings.ownCertificate as { sha256: string }).sha256;
      const renewed = (await doneThere(['idp', 'update', 'corp', '--sign-requests', '--json'])).json<View>();
      expect(keyOf(renewed)).not.toBe(keyOf(added));
      expect((await toolThere(['idp', 'test', 'corp'])).code).toBe(0);

      served = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>';
      const bad = (await toolThere(['idp', 'test', 'corp', '--json'])).json();
      expect(stepOf(bad, 'metadata'), 'S48').toMatchObject({ ok: false });
      const before = registryOf(console.dataDir);
      const rejected = await toolThere(['idp', 'update', 'corp', '--metadata-url', url, '--json']);
      expect([rejected.code, rejected.json()]).toEqual([
        1,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
      expect(registryOf(console.dataDir)).toBe(before);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('metadata come from no address that was not allowed, nor from a file that is none (S42)', async () => {
    const file = join(folder, 'metadata.xml');
    writeFileSync(file, document(newKeyPair(['-newkey', 'rsa:1024']).certificate));
    const add = ['idp', 'add', 'corp', '--kind', 'saml', ...rule];
    const rejected = [
      await tool([...add, '--metadata-url', 'http://127.0.0.1:9/metadata', '--json']),
      await tool([...add, '--metadata-file', file, '--json']),
      await tool([...add, '--metadata-file', join(folder, 'none'), '--json']),
    ];
    expect(rejected.map(({ code }) => code)).toEqual([1, 1, 1]);
    expect(rejected.map((outcome) => outcome.json().error)).toEqual([
      'invalid_url',
      'invalid_request',
      'invalid_request',
    ]);
    expect((await done(['idp', 'list', '--json'])).json()).toEqual([]);
  });
});

describe('a directory', () => {
  test('takes every flag', async () => {
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, newKeyPair().certificate);
    const add = [
      ...[
        'idp',
        'add',
        'staff',
        '--kind',
        'ldap',
        '--ldap-url',
        'ldap://ldap.example:1389',
        '--start-tls',
        '--ca-file',
        ca,
      ],
      ...[
        ...search,
        '--user-filter',
        '(sAMAccountName={username})',
        '--group-base-dn',
        'ou=groups,dc=example',
      ],
      ...['--group-attribute', 'memberuid', '--group-filter', '(objectClass=posixGroup)'],
      ...[
        '--group-name-attribute',
        'cn',
        '--subject-attribute',
        'objectGUID',
        '--username-attribute',
        'sAMAccountName',
      ],
      ...['--email-attribute', 'mail', '--name-attribute', 'cn', ...rule, '--disabled', '--json'],
    ];
    const added = (await doneThere(add, secret)).json<View>();
    expect(added).toMatchObject({ enabled: false, callbackUrl: null });
    expect(added.settings).toEqual({
      url: 'ldap://ldap.example:1389',
      startTls: true,
      ownAuthorities: true,
      allowPlaintext: false,
      bindDn: 'cn=console',
      baseDn: 'dc=example',
      userFilter: '(sAMAccountName={username})',
      dnTemplate: null,
      groups: {
        baseDn: 'ou=groups,dc=example',
        memberAttribute: 'memberUid',
        nameAttribute: 'cn',
        filter: '(objectClass=posixGroup)',
      },
      subjectAttribute: 'objectGUID',
      usernameAttribute: 'sAMAccountName',
      emailAttribute: 'mail',
      nameAttribute: 'cn',
    });
    expect(await seenThere('staff'), 'S54').not.toContain(secret);
  });
});

describe('is refused with what to change, and adds nothing', () => {
  const ownFile = import.meta.filename;
  const none = ['--client-auth', 'none'];
  const ldap = ['--kind', 'ldap', '--ldap-url', 'ldaps://ldap.example'];
  const memberOf = ['--role-rule', 'memberOf=cn=ops -> Viewer'];
  const rows: readonly (readonly [string, readonly string[], 1 | 2, string])[] = [
    ['no kind', ['--issuer', 'https://idp.example'], 2, '--kind'],
    ['a kind that is none', ['--kind', 'kerberos', ...rule], 2, 'oidc, saml, ldap'],
    ['no issuer', ['--kind', 'oidc', ...none, ...rule], 1, '--issuer'],
    ['no client id', ['--kind', 'oidc', '--issuer', 'https://idp.example', ...rule], 1, '--client-id'],
    ['no client authentication', [...oidc, ...rule], 1, '--client-auth none'],
    [
      'a secret for a public client',
      [...oidc, ...none, '--client-secret-file', '-', ...rule],
      1,
      '--client-secret-file',
    ],
    [
      'a secret beside a key',
      [...oidc, '--client-auth', 'private_key_jwt', '--client-secret-file', '-'],
      1,
      'does not go',
    ],
    [
      'a key that is none',
      [...oidc, '--client-auth', 'private_key_jwt', '--client-key-file', '-'],
      1,
      'no private key',
    ],
    ['a key id without a key', [...oidc, ...none, '--client-key-id', 'one', ...rule], 1, '--client-key-id'],
    ['client authentication that is none', [...oidc, '--client-auth', 'tls', ...rule], 1, 'basic, post'],
    ['HMAC for ID tokens', [...oidc, ...none, '--id-token-alg', 'HS256', ...rule], 1, 'RS256'],
    ['flags of another kind', [...oidc, ...none, '--base-dn', 'dc=example', ...rule], 1, 'ldap'],
    ['no rule (S45)', [...oidc, ...none], 1, 'at least one role rule'],
    [
      'a rule without a role (S45)',
      [...oidc, ...none, '--role-rule', 'groups=ops'],
      1,
      'attribute=value -> Role',
    ],
    ['Admin for everybody (S45)', [...oidc, ...none, '--default-role', 'Admin'], 1, 'Admin'],
    [
      'an issuer in the clear (S42)',
      ['--kind', 'oidc', '--issuer', 'http://idp.example', '--client-id', 'c', ...none, ...rule],
      1,
      'https',
    ],
    [
      'an issuer inside (S42)',
      ['--kind', 'oidc', '--issuer', 'https://10.1.2.3', '--client-id', 'c', ...none, ...rule],
      1,
      'CONSOLE_OUTBOUND_ALLOW',
    ],
    ['no metadata', ['--kind', 'saml', ...rule], 1, '--metadata-url'],
    [
      'both metadata',
      ['--kind', 'saml', '--metadata-url', 'https://a.example', '--metadata-file', ownFile, ...rule],
      1,
      'do not go together',
    ],
    ['no service account', [...ldap, ...memberOf], 1, '--dn-template'],
    [
      'a template and a search',
      [...ldap, '--dn-template', 'uid={username}', '--base-dn', 'dc=example', ...memberOf],
      1,
      'do not go together',
    ],
    [
      'a directory in the clear',
      ['--kind', 'ldap', '--ldap-url', 'ldap://ldap.example', ...search, ...memberOf],
      1,
      'StartTLS',
    ],
    ['StartTLS over TLS', [...ldap, '--start-tls', ...search, ...memberOf], 1, 'StartTLS'],
    [
      'a filter that is none',
      [...ldap, ...search, '--user-filter', '(uid={username}', ...memberOf],
      1,
      'filter',
    ],
    ['groups without a search', [...ldap, ...search, ...rule], 1, 'set the base DN of groups'],
    [
      'a group filter without a search',
      [...ldap, ...search, '--group-filter', '(a=b)', ...memberOf],
      1,
      '--group-base-dn',
    ],
    ['a secret as an argument (S56)', [...oidc, '--client-secret', secret], 2, '--client-secret-file'],
  ];
  test.each(rows)('%s', async (_what, args, code, said) => {
    const before = registryOf(console.dataDir);
    const outcome = await toolThere(['idp', 'add', 'corp', ...args, '--json'], secret);
    expect([outcome.code, outcome.json().message]).toEqual([code, expect.stringContaining(said)]);
    expect(outcome.stdout + outcome.stderr).not.toContain(secret);
    expect(registryOf(console.dataDir)).toBe(before);
  });

  test('an unknown id, by every command', async () => {
    for (const verb of ['show', 'test', 'enable', 'disable', 'remove']) {
      const isSure = verb === 'remove' ? ['--yes'] : [];
      const outcome = await toolThere(['idp', verb, 'nobody', ...isSure, '--json']);
      expect([outcome.code, outcome.json().error], verb).toEqual([1, 'not_found']);
    }
    const nothing = await toolThere(['idp', 'update', 'nobody', '--json']);
    expect([nothing.code, nothing.json().error]).toEqual([2, 'wrong_usage']);
  });
});

describe('a running console', () => {
  const change = (...args: string[]) => doneThere(['idp', ...args]);

  test('offers what is added, ends sessions of what is disabled, and starts afresh after a removal', async () => {
    const add = ['add', 'corp', '--kind', 'oidc', '--issuer', provider.issuer, '--client-id', 'console'];
    const given = [...add, '--client-auth', 'none', '--scope', 'email profile groups', '--name', 'Corp'];
    const offers = async () =>
      (await createUserAgent(console.url).get('/login')).body.includes('/login/start/corp');
    const agent = createUserAgent(console.url);
    const isIn = async () => (await agent.get('/account')).status === 200;
    const signIn = async () => {
      const location = await leave(agent, await agent.get('/login'), 'Corp');
      return agent.follow(await agent.get(await signInAbroad(location)));
    };

    await change(...given, '--role-rule', 'groups=cn=admins,dc=example -> Admin');
    await until(offers, 'the new provider', 15_000);
    expect((await signIn()).status).toBe(200);
    expect(textOf(await agent.get('/account'))).toContain('ada@corp.example');
    expect(await isIn()).toBe(true);
    expect((await change('list')).stdout).toMatch(/corp\s+oidc\s+active\s+1\s+\d{4}-\S+Z\s+Corp/);

    await change('disable', 'corp');
    await until(async () => !(await isIn()), 'the end of the session', 15_000);
    expect(await offers()).toBe(false);
    await change('enable', 'corp');
    await until(offers, 'the provider again', 15_000);
    expect(await isIn(), 'the session stays ended').toBe(false);

    await until(async () => (await signIn()).status === 200, 'a new sign-in', 15_000);
    const rejected = await toolThere(['idp', 'remove', '--yes', 'corp']);
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('--with-accounts')]);
    expect(await isIn()).toBe(true);
    const removed = (await change('remove', '--yes', 'corp', '--with-accounts', '--json')).json();
    expect(removed).toEqual({ id: 'corp', removed: true, accountsRemoved: 1 });
    await until(async () => !(await isIn()), 'the end of the session', 15_000);
    expect(await offers()).toBe(false);
  });
});

function stepOf(report: Record<string, unknown>, step: string): unknown {
  return (report.steps as { step: string }[]).find((one) => one.step === step);
}
