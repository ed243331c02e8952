/** Values of more than a megabyte by `/api/v1/maps/{map}/entries/{key}/value`: byte for byte, and no more of them in memory than is on its way. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, machineToken, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const bound = 10 * 1024 * 1024;
let console: RunningConsole;
let token: string;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
});
afterAll(() => console?.stop());

interface Sent {
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: { readonly url: string; readonly token: string };
}

async function call(method: string, path: string, { body, headers, at }: Sent = {}) {
  const response = await fetch(`${at?.url ?? console.url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${at?.token ?? token}`,
      ...(body && { 'Content-Type': 'application/octet-stream' }),
      ...headers,
    },
    ...(body && { body: new Uint8Array(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson ? JSON.parse(bytes.toString('utf8')) : undefined,
  };
}
const addressOf = (key: string) => `/maps/large/entries/${key}`;
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a value as large as the member takes', () => {
  test.each([
    {
      key: 'text',
      value: Buffer.from('Zeile 42 äöü\n'.repeat(bound / 16)),
      type: 'text/plain;charset=utf-8',
    },
    { key: 'bytes', value: randomBytes(bound), type: undefined },
  ])('of $key is stored and given as it is, and its entry says what it is', async ({ key, value, type }) => {
    const query = type === undefined ? '' : `?type=${encodeURIComponent(type)}`;
    const made = await call('PUT', `${addressOf(key)}/value${query}`, { body: value });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: key,
        map: 'large',
        type: type ?? null,
        bytes: value.length,
        member: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
    ]);
    const given = await call('GET', `${addressOf(key)}/value`);
    expect([given.status, digest(given.bytes), given.headers.get('content-length')]).toEqual([
      200,
      digest(value),
      String(value.length),
    ]);
    expect(given.headers.get('content-type')).toBe('application/octet-stream');
    expect(given.headers.get('content-disposition')).toBe('attachment; filename="value"');
    expect(given.headers.get('x-content-type-options')).toBe('nosniff');

    const shown = await call('GET', `${addressOf(key)}?first=65536`);
    expect(shown.body).toMatchObject({ type: type ?? null, bytes: value.length, member: made.body.member });
    expect(Buffer.from(shown.body.value, 'base64').equals(value.subarray(0, 65536))).toBe(true);
    expect(shown.headers.get('etag')).toBe(made.headers.get('etag'));
    const whole = await call('GET', addressOf(key));
    expect([whole.status, whole.body.code]).toEqual([413, 'content_too_large']);

    const stale = { 'If-Match': '"e-0123456789012345678901"' };
    const lost = await call('PUT', `${addressOf(key)}/value`, { body: Buffer.from('x'), headers: stale });
    expect([lost.status, lost.body.current]).toEqual([412, made.headers.get('etag')]);
    const current = { 'If-Match': made.headers.get('etag')! };
    expect((await call('DELETE', addressOf(key), { headers: current })).status).toBe(204);
    expect((await call('GET', `${addressOf(key)}/value`)).status).toBe(404);
  });

  test('and one byte more is refused, whoever finds it too large, and nothing is stored', async () => {
    const value = Buffer.alloc(bound + 1, 'x');
    const refused = await call('PUT', `${addressOf('over')}/value`, { body: value });
    expect([refused.status, refused.body.code]).toEqual([413, 'content_too_large']);
    expect(refused.body.detail).toContain(`${bound} bytes`);
    expect((await call('GET', addressOf('over'))).status).toBe(404);

    const other = await startConsole({ env: { CONSOLE_PROXY_BODY_LIMIT: String(2 * bound) } });
    try {
      const at = { url: other.url, token: await apiToken(other) };
      const byMember = await call('PUT', `${addressOf('over')}/value`, { body: value, at });
      expect([byMember.status, byMember.body.code]).toEqual([413, 'content_too_large']);
      expect(byMember.body.detail).toMatch(/^The member 127\.0\.0\.1:\d+ takes no value of 10485761 bytes\./);
      expect((await call('GET', addressOf('over'), { at })).status).toBe(404);
    } finally {
      await other.stop();
    }
  });
});

test('a value of another form, or of a type that is none, is refused; a dry run stores nothing', async () => {
  const at = `${addressOf('other')}/value`;
  const body = Buffer.from('{}');
  const json = { 'Content-Type': 'application/json' };
  expect((await call('PUT', at, { body, headers: json })).status).toBe(400);
  expect((await call('PUT', `${at}?type=%0a`, { body })).status).toBe(400);
  expect((await call('PUT', `${at}?kind=x`, { body })).status).toBe(400);
  expect((await call('PUT', `${at}?dryRun=true`, { body })).body).toMatchObject({
    status: 201,
    result: { bytes: 2, member: null },
  });
  expect((await call('GET', addressOf('other'))).status).toBe(404);
  for (const first of ['-1', '1.5', 'x', '1048577']) {
    expect((await call('GET', `${addressOf('other')}?first=${first}`)).status).toBe(400);
  }
});

test('that it was read and stored is in the audit, with its size', async () => {
  const body = randomBytes(2000);
  await call('PUT', `${addressOf('audited')}/value`, { body });
  await call('GET', `${addressOf('audited')}/value`);
  const said = () => console.log().filter(({ audit, target }) => audit && target === 'large/audited');
  await console.waitFor(() => said().length === 2, 'the entries');
  expect(said()).toMatchObject([
    { event: 'map.entry.stored', changes: { bytes: { from: null, to: 2000 } } },
    { event: 'map.entry.read' },
  ]);
});

test('a value comes at the pace of who reads it, and the member is left when they go', async () => {
  const member = await endlessMember();
  const slow = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` } });
  try {
    const at = await apiToken(slow);
    const address = `${slow.url}/api/v1${addressOf('endless')}/value`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(address, { headers: { Authorization: `Bearer ${at}` } }, resolve).once('error', reject);
    });
    response.pause();
    // It stops by itself: what the sockets on the way hold is all that is sent.
    let before = -1;
    await waitFor(() => {
      const isSame = before === member.sent() && before > 0;
      before = member.sent();
      return isSame;
    }, 'the member to be left alone');
    const held = member.sent();
    expect(held).toBeLessThan(64 * 1024 * 1024);
    let read = 0;
    response.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    response.resume();
    await waitFor(() => read > held, 'more than was held');
    response.destroy();
    await waitFor(() => member.isLeft(), 'the end of the connection to the member');
  } finally {
    await slow.stop();
    await member.close();
  }
}, 60_000);

test('a person has four downloads by pages at a time, as by the API', async () => {
  const member = await endlessMember();
  const other = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` } });
  const open: IncomingMessage[] = [];
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    const cookie = [...agent.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    const address = `${other.url}/cluster/maps/large/endless/value?download=true`;
    const download = () =>
      new Promise<number>((resolve, reject) => {
        get(address, { headers: { cookie } }, (response) => {
          response.pause();
          open.push(response);
          resolve(response.statusCode!);
        }).once('error', reject);
      });
    for (const _each of [1, 2, 3, 4]) expect(await download()).toBe(200);
    expect(await download()).toBe(429);
    open[0]!.destroy();
    await until(async () => (await download()) === 200, 'a place that is free again');
  } finally {
    for (const response of open) response.destroy();
    await other.stop();
    await member.close();
  }
}, 60_000);

/** A member with one entry that has no end. */
async function endlessMember() {
  let sent = 0;
  let isLeft = false;
  const server: Server = createServer((req, res) => {
    if (!(req.url ?? '').endsWith('/maps/large/endless')) return res.writeHead(404).end();
    const chunk = Buffer.alloc(65_536, 'v');
    const send = () => {
      while (!res.destroyed) {
        sent += chunk.length;
        if (!res.write(chunk)) break;
      }
    };
    res.on('drain', send).once('close', () => {
      isLeft = true;
    });
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => sent,
    isLeft: () => isLeft,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

test('is for those who may (S49)', async () => {
  const members = await machineToken(console);
  const viewer = await apiToken(console, 'app:Viewer');
  const at = (other: string) => ({ url: console.url, token: other });
  const address = `${addressOf('audited')}/value`;
  expect((await call('GET', address, { at: at(viewer) })).status).toBe(200);
  expect((await call('PUT', address, { body: Buffer.from('x'), at: at(viewer) })).status).toBe(403);
  expect((await call('GET', address, { at: at(members) })).status).toBe(401);
});
