/** Through the whole console: what ends a token ends the calls that wait with it. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const password = 'correct-staple-battery-9';
let console: RunningConsole;
let count = 0;

beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

interface Holder {
  readonly token: string;
  /** What ends the token. */
  readonly end: () => Promise<unknown>;
}

const tool = (args: readonly string[], stdin?: string) =>
  toolDone(args, { dataDir: console.dataDir, ...(stdin !== undefined && { stdin }) });

const cases: readonly (readonly [string, () => Promise<Holder>])[] = [
  ['a user is disabled', () => person((name) => ['user', 'disable', name])],
  ['a user is removed', () => person((name) => ['user', 'remove', '--yes', name])],
  ['a user gets other roles', () => person((name) => ['user', 'roles', name, '--role', 'Viewer'])],
  ['a password is set', () => person((name) => ['user', 'passwd', name, '--password-file', '-'])],
  ['a session is ended', () => person(async (name) => ['session', 'end', await sessionOf(name)])],
  ['a client is disabled', () => machine((id) => ['client', 'disable', id])],
  ['a client is removed', () => machine((id) => ['client', 'remove', '--yes', id])],
  ['a secret is given up', () => machine((id) => ['client', 'rotate-secret', id, '--revoke-old'])],
  ['the token is revoked', revokedToken],
];

describe.each(cases)('when %s (S34)', (_name, make) => {
  test('the next call is refused within a second, and a poll that waits ends with 401', async () => {
    const { token, end } = await make();
    const queue = `/svc/rest/queues/q${count}`;
    expect((await call('POST', queue, token, 'before')).status).toBe(200);
    expect((await call('DELETE', `${queue}/1`, token)).status).toBe(200);
    const waiting = call('DELETE', `${queue}/300`, token);
    await pause(200);
    await end();
    const poll = await waiting;
    expect([poll.status, ((await poll.json()) as { code: string }).code]).toEqual([401, 'invalid_token']);
    expect(poll.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect((await call('DELETE', `${queue}/0`, token)).status).toBe(401);
  });
});

test('a poll of somebody else goes on', async () => {
  const [mine, other] = [await machine((id) => ['client', 'disable', id]), await revokedToken()];
  const queue = `/svc/rest/queues/q${count}`;
  const waiting = call('DELETE', `${queue}/300`, other.token);
  await pause(200);
  await mine.end();
  await pause(1_000);
  expect((await call('POST', queue, other.token, 'item')).status).toBe(200);
  const poll = await waiting;
  expect([poll.status, await poll.text()]).toEqual([200, 'item']);
});

async function person(
  end: (name: string) => readonly string[] | Promise<readonly string[]>,
): Promise<Holder> {
  count += 1;
  const username = `holder-${count}`;
  await tool(['user', 'add', username, '--role', 'Admin', '--password-file', '-'], password);
  await appears(
    async () => (await createUserAgent(console.url).signIn({ username, password })).status === 200,
  );
  const agent = createUserAgent(console.url);
  const tokens = await signInForTokens(console, agent, {}, { username, password });
  return {
    token: tokens.access_token,
    end: async () => tool(await end(username), 'another-staple-battery-7'),
  };
}

async function sessionOf(username: string): Promise<string> {
  const listed = (await tool(['session', 'list', username, '--json'])).json<
    { id: string; clients: string[] }[]
  >();
  return listed.find(({ clients }) => clients.includes('application-dashboard'))!.id;
}

async function machine(end: (id: string) => readonly string[]): Promise<Holder> {
  count += 1;
  const id = `machine-${count}`;
  const added = await tool(['client', 'add', id, '--scope', 'svc:data:read svc:data:write', '--json']);
  const { secret } = added.json<{ secret: string }>();
  let token = '';
  await appears(async () => {
    const reply = await ask(id, secret, 'svc:data:read svc:data:write');
    ({ access_token: token } = (await reply.json()) as { access_token: string });
    return reply.ok;
  });
  return { token, end: () => tool(end(id)) };
}

async function revokedToken(): Promise<Holder> {
  count += 1;
  const reply = await ask('application-client', clientSecret, 'openid');
  const { access_token: token } = (await reply.json()) as { access_token: string };
  const end = () =>
    fetch(`${console.url}/oauth2/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
      body: new URLSearchParams({ token }),
    });
  return { token, end };
}

function ask(id: string, secret: string, scope: string): Promise<Response> {
  return fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
}

function call(method: string, path: string, token: string, body?: string): Promise<Response> {
  return fetch(console.url + path, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  });
}

/** A running console follows the tool within a second. */
async function appears(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('the console never followed');
    await pause(100);
  }
}
