/** A proxy in a process of its own: what ends a token at the console ends it there, within a second. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import {
  clientSecret,
  machineToken,
  nextKeysOf,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import {
  addProxyClient,
  call,
  memberOf,
  type RunningProxy,
  startProxy,
  tokenOf,
  untilStatus,
} from './support.ts';

const password = 'correct-staple-battery-9';
const measured: Record<string, number> = {};
let console: RunningConsole;
let proxy: RunningProxy;
let count = 0;

beforeAll(async () => {
  console = await startConsole();
  await nextKeysOf(console);
  const client = await addProxyClient(console);
  proxy = await startProxy({ console, client, members: [memberOf(console)] });
});
afterAll(async () => {
  globalThis.console.info(
    'milliseconds from the change in the store, or else the answer to it, to the first denial:',
    measured,
  );
  await proxy.stop();
  await console.stop();
});

interface Holder {
  readonly token: string;
  /** What ends the token. */
  readonly end: () => Promise<unknown>;
}

const tool = (args: readonly string[], stdin?: string) =>
  toolDone(args, { dataDir: console.dataDir, ...(stdin !== undefined && { stdin }) });

const cases: readonly (readonly [string, () => Promise<Holder>])[] = [
  ['the token is revoked', revokedToken],
  ['a client is disabled', () => machine((id) => ['client', 'disable', id])],
  ['a client is removed', () => machine((id) => ['client', 'remove', '--yes', id])],
  ['a secret is given up', () => machine((id) => ['client', 'rotate-secret', id, '--revoke-old'])],
  ['a user is disabled', () => person((name) => ['user', 'disable', name])],
  ['a user is removed', () => person((name) => ['user', 'remove', '--yes', name])],
  ['a session is ended', () => person(async (name) => ['session', 'end', await sessionOf(name)])],
  ['keys are rotated at once', () => machine(() => ['keys', 'rotate', '--now', '--yes'])],
];

describe.each(cases)('when %s (S34)', (name, make) => {
  test('the proxy refuses the next call, and a poll that waits ends with 401', async () => {
    const { token, end } = await make();
    const queue = `/svc/rest/queues/q${count}`;
    expect((await call(proxy, token, queue, { method: 'POST', body: 'before' })).status).toBe(200);
    expect((await call(proxy, token, `${queue}/1`, { method: 'DELETE' })).status).toBe(200);
    const isKeys = name.startsWith('keys');
    const waiting = isKeys ? undefined : call(proxy, token, `${queue}/300`, { method: 'DELETE' });
    await pause(200);
    const ask = () => call(proxy, token, `${queue}/0`, { method: 'DELETE' });
    // Asked all the while: a command goes on for a time after it has changed the store.
    const startedAt = Date.now();
    const rejected = untilStatus(ask, 401).then(() => Date.now());
    await end();
    const endedAt = Date.now();
    const writtenAt = statSync(join(console.dataDir, 'registry.json')).mtimeMs;
    measured[name] = Math.round((await rejected) - (writtenAt > startedAt ? writtenAt : endedAt));
    if (!waiting) return;
    const poll = await waiting;
    expect([poll.status, ((await poll.json()) as { code: string }).code]).toEqual([401, 'invalid_token']);
    expect(poll.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('what is new', () => {
  test('a key that signs for the first time is known before anybody brings its token', async () => {
    await tool(['keys', 'rotate', '--now', '--yes']);
    const before = await machineToken(console);
    const kid = kidOf(before);
    for (let i = 0; i < 5; i += 1) {
      const token = await machineToken(console);
      expect((await call(proxy, token, '/svc/health')).status).toBe(200);
    }
    await tool(['keys', 'rotate', '--now', '--yes']);
    let token = before;
    while (kidOf(token) === kid) token = await machineToken(console);
    expect((await call(proxy, token, '/svc/health')).status).toBe(200);
  });

  test('a role of one’s own opens what it opens now, not what it did when the token was issued (S34)', async () => {
    await tool(['role', 'add', 'm-reader', '--scope', 'svc:map:m:read']);
    const { token } = await person(() => [], 'm-reader');
    const ask = () => call(proxy, token, '/svc/rest/maps/m/k');
    expect((await ask()).status).toBeLessThan(300);
    await tool(['role', 'update', 'm-reader', '--scope', 'svc:map:other:read']);
    await untilStatus(ask, 403);
  });

  test('a token of somebody else goes on (S34)', async () => {
    const [mine, other] = [await machine((id) => ['client', 'disable', id]), await revokedToken()];
    await mine.end();
    await untilStatus(() => call(proxy, mine.token, '/svc/rest/maps/m/k'), 401);
    expect((await call(proxy, other.token, '/svc/health')).status).toBe(200);
  });

  test('a token that names a key nobody has is refused, however often it comes (S2)', async () => {
    const [header, ...rest] = (await machineToken(console)).split('.');
    const named = { ...JSON.parse(Buffer.from(header!, 'base64url').toString()), kid: 'nobody-has-it' };
    const forged = [Buffer.from(JSON.stringify(named)).toString('base64url'), ...rest].join('.');
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(proxy, forged, '/svc/health')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  });
});

async function person(
  end: (name: string) => readonly string[] | Promise<readonly string[]>,
  role = 'Admin',
): Promise<Holder> {
  count += 1;
  const username = `holder-${count}`;
  await tool(['user', 'add', username, '--role', role, '--password-file', '-'], password);
  await appears(
    async () => (await createUserAgent(console.url).signIn({ username, password })).status === 200,
  );
  const agent = createUserAgent(console.url);
  const tokens = await signInForTokens(console, agent, {}, { username, password });
  return { token: tokens.access_token, end: async () => tool(await end(username)) };
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
  const scope = 'svc:data:read svc:data:write';
  const added = await tool(['client', 'add', id, '--scope', scope, '--json']);
  const { secret } = added.json<{ secret: string }>();
  return { token: await tokenOf(console, { id, secret }, scope), end: () => tool(end(id)) };
}

async function revokedToken(): Promise<Holder> {
  count += 1;
  const token = await machineToken(console);
  const end = () =>
    fetch(`${console.url}/oauth2/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
      body: new URLSearchParams({ token }),
    });
  return { token, end };
}

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;
}

/** A running console follows the tool within a second. */
async function appears(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('the console never followed');
    await pause(100);
  }
}
