/** Commands that work by operations: on a running console, on the store where none runs, and on one that is elsewhere. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { operationPaths } from '../../console/commands/operations/operation-paths.ts';
import { storedEvents } from '../helpers/audit.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { program, type ToolOptions, temporaryDirectory, toolEnvironment } from './support.ts';

let console: RunningConsole;
let tokenFile: string;

beforeAll(async () => {
  console = await startConsole();
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${console.url}/api` }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  tokenFile = join(console.dataDir, 'a.token');
  writeFileSync(tokenFile, `${token}\n`);
});
afterAll(() => console.stop());

interface RoleView {
  readonly id: string;
  readonly permissions: readonly string[];
}

function auditIn(dataDir: string, target: string): Record<string, unknown>[] {
  return storedEvents(dataDir).filter((line) => line.target === target);
}

/** A role from its making to its end. */
async function walk(id: string, options: ToolOptions, args: readonly string[] = []) {
  const done = (...words: string[]) => toolDone([...words, ...args], options);
  const json = async (...words: string[]) => (await done(...words, '--json')).json();
  await done('role', 'add', id, '--scope', 'svc:health:read');
  const views = [
    await json('role', 'update', id, '--add-scope', 'svc:map:a:read', '--description', 'One'),
    await json('role', 'update', id, '--remove-scope', 'svc:health:read'),
    await json('role', 'show', id),
    await json('role', 'list'),
    await json('role', 'remove', id, '--yes'),
  ];
  const text = JSON.stringify(views).replaceAll(/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":"T"');
  return JSON.parse(text.replaceAll(id, 'ROLE')) as unknown[];
}

test('every operation that a command asks for is in the table, with this method and path', () => {
  const known = new Map(operations.map(({ id, method, path }) => [id, `${method} ${path}`]));
  expect(Object.entries(operationPaths).map(([id]) => [id, known.get(id)])).toEqual(
    Object.entries(operationPaths),
  );
});

test('the same commands say the same by the socket, on a store without a console and over HTTP', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  const remote = ['--url', console.url, '--token-file', tokenFile];
  const [here, alone, elsewhere] = await Promise.all([
    walk('BySocket', { dataDir: console.dataDir }),
    walk('OnStore', { dataDir }),
    walk('OverHttp', { dataDir: temporaryDirectory() }, remote),
  ]);
  expect(here[0]).toMatchObject({ id: 'ROLE', permissions: ['svc:health:read', 'svc:map:a:read'] });
  expect(here[2]).toMatchObject({ description: 'One', permissions: ['svc:map:a:read'] });
  expect(JSON.stringify(here[3])).toContain('ROLE');
  const views = (walked: readonly unknown[]) => walked.filter((_, i) => i !== 3);
  expect(alone[3]).toHaveLength(1);
  expect(views(alone)).toEqual(views(here));
  expect(views(elsewhere)).toEqual(views(here));
});

test('a change leaves the same audit line in the same file, with or without a console', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  for (const where of [console.dataDir, dataDir]) {
    await toolDone(['role', 'add', 'Audited', '--scope', 'svc:health:read'], { dataDir: where });
    await runTool(['role', 'update', 'Audited', '--scope', 'nonsense'], { dataDir: where });
  }
  const shape = (line: Record<string, unknown>) => ({ ...line, time: 'T', requestId: 'R' });
  const lines = await waitFor(() => {
    const found = auditIn(console.dataDir, 'Audited');
    return found.length === 2 && found;
  }, 'both lines');
  expect(lines.map(shape)).toEqual(auditIn(dataDir, 'Audited').map(shape));
  expect(lines.map(({ event, outcome }) => [event, outcome])).toEqual([
    ['role.added', 'success'],
    ['role.updated', 'denied'],
  ]);
  expect(lines[0]).toMatchObject({ via: 'cli', actor: expect.stringMatching(/^local:/) });
});

describe('flags', () => {
  const done = (...args: string[]) => toolDone(args, { dataDir: console.dataDir });

  test('two that add to one set at once both count', async () => {
    await done('role', 'add', 'Shared', '--scope', 'svc:health:read');
    const scopes = ['a', 'b', 'c'].map((name) => `svc:map:${name}:read`);
    await Promise.all(scopes.map((scope) => done('role', 'update', 'Shared', '--add-scope', scope)));
    const { permissions } = (await done('role', 'show', 'Shared', '--json')).json<RoleView>();
    expect([...permissions].sort()).toEqual(['svc:health:read', ...scopes]);
  });

  test('--if-match of another version changes nothing, and all and some at once is wrong usage', async () => {
    await done('role', 'add', 'Matched', '--scope', 'svc:health:read');
    const update = (...args: string[]) =>
      runTool(['role', 'update', 'Matched', '--json', ...args], { dataDir: console.dataDir });
    const stale = await update('--description', 'x', '--if-match', '"0123456789"');
    expect([stale.code, stale.json()]).toEqual([
      1,
      expect.objectContaining({ error: 'precondition_failed', current: expect.stringMatching(/^"/) }),
    ]);
    const { current } = stale.json<{ current: string }>();
    expect((await update('--description', 'y', '--if-match', current)).code).toBe(0);
    const both = await update('--scope', 'svc:health:read', '--add-scope', 'svc:map:a:read');
    expect([both.code, both.json().error]).toEqual([2, 'wrong_usage']);
  });

  test('--dry-run says what would come, and nothing has changed', async () => {
    await done('role', 'add', 'Tried', '--scope', 'svc:health:read');
    const before = (await done('role', 'show', 'Tried', '--json')).json();
    const update = ['role', 'update', 'Tried', '--add-scope', 'svc:map:a:read', '--dry-run'];
    expect((await done(...update, '--json')).json<RoleView>().permissions).toHaveLength(2);
    expect((await done(...update)).stdout).toMatch(/^Would change Tried/);
    expect((await done('role', 'remove', 'Tried', '--dry-run')).stdout).toMatch(/^Would remove Tried/);
    expect((await done('role', 'add', 'NotTried', '--scope', 'svc:health:read', '--dry-run')).stdout).toMatch(
      /^Would add/,
    );
    const wrong = await runTool(['role', 'update', 'Tried', '--scope', 'nonsense', '--dry-run'], {
      dataDir: console.dataDir,
    });
    expect(wrong.code).toBe(1);
    expect((await done('role', 'show', 'Tried', '--json')).json()).toEqual(before);
    expect((await runTool(['role', 'show', 'NotTried'], { dataDir: console.dataDir })).code).toBe(1);
  });

  test('--search finds by the beginning of a word, of what is printed', async () => {
    await done(
      'role',
      'add',
      'Sought-After',
      '--scope',
      'svc:map:found-here:read',
      '--description',
      'Reads Lists',
    );
    const found = async (text: string) =>
      (await done('role', 'list', '--search', text, '--json')).json<RoleView[]>().map(({ id }) => id);
    for (const text of ['sough', 'AFTER', 'lists', 'found-h'])
      expect(await found(text)).toEqual(['Sought-After']);
    for (const text of ['ought', 'ists']) expect(await found(text)).toEqual([]);
    const keys = await done('client', 'list', '--search', 'application-d', '--json');
    expect(keys.json<RoleView[]>().map(({ id }) => id)).toEqual(['application-dashboard']);
  });

  test('--limit prints so many, and is a number', async () => {
    for (const id of ['One', 'Two', 'Three']) await done('role', 'add', id, '--scope', 'svc:health:read');
    expect((await done('role', 'list', '--limit', '2', '--json')).json<RoleView[]>()).toHaveLength(2);
    const all = (await done('role', 'list', '--all', '--json')).json<RoleView[]>();
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect((await runTool(['role', 'list', '--limit', '0'], { dataDir: console.dataDir })).code).toBe(2);
  });
});

describe('a console that is elsewhere', () => {
  const ask = (...args: string[]) => runTool(['role', 'list', '--json', ...args], { dataDir: '/nowhere' });

  test.each([
    { name: 'plain http to another machine', url: 'http://console.example.com', code: 'bad_address' },
    { name: 'no address', url: 'console', code: 'bad_address' },
    { name: 'a password in it', url: 'https://u:p@localhost', code: 'bad_address' },
    { name: 'nobody there', url: 'https://localhost:1', code: 'no_console' },
  ])('$name is refused, and no token is sent', async ({ url, code }) => {
    const refused = await ask('--url', url, '--token-file', tokenFile);
    expect([refused.code, refused.json().error]).toEqual([1, code]);
    expect(refused.stdout).not.toContain(readFileSync(tokenFile, 'utf8').trim());
  });

  test('a token that is none is told, with how to get one', async () => {
    const file = join(temporaryDirectory(), 'token');
    writeFileSync(file, 'none');
    const refused = await ask('--url', console.url, '--token-file', file);
    expect([refused.code, refused.json().message]).toEqual([
      1,
      expect.stringContaining(`npx console login --url ${console.url}`),
    ]);
  });

  test('people and sessions are asked for there too, as here', async () => {
    const there = (...args: string[]) =>
      runTool([...args, '--url', console.url, '--token-file', tokenFile, '--json'], { dataDir: '/nowhere' });
    const here = (...args: string[]) => toolDone([...args, '--json'], { dataDir: console.dataDir });
    const made = await there('user', 'add', 'rosa', '--role', 'Viewer', '--invite');
    expect(made.json()).toMatchObject({ id: 'rosa', status: 'invited', roles: ['Viewer'] });
    expect((await there('user', 'update', 'rosa', '--add-role', 'MetricsViewer')).code).toBe(0);
    expect((await there('user', 'show', 'rosa')).json()).toEqual((await here('user', 'show', 'rosa')).json());
    const names = (listed: Awaited<ReturnType<typeof here>>) =>
      listed.json<{ id: string }[]>().map(({ id }) => id);
    expect(names(await there('user', 'list', '--search', 'ros'))).toEqual(['rosa']);
    const unknown = await there('user', 'roles', 'rosa', '--role', 'Nobody');
    expect([unknown.code, unknown.json().error]).toEqual([2, 'wrong_usage']);
    for (const list of ['list', 'logouts']) {
      expect((await there('session', list)).json()).toEqual((await here('session', list)).json());
    }
    expect((await there('user', 'remove', 'rosa', '--yes')).code).toBe(0);
    expect(names(await here('user', 'list'))).not.toContain('rosa');
  });

  test('clients, providers and access are asked for there too, as here', async () => {
    const there = (...args: string[]) =>
      toolDone([...args, '--url', console.url, '--token-file', tokenFile, '--json'], { dataDir: '/nowhere' });
    const here = (...args: string[]) => toolDone([...args, '--json'], { dataDir: console.dataDir });
    const made = (await there('client', 'add', 'remote', '--scope', 'svc:health:read')).json();
    expect(made).toMatchObject({ id: 'remote', secret: expect.stringMatching(/^[\w-]{43}$/) });
    const provider = ['--kind', 'ldap', '--ldap-url', 'ldaps://ldap.example', '--default-role', 'Viewer'];
    await there('idp', 'add', 'remote', ...provider, '--dn-template', 'uid={username},dc=example');
    for (const words of [
      ['client', 'show', 'remote'],
      ['client', 'list'],
      ['idp', 'show', 'remote'],
      ['idp', 'list'],
      ['explain', 'GET', '/svc/health', '--client', 'remote'],
      ['access', 'matrix', '--client', 'remote'],
    ]) {
      expect((await there(...words)).json(), words.join(' ')).toEqual((await here(...words)).json());
    }
    await there('idp', 'remove', 'remote', '--yes');
    await there('client', 'remove', 'remote', '--yes');
    expect((await runTool(['client', 'show', 'remote'], { dataDir: console.dataDir })).code).toBe(1);
  });

  test('the audit is followed there: what happens from now on, of what is asked for, until it is ended', async () => {
    const words = ['audit', 'follow', '--what', 'role', '--url', console.url, '--token-file', tokenFile];
    const child = spawn(process.execPath, [program, ...words], {
      env: toolEnvironment({ dataDir: '/nowhere' }),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    // The stream is open once it tells the first; what was before it is not told.
    for (let n = 0; !said.includes('Followed-'); n++) {
      if (n === 100) throw new Error(`nothing is followed: ${said}`);
      await toolDone(['role', 'add', `Followed-${n}`, '--scope', 'svc:health:read'], {
        dataDir: console.dataDir,
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await toolDone(['client', 'add', 'not-followed', '--scope', 'svc:health:read'], {
      dataDir: console.dataDir,
    });
    await toolDone(['role', 'add', 'Last-Followed', '--scope', 'svc:health:read'], {
      dataDir: console.dataDir,
    });
    await waitFor(() => said.includes('Last-Followed'), 'the last entry', 20_000);
    expect(said).not.toContain('not-followed');
    const lines = said.trimEnd().split('\n');
    expect(lines.filter((line) => !/role\.added {2}success .* role:[\w-]+/.test(line))).toEqual([]);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect((await ended)[1] ?? 'SIGINT').toBe('SIGINT');
  });

  test('the address of a directory is not taken for one', async () => {
    const add = ['idp', 'add', 'staff', '--kind', 'ldap', '--url', 'ldaps://ldap.example', '--json'];
    const refused = await runTool(add, { dataDir: console.dataDir });
    expect([refused.code, refused.json()]).toEqual([
      1,
      { error: 'bad_address', message: expect.stringContaining('--ldap-url') },
    ]);
  });

  /** In front of the console: whatever asks for this is not answered as the console would. */
  async function wayThat(breaks: (path: string, res: ServerResponse) => boolean): Promise<string> {
    const server = createServer((req, res) => {
      if (breaks(req.url ?? '', res)) return;
      const { hostname, port } = new URL(console.url);
      const { method, url: path, headers } = req;
      const onwards = request(
        { hostname, port, method, path, headers: { ...headers, host: `${hostname}:${port}` } },
        (reply) => {
          res.writeHead(reply.statusCode!, reply.headers);
          reply.pipe(res);
        },
      );
      req.pipe(onwards);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  const isInvite = (path: string) => path.endsWith('/invite');

  test.each([
    {
      what: 'is never answered',
      breaks: (path: string, res: ServerResponse) => isInvite(path) && Boolean(res.destroy()),
      why: /The console at \S+ ended before it had answered\.$/,
    },
    {
      what: 'is refused',
      breaks: (path: string, res: ServerResponse) =>
        isInvite(path) &&
        Boolean(
          res
            .writeHead(429, { 'Content-Type': 'application/problem+json' })
            .end(JSON.stringify({ code: 'too_many_requests', detail: 'Too many changes at a time.' })),
        ),
      why: /Too many changes at a time\.$/,
    },
  ])(
    'who is added and whose invitation $what is there, which is said, with what to do',
    async ({ breaks, why }) => {
      const url = await wayThat(breaks);
      const name = `lost-${breaks.toString().length}`;
      const words = [
        'user',
        'add',
        name,
        '--role',
        'Viewer',
        '--invite',
        '--url',
        url,
        '--token-file',
        tokenFile,
      ];
      const added = await runTool(words, { dataDir: '/nowhere' });
      expect(added.code).toBe(1);
      const [done, reason, advice, ...rest] = added.stdout.trimEnd().split('\n');
      expect(done).toBe(`Added ${name} (Viewer).`);
      expect(reason).toMatch(/^There is no link yet: /);
      expect(reason).toMatch(why);
      expect(advice).toBe(`Make one, which voids any before it: npx console user invite ${name}`);
      expect([rest, added.stdout.includes('--idempotency-key')]).toEqual([[], false]);
      const here = { dataDir: console.dataDir };
      expect((await toolDone(['user', 'show', name, '--json'], here)).json()).toMatchObject({
        status: 'invited',
      });
      expect((await toolDone(['user', 'invite', name], here)).stdout).toMatch(
        /^A link for \S+, until \S+:\n\nhttp/,
      );
      await toolDone(['user', 'remove', name, '--yes'], here);
    },
  );

  test('the token does not follow where the answer sends it', async () => {
    const seen: string[] = [];
    const server = createServer((req, res) => {
      seen.push(req.url ?? '');
      res.writeHead(307, { Location: `http://localhost:${port()}/elsewhere` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    onTestFinished(() => void server.close());
    const port = () => (server.address() as { port: number }).port;
    const refused = await ask('--url', `http://localhost:${port()}`, '--token-file', tokenFile);
    expect([refused.code, refused.json().error]).toEqual([1, 'no_console']);
    expect(seen).toEqual(['/api/v1/roles?limit=500']);
  });
});
