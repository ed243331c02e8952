import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  askToken,
  isSignedIn,
  type Outcome,
  toolDone as processDone,
  signIn,
  temporaryDirectory,
} from './support.ts';

/** Within which a running console must follow what the tool has changed. */
const followMs = 1000;
const password = 'unrelated-walnut-ferry-17';

let console: RunningConsole;
const settings = () => ({ dataDir: console.dataDir, env: { CONSOLE_URL: console.url } });
const done = (args: string[], stdin = ''): Promise<Outcome> => toolDone(args, { ...settings(), stdin });

beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

describe('a running console follows within a second', () => {
  test('a client is added, gets a token, is disabled, and neither it nor its token is taken any more', async () => {
    // Here by the tool as a process; what the console does for it is the same in all other tests.
    const done = (args: string[]) => processDone(args, settings());
    const { secret } = (await done(['client', 'add', 'viewer', '--scope', 'app:Viewer', '--json'])).json<{
      secret: string;
    }>();
    const granted = await within(followMs, () => tokenOf('viewer', secret, 'app:Viewer'));
    expect(await statusWith(granted)).toBe(200);

    await done(['client', 'disable', 'viewer']);
    await within(followMs, async () => (await askToken(console.url, 'viewer', secret)).status === 401);
    await within(followMs, async () => (await statusWith(granted)) === 401);

    await done(['client', 'enable', 'viewer']);
    const again = await within(followMs, () => tokenOf('viewer', secret, 'app:Viewer'));
    await within(followMs, async () => (await statusWith(again)) === 200);
    expect(await statusWith(granted), 'a token from before stays void').toBe(401);

    await done(['client', 'remove', '--yes', 'viewer']);
    await within(followMs, async () => (await statusWith(again)) === 401);
  });

  test('a token of a removed client does not come back with another client of the same id', async () => {
    const add = async () =>
      (await done(['client', 'add', 'reborn', '--scope', 'app:Viewer', '--json'])).json<{ secret: string }>();
    const first = await add();
    const old = await within(followMs, () => tokenOf('reborn', first.secret, 'app:Viewer'));
    await nextSecond();
    await done(['client', 'remove', '--yes', 'reborn']);
    const second = await add();
    const fresh = await within(followMs, () => tokenOf('reborn', second.secret, 'app:Viewer'));
    expect(await statusWith(fresh)).toBe(200);
    expect(await statusWith(old)).toBe(401);
  });

  test('a rotated secret works beside the old one that is kept, until the next rotation', async () => {
    const secretOf = (outcome: Outcome) => outcome.json<{ secret: string }>().secret;
    const first = secretOf(await done(['client', 'add', 'mover', '--json']));
    const second = secretOf(await done(['client', 'rotate-secret', 'mover', '--json', '--keep-old']));
    await within(followMs, () => tokenOf('mover', second));
    expect(await tokenOf('mover', first)).toBeTruthy();
    const third = secretOf(await done(['client', 'rotate-secret', 'mover', '--json', '--revoke-old']));
    await within(followMs, () => tokenOf('mover', third));
    for (const ended of [first, second]) expect(await tokenOf('mover', ended)).toBeUndefined();
  });

  test.each([
    { alg: 'RS256', typ: 'JWT' },
    { alg: 'ES256', typ: 'at+jwt' },
    { alg: 'EdDSA', typ: 'at+jwt' },
  ])(
    'a machine gets tokens signed with $alg, of type $typ, that open what its scopes say',
    async ({ alg, typ }) => {
      const scope = 'svc:map:orders:read';
      const { secret } = (
        await done(['client', 'add', alg, '--token-alg', alg, '--token-typ', typ, '--scope', scope, '--json'])
      ).json<{ secret: string }>();
      const token = await within(followMs, () => tokenOf(alg, secret, scope));
      expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toMatchObject({
        alg,
        typ,
      });
      expect(await statusWith(token, '/svc/rest/maps/orders/a')).toBe(204);
      expect(await statusWith(token, '/svc/rest/maps/other/a')).toBe(403);
      expect(await statusWith(token)).toBe(403);
    },
  );

  test.each(['RS256', 'ES256', 'EdDSA'])(
    'an application with %s tokens may send people to sign in',
    async (alg) => {
      const redirectUri = 'https://wiki.example.com/cb?from=console';
      const scope = 'openid profile email offline_access app:Viewer';
      const id = `wiki-${alg}`;
      await done(['client', 'add', id, '--redirect-uri', redirectUri, '--scope', scope, '--token-alg', alg]);
      const authorize = (uri: string) =>
        fetch(
          `${console.url}/oauth2/authorize?${new URLSearchParams({
            response_type: 'code',
            client_id: id,
            redirect_uri: uri,
            scope,
            code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
            code_challenge_method: 'S256',
          })}`,
          { redirect: 'manual' },
        );
      await within(followMs, async () => (await authorize(redirectUri)).status === 303);
      const reply = await authorize(redirectUri);
      expect(reply.headers.get('location')).toMatch(/\/login\/[\w-]+$/);
      expect((await authorize(`${redirectUri}&x=1`)).status).toBe(400);
    },
  );

  test.each([
    { verb: 'disable', args: [], returns: false },
    { verb: 'passwd', args: ['--password-file', '-'], returns: true },
    { verb: 'roles', args: ['--role', 'MetricsViewer'], returns: true },
    { verb: 'remove', args: ['--yes'], returns: false },
  ])('user $verb ends the session at once', async ({ verb, args, returns }) => {
    const name = `user-${verb}`;
    await done(['user', 'add', name, '--role', 'Viewer', '--password-file', '-'], password);
    const cookie = await within(followMs, () => signIn(console.url, name, password));
    expect(await isSignedIn(console.url, cookie)).toBe(true);

    await done(['user', verb, name, ...args], password);
    await within(followMs, async () => !(await isSignedIn(console.url, cookie)));
    expect((await signIn(console.url, name, password)) !== undefined).toBe(returns);
  });

  test('an enabled user may sign in again, and the ended session stays ended', async () => {
    await done(['user', 'add', 'back', '--password-file', '-'], password);
    const cookie = await within(followMs, () => signIn(console.url, 'back', password));
    await done(['user', 'disable', 'back']);
    await done(['user', 'enable', 'back']);
    await within(followMs, () => signIn(console.url, 'back', password));
    expect(await isSignedIn(console.url, cookie)).toBe(false);
  });

  test('an administrator lists sessions and ends one, and the others go on (S34)', async () => {
    const username = `listed-${randomUUID()}`;
    await done(['user', 'add', username, '--password-file', '-'], password);
    const signedIn = () => within(followMs, () => signIn(console.url, username, password));
    const cookies = [await signedIn(), await signedIn()];
    const list = async (...user: string[]) =>
      (await done(['session', 'list', ...user, '--json'])).json<{ id: string; user: string }[]>();
    const sessions = await list(username);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toEqual({
      id: expect.stringMatching(/^ses_[\w-]{43}$/), // never taken for a flag
      user: username,
      clients: ['console'],
      provider: null,
      startedAt: expect.any(String),
      lastSeenAt: expect.any(String),
      expiresAt: expect.any(String),
      address: expect.stringMatching(/127\.0\.0\.1|::1/),
      agent: 'node',
      acr: expect.any(String),
    });
    expect(await list()).toEqual(expect.arrayContaining(sessions));

    await done(['session', 'end', sessions[0]!.id]);
    expect((await list(username)).map(({ id }) => id)).toEqual([sessions[1]!.id]);
    await within(followMs, async () => {
      const left = await Promise.all(cookies.map((cookie) => isSignedIn(console.url, cookie)));
      return left.filter(Boolean).length === 1;
    });
    const again = await runTool(['session', 'end', sessions[0]!.id, '--json'], settings());
    expect([again.code, again.json().error]).toEqual([1, 'not_found']);
  });
});

test('the first administrator may come from the command line, and the set-up link ends with that (S27)', async () => {
  const fresh = await startConsole({
    env: { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined },
  });
  try {
    const link = /http:\S+\/setup\?token=\S+/.exec(fresh.stdout())![0];
    expect((await fetch(link)).status).toBe(200);
    const args = ['user', 'add', 'grace', '--role', 'Admin', '--password-file', '-'];
    await toolDone(args, { dataDir: fresh.dataDir, stdin: password });
    await within(followMs, async () => (await fetch(link)).status === 403);
    expect(await signIn(fresh.url, 'grace', password)).toBeDefined();
  } finally {
    await fresh.stop();
  }
});

describe('keys rotate', () => {
  interface KeyView {
    readonly id: string;
    readonly state: string;
  }
  const listed = async () => (await done(['keys', 'list', '--json'])).json<KeyView[]>();
  const published = async (): Promise<string[]> => {
    const reply = await fetch(`${console.url}/oauth2/jwks`);
    const { keys } = (await reply.json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid).sort();
  };

  test('keeps every key in the key set and refuses no token (S5)', async () => {
    const token = (await tokenOf('application-client', clientSecret))!;
    const before = await published();
    const rotated = (await done(['keys', 'rotate', '--json'])).json<{ signsFrom: string; keys: KeyView[] }>();
    expect(Date.parse(rotated.signsFrom)).toBeGreaterThan(Date.now() - 5000);
    const keys = (await listed()).map(({ id }) => id).sort();
    await within(followMs, async () => (await published()).join() === keys.join());
    expect(keys).toEqual(expect.arrayContaining(before));
    expect(await statusWith(token)).toBe(200);
    expect((await done(['keys', 'list'])).stdout).toMatch(/RS256 +current/);
  });

  test('--now drops the old keys and voids what they signed (S5)', async () => {
    const token = (await tokenOf('application-client', clientSecret))!;
    const stolen = (await listed()).flatMap(({ id, state }) => (state === 'current' ? id : []));
    expect(stolen).toHaveLength(3);
    expect((await done(['keys', 'rotate', '--now', '--yes'])).stdout).toContain('void');
    await within(followMs, async () => (await statusWith(token)) === 401);
    expect((await published()).filter((kid) => stolen.includes(kid))).toEqual([]);
    const fresh = await within(followMs, () => tokenOf('application-client', clientSecret));
    expect(await statusWith(fresh)).toBe(200);
  });
});

describe('token', () => {
  test('prints an access token and nothing else', async () => {
    const args = [
      'token',
      '--client',
      'application-client',
      '--secret-file',
      '-',
      '--scope',
      'app:Viewer openid',
    ];
    const { stdout, stderr } = await done(args, `${clientSecret}\n`);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(await statusWith(stdout.trim())).toBe(200);
    expect((await done([...args, '--json'], clientSecret)).json()).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'app:Viewer openid',
    });
  });

  test.each([
    {
      name: 'a wrong secret',
      args: [],
      stdin: 'wrong-0123456789-abcdefghij-klmnop-42',
      says: 'invalid_client',
    },
    { name: 'an unknown scope', args: ['--scope', 'app:viewer'], stdin: clientSecret, says: 'invalid_scope' },
  ])('$name is told with exit 1 (S56)', async ({ args, stdin, says }) => {
    const file = join(temporaryDirectory(), 'secret');
    writeFileSync(file, stdin);
    const rejected = await runTool(
      ['token', '--client', 'application-client', '--secret-file', file, ...args],
      settings(),
    );
    expect([rejected.code, rejected.stdout]).toEqual([1, '']);
    expect(rejected.stderr).toContain(says);
    expect(rejected.stderr).not.toContain(stdin);
  });

  test('asks the console that runs here, whatever address this shell has (C8)', async () => {
    const { stdout } = await toolDone(['token', '--client', 'application-client', '--secret-file', '-'], {
      dataDir: console.dataDir,
      env: { CONSOLE_URL: 'http://localhost:1' },
      stdin: clientSecret,
    });
    expect(await statusWith(stdout.trim())).toBe(200);
  });

  test('settings show, client list and access matrix are those of the console that runs (C8)', async () => {
    const env = { CONSOLE_URL: 'http://localhost:1', CONSOLE_ACCESS_TOKEN_TTL: '77' };
    const run = (...args: string[]) => toolDone(args, { dataDir: console.dataDir, env });
    const { stdout } = await run('settings', 'show');
    expect(stdout).toMatch(new RegExp(`CONSOLE_URL +${console.url}`));
    expect(stdout).not.toContain(' 77 ');
    expect(stdout).not.toContain(clientSecret);
    expect((await run('client', 'list')).stdout).toContain('application-client');
    expect((await run('access', 'matrix', '--client', 'application-client')).stdout).toContain('/svc/rest');
    expect((await run('health')).stdout).toContain('ready');
  });

  test('says so when no console answers', async () => {
    const rejected = await runTool(['token', '--client', 'c', '--secret-file', '-'], {
      dataDir: temporaryDirectory(),
      env: { CONSOLE_URL: 'http://localhost:1' },
      stdin: clientSecret,
    });
    expect(rejected.code).toBe(1);
    expect(rejected.stdout).toBe('');
    expect(rejected.stderr).toMatch(/No console answers at http:\/\/localhost:1.*npm start/);
  });
});

async function tokenOf(id: string, secret: string, scope?: string): Promise<string | undefined> {
  const reply = await askToken(console.url, id, secret, scope);
  const { access_token } = (await reply.json()) as { access_token?: string };
  return access_token;
}

async function statusWith(token: string, path = '/svc/rest/cluster'): Promise<number> {
  const reply = await fetch(`${console.url}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  await reply.arrayBuffer();
  return reply.status;
}

/** Asks until the answer is something, for as long as the console may take to follow. */
async function within<T>(ms: number, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`the console did not follow within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Issue times are whole seconds. */
async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await within(1500, async () => Math.floor(Date.now() / 1000) > second);
}
