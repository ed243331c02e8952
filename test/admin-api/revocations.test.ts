/** The feed that a member proxy in a process of its own reads: who may, what it tells, and when it ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askToken } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import {
  admin,
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
  waitFor,
} from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

interface RevocationEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const scope = 'api:revocations:read';
let console: RunningConsole;
let reader: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  console = await startConsole();
  reader = await addClient('reader', scope);
});
afterAll(() => console.stop());

describe('who may read which tokens are revoked (S49)', () => {
  test('nobody without a token', async () => {
    const reply = await fetch(`${console.url}/api/v1/revocations`);
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test('no administrator, machine or person: it takes the scope', async () => {
    const agent = createUserAgent(console.url);
    const person = await signInForTokens(console, agent, { resource: `${console.url}/api` }, admin);
    for (const token of [await apiToken(console), person.access_token]) {
      const reply = await open(token);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
        403,
        `Bearer error="insufficient_scope", error_description="This needs the scope ${scope}.", scope="${scope}"`,
      ]);
    }
  });

  test('the scope opens nothing else', async () => {
    const token = await tokenOf(reader);
    const paths = ['/svc/rest/cluster', '/svc/health', '/api/v1/identity-providers'];
    const statuses = paths.map(async (path) => {
      const reply = await fetch(console.url + path, { headers: { authorization: `Bearer ${token}` } });
      return reply.status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 401, 403]);
  });

  test('other methods are refused', async () => {
    const reply = await fetch(`${console.url}/api/v1/revocations`, { method: 'POST' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('what is told', () => {
  test('everything that holds, then what changes, then that nothing has', async () => {
    const follower = await read(await tokenOf(reader));
    await follower.until(({ type }) => type === 'complete');
    await follower.until(({ type }) => type === 'alive');
    const before = follower.received().slice(
      0,
      follower.received().findIndex(({ type }) => type === 'complete'),
    );
    // Nobody who has lost nothing is named, however many there are.
    expect(before.map(({ type }) => type)).toEqual(['start', 'keys']);
    expect(before[0]).toEqual({ type: 'start', version: 2 });

    const machine = await addClient('machine', 'svc:data:read');
    await follower.until(({ type }) => type === 'origins');
    await toolDone(['client', 'disable', machine.id], { dataDir: console.dataDir });
    const ofMachine = ({ type, id }: RevocationEvent) => type === 'client' && id === machine.id;
    const [disabled] = await follower.until(ofMachine);
    expect(disabled).toEqual({ type: 'client', id: machine.id, until: expect.any(Number) });
    await toolDone(['client', 'enable', machine.id], { dataDir: console.dataDir });
    const [enabled] = await follower.until((event) => ofMachine(event) && event.from !== undefined);
    expect(Number(enabled!.until)).toBeGreaterThan(Number(enabled!.from) + 3600);

    // Who comes later is told what is void, and no more.
    const later = await read(await tokenOf(reader));
    await later.until(({ type }) => type === 'complete');
    const parties = later.received().filter(({ type }) => type === 'client' || type === 'account');
    expect(parties).toEqual([enabled]);
    await later.cancel();

    const token = await machineToken(console);
    await revoke(token);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    await follower.until((event) => event.type === 'token' && event.jti === jti);

    const kids = () => follower.received().findLast(({ type }) => type === 'keys')!.kids as string[];
    const old = kids();
    await toolDone(['keys', 'rotate', '--now', '--yes'], { dataDir: console.dataDir });
    await follower.until(({ type }) => type === 'keys' && !kids().some((kid) => old.includes(kid)));
    await follower.cancel();
  });

  test('to nobody who reads another version: it would believe the contrary', async () => {
    for (const query of ['', '?version=1', '?version=3', '?version=2x']) {
      const reply = await open(await tokenOf(reader), console.url, query);
      expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
        400,
        'invalid_request',
      ]);
    }
  });

  test('whether pages of an origin may call, to the same reader only (S23)', async () => {
    const ask = async (query: string, token: string) => {
      const reply = await fetch(`${console.url}/api/v1/redirect-origins${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return [reply.status, await reply.json()] as const;
    };
    const token = await tokenOf(reader);
    const origin = 'https://wiki.example';
    expect(await ask(`?origin=${origin}`, token)).toEqual([200, { origin, isKnown: false }]);
    const args = ['client', 'add', 'wiki', '--redirect-uri', `${origin}/in`];
    await toolDone(args, { dataDir: console.dataDir });
    expect(await ask(`?origin=${origin}`, token)).toEqual([200, { origin, isKnown: true }]);
    await toolDone(['client', 'disable', 'wiki'], { dataDir: console.dataDir });
    expect(await ask(`?origin=${origin}`, token)).toEqual([200, { origin, isKnown: false }]);
    expect((await ask('', token))[0]).toBe(400);
    expect((await ask(`?origin=${origin}`, await apiToken(console)))[0]).toBe(403);
  });

  test('it ends with the token that it was opened with', async () => {
    const other = await addClient('other-reader', scope);
    const follower = await read(await tokenOf(other));
    await follower.until(({ type }) => type === 'alive');
    await toolDone(['client', 'disable', other.id], { dataDir: console.dataDir });
    await waitFor(follower.hasEnded, 'the end of the feed', 15_000);
  });

  test('a console that stops does not wait for it (S81)', async () => {
    const stopping = await startConsole();
    const added = await toolDone(['client', 'add', 'reader', '--scope', scope, '--json'], {
      dataDir: stopping.dataDir,
    });
    const { secret } = added.json<{ secret: string }>();
    const follower = await read(await tokenOf({ id: 'reader', secret }, stopping.url), stopping.url);
    await follower.until(({ type }) => type === 'alive');
    const at = Date.now();
    expect(await stopping.stop()).toBe(0);
    // Anything below the 24 s for replies under way.
    expect(Date.now() - at).toBeLessThan(20_000);
    await waitFor(follower.hasEnded, 'the end of the feed', 15_000);
  });
});

async function addClient(id: string, scopes: string): Promise<{ id: string; secret: string }> {
  const added = await toolDone(['client', 'add', id, '--scope', scopes, '--json'], {
    dataDir: console.dataDir,
  });
  return { id, secret: added.json<{ secret: string }>().secret };
}

/** A running console follows the tool within a second. */
async function tokenOf(
  { id, secret }: { readonly id: string; readonly secret: string },
  url = console.url,
): Promise<string> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const reply = await askToken(url, id, secret, scope);
    if (reply.ok) return ((await reply.json()) as { access_token: string }).access_token;
    if (Date.now() > deadline) throw new Error(`no token: ${await reply.text()}`);
    await new Promise((tick) => setTimeout(tick, 100));
  }
}

async function revoke(token: string): Promise<void> {
  const reply = await fetch(`${console.url}/oauth2/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    body: new URLSearchParams({ token }),
  });
  expect(reply.status).toBe(200);
}

function open(token: string, url = console.url, query = '?version=2'): Promise<Response> {
  return fetch(`${url}/api/v1/revocations${query}`, { headers: { authorization: `Bearer ${token}` } });
}

async function read(token: string, url = console.url) {
  const reply = await open(token, url);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  const stream = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  const received: RevocationEvent[] = [];
  let rest = '';
  let isOver = false;
  const ended = (async () => {
    for (;;) {
      const { done, value } = await stream.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      received.push(...lines.map((line) => JSON.parse(line)));
    }
  })().finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  return {
    received: () => received,
    hasEnded: () => isOver,
    until: (holds: (event: RevocationEvent) => boolean) =>
      waitFor(() => received.some(holds) && received.filter(holds), 'the events', 20_000),
    cancel: () => stream.cancel(),
  };
}
