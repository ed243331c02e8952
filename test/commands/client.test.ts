import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { storedIn, temporaryDirectory, trailOf } from './support.ts';

const secret = 'fjord-0123456789-abcdefghij-KLMNOP-42';

let dataDir: string;
const tool = (args: string[], stdin = '') => runTool(args, { dataDir, stdin });
const done = (args: string[], stdin = '') => toolDone(args, { dataDir, stdin });

interface ClientView {
  readonly id: string;
  readonly secret: string | null;
  readonly secrets: { id: string; createdAt: string }[];
}

beforeEach(() => {
  dataDir = join(temporaryDirectory(), 'data');
});

test('a machine is registered with the least that it needs, and its secret is shown once', async () => {
  const added = (
    await done(['client', 'add', 'prom', '--scope', 'app:MetricsViewer', '--json'])
  ).json<ClientView>();
  expect(added).toEqual({
    id: 'prom',
    kind: 'machine',
    status: 'active',
    displayName: null,
    maxRoles: null,
    isPublic: false,
    firstParty: false,
    grants: ['client_credentials'],
    redirectUris: [],
    postLogoutUris: [],
    backchannelLogoutUri: null,
    frontchannelLogoutUri: null,
    logoUri: null,
    clientUri: null,
    scopes: ['app:MetricsViewer'],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    tokenTtlSeconds: null,
    pkce: null,
    dpop: false,
    jwks: null,
    authMethods: ['client_secret_basic', 'client_secret_post'],
    secrets: [
      {
        id: expect.any(String),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        endsOnUseOf: null,
        lastUsedAt: null,
        expiresAt: null,
      },
    ],
    lastUsedAt: null,
    lastUsedFrom: null,
    tokensLastHour: 0,
    owner: { kind: 'admin', source: null },
    hold: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    secret: expect.stringMatching(/^[\w-]{43}$/),
  });
  const { secret: shown, ...kept } = added;
  expect((await done(['client', 'show', 'prom', '--json'])).json()).toEqual(kept);
  const later = [
    await done(['client', 'list', '--json']),
    await done(['client', 'list']),
    await done(['client', 'show', 'prom']),
    await done(['client', 'disable', 'prom', '--json']),
    await done(['client', 'enable', 'prom', '--json']),
  ];
  const text = later.map(({ stdout, stderr }) => stdout + stderr).join('') + JSON.stringify(trailOf(dataDir));
  const stored = await storedIn(dataDir);
  const { sha256 } = stored.clients[0]!.secrets[0]!;
  expect(JSON.stringify(stored)).not.toContain(shown);
  for (const hidden of [shown, sha256]) expect(text, 'S54').not.toContain(hidden);
});

test('an application takes every flag', async () => {
  const { stdout } = await done([
    ...['client', 'add', 'wiki', '--first-party', '--token-alg', 'EdDSA', '--token-typ', 'at+jwt', '--json'],
    ...['--redirect-uri', 'https://wiki.example.com/cb', '--redirect-uri', 'http://[::1]:3000/cb?from=a'],
    ...[
      '--post-logout-uri',
      'https://wiki.example.com',
      '--scope',
      'openid  profile',
      '--scope',
      'offline_access',
    ],
    ...['--grant', 'authorization_code', '--grant', 'refresh_token'],
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    firstParty: true,
    redirectUris: ['https://wiki.example.com/cb', 'http://[::1]:3000/cb?from=a'],
    postLogoutUris: ['https://wiki.example.com'],
    scopes: ['openid', 'profile', 'offline_access'],
    grants: ['authorization_code', 'refresh_token'],
    tokenAlg: 'EdDSA',
    tokenTyp: 'at+jwt',
    secret: expect.any(String),
  });
});

test('a public client has no secret, and what signs people in has the grants and scopes for it', async () => {
  const args = ['client', 'add', 'spa', '--public', '--redirect-uri', 'http://localhost:3000/cb', '--json'];
  const added = (await done(args)).json<ClientView>();
  expect(added).toMatchObject({
    isPublic: true,
    secret: null,
    secrets: [],
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'email', 'profile'],
  });
  expect((await tool(['client', 'rotate-secret', 'spa', '--json'])).json().error).toBe('conflict');
});

test('a given secret is taken from standard input or a file and never repeated', async () => {
  const said = [await done(['client', 'add', 'job', '--secret-file', '-', '--json'], `${secret}\n`)];
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, `another-${secret}\n`);
  said.push(await done(['client', 'rotate-secret', 'job', '--secret-file', file]));
  expect(said.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(secret);
});

test('one that has keys gets no secret, and is shown with them; without a file of keys nothing is done', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [file, privateFile] = ['key.json', 'private.json'].map((name) => join(dataDir, '..', name)) as [
    string,
    string,
  ];
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };
  writeFileSync(file, JSON.stringify(jwk));
  writeFileSync(privateFile, JSON.stringify(privateKey.export({ format: 'jwk' })));
  const added = (await done(['client', 'add', 'batch', '--jwks-file', file, '--json'])).json();
  expect(added).toMatchObject({
    secret: null,
    secrets: [],
    authMethods: ['private_key_jwt'],
    jwks: { keys: [jwk] },
  });
  expect((await done(['client', 'show', 'batch'])).stdout).toContain('k1 (OKP)');

  const refused = await tool(['client', 'update', 'batch', '--jwks-file', privateFile]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('This is a private key')]);
  expect(
    (await tool(['client', 'update', 'batch', '--jwks-file', join(dataDir, 'none.json')])).code,
  ).not.toBe(0);
  await done(['client', 'update', 'batch', '--jwks-file', 'none']);
  expect((await done(['client', 'show', 'batch', '--json'])).json()).toMatchObject({ jwks: null });
});

test('two secrets live at most: the newest and the one before it', async () => {
  await done(['client', 'add', 'job', '--secret-file', '-'], secret);
  const first = await digests();
  await done(['client', 'rotate-secret', 'job']);
  const second = await digests();
  expect(second).toEqual([expect.any(String), first[0]]);
  await done(['client', 'rotate-secret', 'job']);
  const third = await digests();
  expect(third).toEqual([expect.any(String), second[0]]);
  const again = await tool(['client', 'rotate-secret', 'job', '--secret-file', '-', '--json'], secret);
  expect(again.code, 'a secret that has ended may come back').toBe(0);
  const same = await tool(['client', 'rotate-secret', 'job', '--secret-file', '-', '--json'], secret);
  expect(same.json().error, 'a live one is no rotation').toBe('conflict');
  await done(['client', 'rotate-secret', 'job', '--revoke-old']);
  expect(await digests()).toHaveLength(1);
});

describe('by operations', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());
  const there = (...args: string[]) => runTool([...args, '--json'], { dataDir: console.dataDir });
  const doneThere = async (...args: string[]) => {
    const outcome = await there(...args);
    expect([outcome.code, outcome.stdout]).toEqual([0, expect.anything()]);
    return outcome.json<
      ClientView & { scopes: string[]; removed: boolean; tokenTtlSeconds: number | null }
    >();
  };

  test('one scope comes or goes, and a dry run changes nothing', async () => {
    await doneThere('client', 'add', 'worker', '--scope', 'svc:map:a:read', '--token-ttl-seconds', '90');
    const before = await doneThere('client', 'show', 'worker');
    expect(before.tokenTtlSeconds).toBe(90);
    const dry = await doneThere('client', 'update', 'worker', '--add-scope', 'svc:map:b:read', '--dry-run');
    expect(dry.scopes).toEqual(['svc:map:a:read', 'svc:map:b:read']);
    expect(await doneThere('client', 'remove', 'worker', '--dry-run')).toEqual({
      id: 'worker',
      removed: false,
    });
    expect(await doneThere('client', 'show', 'worker')).toEqual(before);
    await doneThere(
      'client',
      'update',
      'worker',
      '--add-scope',
      'svc:map:b:read',
      '--token-ttl-seconds',
      'none',
    );
    const after = await doneThere('client', 'update', 'worker', '--remove-scope', 'svc:map:a:read');
    expect([after.scopes, after.tokenTtlSeconds]).toEqual([['svc:map:b:read'], null]);
  });

  test('a role cannot be added to all, nor taken from all', async () => {
    const uri = ['--redirect-uri', 'http://localhost:3000/cb'];
    await doneThere('client', 'add', 'board', ...uri, '--first-party');
    const refused = await there('client', 'update', 'board', '--remove-max-role', 'Admin');
    expect([refused.code, refused.json().message]).toEqual([2, expect.stringContaining('--max-role')]);
    expect(await doneThere('client', 'show', 'board')).toMatchObject({ maxRoles: null });
  });

  test('one of two secrets ends by its id, and no other', async () => {
    await doneThere('client', 'add', 'twice');
    const made = await doneThere('client', 'rotate-secret', 'twice', '--expires-at', '2090-01-01T00:00:00Z');
    expect(made).toMatchObject({ client: 'twice', expiresAt: '2090-01-01T00:00:00.000Z' });
    const [, old] = (await doneThere('client', 'show', 'twice')).secrets;
    await doneThere('client', 'remove-secret', '--yes', 'twice', old!.id, '--keep-tokens');
    expect((await doneThere('client', 'show', 'twice')).secrets.map(({ id }) => id)).toEqual([made.id]);
    expect((await there('client', 'remove-secret', '--yes', 'twice', old!.id)).json().error).toBe(
      'not_found',
    );
  });

  test('what is refused is said of flags', async () => {
    const refused = await there('client', 'add', 'c', '--grant', 'password', '--token-alg', 'HS256');
    expect(refused.json()).toMatchObject({
      error: 'invalid_request',
      message: expect.stringMatching(/--grant \(.*--token-alg \(/),
      errors: [{ pointer: '#/grants/0' }, { pointer: '#/tokenAlg' }],
    });
  });

  test('a list is of one kind, of one state, of one scope', async () => {
    await doneThere('client', 'add', 'sleeper', '--scope', 'svc:map:z:read');
    await doneThere('client', 'disable', 'sleeper');
    const ids = async (...args: string[]) =>
      (await there('client', 'list', ...args)).json<{ id: string }[]>().map(({ id }) => id);
    expect(await ids('--status', 'disabled')).toEqual(['sleeper']);
    expect(await ids('--scope', 'svc:map:z:read')).toEqual(['sleeper']);
    const machines = await ids('--kind', 'machine');
    expect(machines).toContain('sleeper');
    expect(machines).not.toContain('application-dashboard');
    expect((await there('client', 'list', '--kind', 'robot')).json().message).toContain('--kind');
  });
});

test('a client never has the id of a user, nor one that a user could have (S14)', async () => {
  const user = (
    await done(
      ['user', 'add', 'ada', '--role', 'Admin', '--password-file', '-', '--json'],
      'correct-staple-battery-9',
    )
  ).json<{ subject: string }>();
  const before = await storedIn(dataDir);
  for (const id of [user.subject, user.subject.toUpperCase(), '00000000-0000-4000-8000-000000000000']) {
    const rejected = await tool(['client', 'add', id, '--json']);
    expect([rejected.code, rejected.json().error]).toEqual([1, 'invalid_request']);
  }
  expect(await storedIn(dataDir)).toEqual(before);
});

test('clients of the settings are listed, and changed only there', async () => {
  const env = { CONSOLE_APPLICATION_CLIENT_SECRET: secret };
  await done(['client', 'add', 'job']);
  const list = (await toolDone(['client', 'list', '--json'], { dataDir, env })).json<
    { id: string; owner: { kind: string } }[]
  >();
  expect(list.map(({ id, owner }) => [id, owner.kind])).toEqual([
    ['application-client', 'settings'],
    ['application-dashboard', 'settings'],
    ['console-cli', 'settings'],
    ['job', 'admin'],
  ]);
  const before = await storedIn(dataDir);
  for (const verb of ['add', 'rotate-secret', 'disable', 'enable', 'remove']) {
    const rejected = await tool(['client', verb, 'application-client', ...sure(verb), '--json']);
    expect([verb, rejected.code, rejected.json().error]).toEqual([verb, 1, 'conflict']);
  }
  expect(await storedIn(dataDir)).toEqual(before);
});

/** What cannot be taken back, a script has to say so. */
function sure(verb: string): readonly string[] {
  return verb === 'remove' ? ['--yes'] : [];
}

const page = ['--redirect-uri', 'https://a.example/cb'];

describe('a registration that is not sound is refused with exit 1, and changes nothing (S56)', () => {
  // What is refused changes nothing, so one console serves all.
  let console: RunningConsole;
  let audited: number;
  const tool = (args: string[], stdin = '') => runTool(args, { dataDir, stdin });
  beforeAll(async () => {
    console = await startConsole();
    await toolDone(['client', 'add', 'job'], console);
    await waitFor(() => trailOf(console.dataDir).length === 1, 'the audit line of the client');
    audited = 1;
  });
  afterAll(() => console?.stop());
  beforeEach(() => {
    dataDir = console.dataDir;
  });

  const app = ['c', '--redirect-uri', 'http://localhost:3000/cb'];
  test.each([
    { name: 'an id with a colon', args: ['a:b'] },
    { name: 'an id with a space', args: ['a b'] },
    { name: 'an id with a control', args: ['a\u001b[2J'] },
    { name: 'an id of another script', args: ['сonsole'] },
    { name: 'an id of 65 characters', args: ['a'.repeat(65)] },
    { name: 'an id of the console itself', args: ['console'], error: 'conflict' },
    { name: 'an id that is taken', args: ['job'], error: 'already_exists' },
    { name: 'http to another host', args: ['c', '--redirect-uri', 'http://a.example/cb'] },
    {
      name: 'http to a host that starts like loopback',
      args: ['c', '--redirect-uri', 'http://localhost.a.example/cb'],
    },
    {
      name: 'a back channel to a loopback port that is not its own (S42)',
      args: [...app, '--backchannel-logout-uri', 'http://localhost:5701/logout'],
      error: 'invalid_url',
    },
    {
      name: 'a back channel into the network (S42)',
      args: [...app, '--backchannel-logout-uri', 'https://10.0.0.1/logout'],
      error: 'invalid_url',
    },
    {
      name: 'a back channel to metadata (S42)',
      args: [...app, '--backchannel-logout-uri', 'https://[fd00:ec2::254]/'],
      error: 'invalid_url',
    },
    {
      name: 'a back channel in clear text (S42)',
      args: [...app, '--backchannel-logout-uri', 'http://a.example/logout'],
    },
    {
      name: 'a front channel at another origin',
      args: [...app, '--frontchannel-logout-uri', 'https://b.example/logout'],
    },
    { name: 'a machine with a back channel', args: ['c', '--backchannel-logout-uri', 'https://a.example/l'] },
    { name: 'another scheme', args: ['c', '--redirect-uri', 'javascript:alert(1)'] },
    { name: 'a relative address', args: ['c', '--redirect-uri', '/cb'] },
    { name: 'a fragment', args: ['c', '--redirect-uri', 'https://a.example/cb#x'] },
    { name: 'an empty fragment', args: ['c', '--redirect-uri', 'https://a.example/cb#'] },
    { name: 'a user name in the address', args: ['c', '--redirect-uri', 'https://a.example@b.example/cb'] },
    { name: 'a wildcard', args: ['c', '--redirect-uri', 'https://*.a.example/cb'] },
    { name: 'a wildcard in the path', args: ['c', '--redirect-uri', 'https://a.example/*'] },
    { name: 'dot segments', args: ['c', '--redirect-uri', 'https://a.example/x/../cb'] },
    { name: 'a backslash', args: ['c', '--redirect-uri', 'https://a.example\\cb'] },
    { name: 'an upper-case host', args: ['c', '--redirect-uri', 'https://A.example/cb'] },
    { name: 'a line break', args: ['c', '--redirect-uri', 'https://a.example/\ncb'] },
    { name: 'a very long address', args: ['c', '--redirect-uri', `https://a.example/${'x'.repeat(2100)}`] },
    { name: 'a bad post-logout address', args: ['c', ...page, '--post-logout-uri', 'http://a.example/'] },
    { name: 'an unknown grant', args: ['c', '--grant', 'password'] },
    { name: 'the implicit grant', args: ['c', ...page, '--grant', 'implicit'] },
    { name: 'a code grant without an address', args: ['c', '--grant', 'authorization_code'] },
    { name: 'refresh tokens alone', args: ['c', '--grant', 'refresh_token'] },
    { name: 'an address for a machine', args: ['c', ...page, '--grant', 'client_credentials'] },
    { name: 'a public machine', args: ['c', '--public'] },
    {
      name: 'a public client with a machine grant',
      args: ['c', '--public', ...page, '--grant', 'authorization_code', '--grant', 'client_credentials'],
    },
    { name: 'a public client with a secret', args: ['c', '--public', ...page, '--secret-file', '-'] },
    { name: 'an unknown scope', args: ['c', '--scope', 'app:Admin'] },
    { name: 'a scope in another case', args: ['c', '--scope', 'app:viewer'] },
    { name: 'a scope with a tab', args: ['c', '--scope', 'openid\tprofile'] },
    { name: 'a member scope that is none', args: ['c', '--scope', 'svc:data:delete'] },
    { name: 'a wildcard amid a name', args: ['c', '--scope', 'svc:map:a*b:read'] },
    { name: 'a map without a name', args: ['c', '--scope', 'svc:map::read'] },
    { name: 'a member scope for people', args: ['c', ...page, '--scope', 'svc:data:read'] },
    { name: 'offline access for a machine', args: ['c', '--scope', 'offline_access'] },
    { name: 'an HMAC algorithm', args: ['c', '--token-alg', 'HS256'] },
    { name: 'no algorithm', args: ['c', '--token-alg', 'none'] },
    { name: 'an unknown token type', args: ['c', '--token-typ', 'jwt'] },
    { name: 'a short secret', args: ['c', '--secret-file', '-'], stdin: 'x1y2z3'.repeat(5) },
    { name: 'a secret with a line break', args: ['c', '--secret-file', '-'], stdin: `${secret}\n${secret}` },
    { name: 'a secret of one repeated character', args: ['c', '--secret-file', '-'], stdin: 'a'.repeat(40) },
  ])('$name', async ({ args, stdin = secret, error = 'invalid_request' }) => {
    const before = await storedIn(dataDir);
    const rejected = await tool(['client', 'add', ...args, '--json'], stdin);
    expect([rejected.code, rejected.json().error]).toEqual([1, error]);
    expect(rejected.json().message).toMatch(/^[\x20-\x7e…]{10,300}$/);
    expect(await storedIn(dataDir)).toEqual(before);
    const line = await waitFor(() => trailOf(dataDir)[audited], 'its audit line');
    audited++;
    expect(line).toMatchObject({ event: 'client.added', outcome: 'denied', reason: error });
  });

  test.each(['show', 'rotate-secret', 'disable', 'enable', 'remove'])(
    '%s of an unknown client',
    async (verb) => {
      const before = await storedIn(dataDir);
      const rejected = await tool(['client', verb, 'jib', ...sure(verb), '--json']);
      expect([rejected.code, rejected.json().error]).toEqual([1, 'not_found']);
      expect(await storedIn(dataDir)).toEqual(before);
    },
  );
});

test('the addresses for sign-out are kept as typed', async () => {
  const uris = {
    backchannelLogoutUri: 'http://localhost:3000/logout/backchannel?a=b',
    frontchannelLogoutUri: 'http://localhost:3000/logout/frame',
  };
  const added = await done([
    ...['client', 'add', 'shop', '--redirect-uri', 'http://localhost:3000/cb', '--json'],
    ...['--backchannel-logout-uri', uris.backchannelLogoutUri],
    ...['--frontchannel-logout-uri', uris.frontchannelLogoutUri],
  ]);
  expect(added.json()).toMatchObject(uris);
  const shown = (await done(['client', 'show', 'shop'])).stdout;
  for (const uri of Object.values(uris)) expect(shown).toContain(uri);
});

test.each([
  'svc:data:read',
  'svc:persistence:write',
  'svc:map:orders:read',
  'svc:map:orders.*:write',
  'svc:map:*:read',
  'svc:queue:jobs:poll',
])('the member scope %s can be registered', async (scope) => {
  expect((await done(['client', 'add', 'job', '--scope', scope, '--json'])).json().scopes).toEqual([scope]);
});

async function digests(): Promise<string[]> {
  const { clients } = await storedIn(dataDir);
  return clients[0]!.secrets.map(({ sha256 }) => sha256);
}
