import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

let answer: Answer = (_req, res) => res.end('ok');
let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;

beforeAll(async () => {
  member = await startRecorder((...args) => answer(...args));
  proxy = await startProxy({ members: [member.address] });
  token = await tokenFor(proxy.key, 'Admin');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const authorization = () => `Authorization: Bearer ${token}\r\n`;
const send = (method: string, path: string, fields = '') =>
  sendRaw(
    proxy.address,
    `${method} ${path} HTTP/1.1\r\nHost: console.example\r\n${authorization()}${fields}\r\n`,
  );

const fieldNames = (raw: readonly string[]) =>
  raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());

test('a member gets the fields on the list and no others (S62)', async () => {
  const fields = [
    'Accept: application/json',
    'Content-Type: text/plain',
    'User-Agent: test',
    'Cookie: session=1',
    'Forwarded: for=1.2.3.4',
    'X-Forwarded-For: 1.2.3.4',
    'X-Forwarded-User: root',
    'X-Real-IP: 1.2.3.4',
    'X_Forwarded_For: 1.2.3.4',
    'content_length: 7',
    'Via: 1.1 other',
    'Proxy-Authorization: Basic YTpi',
    'Origin: http://evil',
    'Referer: http://evil/',
    'Accept-Encoding: gzip',
    'TE: trailers',
    'Content-Length: 0',
  ];
  expect((await send('POST', '/svc/rest/maps/m/k', `${fields.join('\r\n')}\r\n`)).status).toBe(200);
  expect(fieldNames(member.seen[0]!.rawHeaders)).toEqual([
    'host',
    'connection',
    'accept',
    'content-type',
    'user-agent',
    'traceparent',
    'content-length',
  ]);
  expect(member.seen[0]!.headers.host).toBe(new URL(member.address).host);
});

test('what Connection lists ends at the proxy (S62)', async () => {
  const fields = 'Connection: keep-alive, Content-Type\r\nConnection: User-Agent\r\n';
  const sent = 'Content-Type: text/plain\r\nUser-Agent: test\r\nAccept: a/b\r\nContent-Length: 0\r\n';
  expect((await send('POST', '/svc/rest/maps/m/k', fields + sent)).status).toBe(200);
  expect(member.seen[0]!.headers).toMatchObject({ accept: 'a/b' });
  expect(member.seen[0]!.headers).not.toHaveProperty('content-type');
  expect(member.seen[0]!.headers).not.toHaveProperty('user-agent');
});

test('Connection cannot take the credentials or the length off a request (S62)', async () => {
  const fields = 'Connection: Authorization, Content-Length\r\nContent-Length: 3\r\n';
  const reply = await sendRaw(
    proxy.address,
    `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\n${authorization()}${fields}\r\nabc`,
  );
  expect(reply.status).toBe(200);
  expect(member.seen[0]!.body.toString()).toBe('abc');
});

test('Expect ends at the proxy (S62)', async () => {
  const reply = await sendRaw(
    proxy.address,
    `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\n${authorization()}Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
  );
  expect(reply.head).toContain('100 Continue');
  expect(member.seen[0]!.headers).not.toHaveProperty('expect');
});

const dangerous: Answer = (_req, res) => {
  res.writeHead(200, {
    'Content-Type': 'text/html',
    'Content-Length': 2,
    'Set-Cookie': ['a=1', 'b=2'],
    Server: 'member/1',
    Location: 'http://evil/',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Credentials': 'true',
    Connection: 'keep-alive, X-Listed, Content-Security-Policy, X-Content-Type-Options, Content-Disposition',
    'X-Listed': '1',
    'Proxy-Authenticate': 'Basic',
    'Content-Security-Policy': "script-src 'unsafe-inline'",
    'Content-Disposition': 'inline',
    'Hazelcast-ClusterSize': '1',
  });
  res.end('ok');
};

test.each([
  ['a map value', 'GET', '/svc/rest/maps/m/k', true],
  ['a polled item', 'DELETE', '/svc/rest/queues/q/1', true],
  ['an item polled by GET', 'GET', '/svc/rest/queues/q/1', true],
  ['the cluster', 'GET', '/svc/rest/cluster', false],
  ['a write', 'POST', '/svc/rest/maps/m/k', false],
])('the reply of %s leaves what a member must not say (S69)', async (_, method, path, isStored) => {
  answer = dangerous;
  const reply = await send(method, path);
  const names = [...reply.head.matchAll(/\r\n([^:]+):/g)].map(([, name]) => name!.toLowerCase());
  for (const name of ['set-cookie', 'server', 'location', 'x-listed', 'proxy-authenticate']) {
    expect(names).not.toContain(name);
  }
  expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(reply.head).toContain('\r\nContent-Type: text/html\r\n');
  expect(reply.head).toContain('\r\nHazelcast-ClusterSize: 1\r\n');
  expect(reply.head).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
  expect(reply.head).toContain('\r\nX-Request-Id: request-1\r\n');
  expect(names.includes('content-security-policy')).toBe(isStored);
  expect(names.includes('content-disposition')).toBe(isStored);
  if (isStored) {
    expect(reply.head).toContain('\r\nContent-Security-Policy: sandbox\r\n');
    expect(reply.head).toContain('\r\nContent-Disposition: attachment\r\n');
  }
  expect(reply.body).toBe('ok');
});

test.each(['/svc/rest/maps/m/k', '/svc/rest/queues/q'])(
  'a type of more than 256 bytes is not stored at %s (S69)',
  async (path) => {
    answer = (_req, res) => res.end();
    const type = `text/plain; x=${'a'.repeat(256 - 'text/plain; x='.length)}`;
    const accepted = await send('POST', path, `Content-Length: 0\r\nContent-Type: ${type}\r\n`);
    expect(accepted.status).toBe(200);
    expect(member.seen).toHaveLength(1);
    const rejected = await send('POST', path, `Content-Length: 0\r\nContent-Type: ${type}a\r\n`);
    expect(rejected.status).toBe(400);
    expect(member.seen).toHaveLength(1);
  },
);

test('CR or LF in a type is refused by framing, before anything is stored (S69)', async () => {
  for (const type of [
    'text/plain\rSet-Cookie: a=1',
    'text/plain\nSet-Cookie: a=1',
    'text/plain\r\n Set-Cookie: a=1',
  ]) {
    const reply = await send('POST', '/svc/rest/maps/m/k', `Content-Length: 0\r\nContent-Type: ${type}\r\n`);
    expect(reply.status).toBe(400);
  }
  expect(member.seen).toEqual([]);
});

test('a member of the real engine is addressed by its own first segment', async () => {
  answer = (_req, res) => res.end();
  const other = await startProxy({ members: [member.address], prefix: 'hazelcast' });
  const bearer = await tokenFor(other.key, 'Admin');
  await fetch(`${other.address}/svc/rest/maps/svc%2Fm/k`, { headers: { authorization: `Bearer ${bearer}` } });
  expect(member.seen.map(({ url }) => url)).toEqual(['/hazelcast/rest/maps/svc%2Fm/k']);
  await other.close();
});
