import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { basic, eventually, post, publishedKids, requestScope, sendRaw } from './support.ts';

const grant = 'grant_type=client_credentials';

let console: RunningConsole;

beforeAll(async () => {
  console = await startConsole();
});
afterAll(async () => {
  await console.stop();
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405 and names POST (S7)', async (method) => {
  const reply = await post(console, { method, body: grant });
  expect(reply.status).toBe(405);
  expect(reply.headers.get('allow')).toBe('POST');
  expect(reply.json.error).toBe('invalid_request');
});

test('HEAD is 405 without a body (S7)', async () => {
  const reply = await post(console, { method: 'HEAD' });
  expect([reply.status, reply.headers.get('allow'), reply.text]).toEqual([405, 'POST', '']);
});

test.each([
  { name: 'JSON', type: 'application/json', body: JSON.stringify({ grant_type: 'client_credentials' }) },
  { name: 'plain text', type: 'text/plain', body: grant },
  { name: 'a multipart form', type: 'multipart/form-data; boundary=x', body: grant },
  { name: 'a type with a suffix', type: 'application/x-www-form-urlencoded2', body: grant },
  { name: 'two types in one field', type: 'application/x-www-form-urlencoded, text/plain', body: grant },
  { name: 'an empty type', type: '', body: grant },
])('$name is invalid_request (S7)', async ({ type, body }) => {
  const reply = await post(console, { headers: { 'Content-Type': type }, body });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
});

test.each([
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'Application/X-WWW-Form-URLEncoded',
])('the type "%s" is a form', async (type) => {
  const reply = await post(console, { headers: { 'Content-Type': type }, body: grant });
  expect(reply.status).toBe(200);
});

test('a request without a type and one without a body are invalid_request (S7)', async () => {
  const head = `POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic()}\r\nConnection: close\r\n`;
  const untyped = await sendRaw(console.port, `${head}Content-Length: ${grant.length}\r\n\r\n${grant}`);
  const empty = await sendRaw(console.port, `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\n`);
  for (const reply of [untyped, empty]) {
    expect([reply.status, JSON.parse(reply.body).error]).toEqual([400, 'invalid_request']);
  }
});

test.each([
  ['half an escape', `${grant}&scope=%4`],
  ['an escape that is no number', `${grant}&scope=%zz`],
  ['a percent sign at the end', `${grant}&scope=openid%`],
  ['an escaped byte that is no UTF-8', `${grant}&scope=%ff`],
  ['an overlong escape', `${grant}&scope=%c0%af`],
  ['a surrogate', `${grant}&scope=%ed%a0%80`],
  ['a bad escape in a name', `${grant}&sc%ope=openid`],
])('%s is invalid_request (S7)', async (_name, body) => {
  const reply = await post(console, { body });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
});

test('raw bytes that are no UTF-8 are invalid_request (S7)', async () => {
  const body = `${grant}&scope=\xff\xfe`;
  const reply = await sendRaw(console.port, rawRequest(body));
  expect([reply.status, JSON.parse(reply.body).error]).toEqual([400, 'invalid_request']);
});

test('a compressed body is invalid_request (S7)', async () => {
  const body = gzipSync(grant).toString('latin1');
  const reply = await sendRaw(console.port, rawRequest(body, 'Content-Encoding: gzip\r\n'));
  expect([reply.status, JSON.parse(reply.body).error]).toEqual([400, 'invalid_request']);
});

function rawRequest(body: string, fields = '', target = '/oauth2/token'): string {
  return [
    `POST ${target} HTTP/1.1`,
    `Host: localhost:${console.port}`,
    `Authorization: ${basic()}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    `Connection: close\r\n${fields}\r\n${body}`,
  ].join('\r\n');
}

const padded = (bytes: number) => `${grant}&padding=`.padEnd(bytes, 'x');

test('a body of 64 KiB is taken, one byte more is 413 (S7)', async () => {
  expect((await post(console, { body: padded(65_536) })).status).toBe(200);
  const reply = await post(console, { body: padded(65_537) });
  expect([reply.status, reply.json.error]).toEqual([413, 'invalid_request']);
});

test('a declared length over the limit is 413 before the body comes (S7)', async () => {
  const head = rawRequest('', '').replace('Content-Length: 0', 'Content-Length: 65537');
  const reply = await sendRaw(console.port, head);
  expect([reply.status, JSON.parse(reply.body).error]).toEqual([413, 'invalid_request']);
  expect(reply.head).toMatch(/^connection: close$/im);
});

test('a body in chunks without end is 413, and its sender gets to read that (S7)', async () => {
  const head = rawRequest('').replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const reply = await sendRaw(console.port, [head, ...Array.from({ length: 40 }, () => chunk)]);
  expect([reply.status, JSON.parse(reply.body).error]).toEqual([413, 'invalid_request']);
});

test('a form in chunks is a form', async () => {
  const head = rawRequest('').replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const chunks = [...grant].map((character) => `1\r\n${character}\r\n`);
  expect((await sendRaw(console.port, [head, ...chunks, '0\r\n\r\n'])).status).toBe(200);
});

test.each([
  ['grant_type', `${grant}&${grant}`],
  ['grant_type with two values', `${grant}&grant_type=password`],
  ['an escaped spelling of the name', `${grant}&grant%5Ftype=client_credentials`],
  ['client_id', `${grant}&client_id=application-client&client_id=application-client`],
  ['an empty one beside a full one', `${grant}&scope=&scope=openid`],
  ['one that nobody knows', `${grant}&x=1&x=2`],
])('a repeated parameter (%s) is invalid_request (S9)', async (_name, body) => {
  const reply = await post(console, { body });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  expect(reply.text).not.toContain('access_token');
});

test('a repeated resource is invalid_target, the code of RFC 8707 for it (S9, B8)', async () => {
  const reply = await post(console, { body: `${grant}&resource=a&resource=b` });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_target']);
  expect(reply.text).not.toContain('access_token');
});

test('unknown parameters are ignored, whatever their names (S9)', async () => {
  const body = `${grant}&foo=bar&__proto__=x&constructor=y&roles=Admin&sub=ada&&=&client_secretx=1`;
  const { status, json } = await post(console, { body: `${body}&scope=app%3AViewer` });
  expect([status, json.scope]).toEqual([200, 'app:Viewer']);
});

test.each(['a Content-Type', 'an Authorization', 'a Content-Length'])(
  '%s field that comes twice is refused (S8)',
  async (field) => {
    const name = field.split(' ')[1]!;
    const again = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: basic('nobody'),
      'Content-Length': `${grant.length}`,
    }[name];
    const reply = await sendRaw(console.port, rawRequest(grant, `${name}: ${again}\r\n`));
    expect(reply.status).toBe(400);
    expect(reply.body).not.toContain('access_token');
  },
);

test.each([
  ['another service', 'https://elsewhere.example/api'],
  ['the issuer', undefined],
  ['the audience with a slash more', '/svc/'],
  ['the audience in capitals', '/SVC'],
  ['no address at all', 'svc'],
])('the resource %s is invalid_target (S12)', async (_name, resource) => {
  const value =
    resource === undefined ? console.url : resource.startsWith('/') ? console.url + resource : resource;
  const reply = await post(console, { body: `${grant}&resource=${encodeURIComponent(value)}` });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_target']);
  expect(reply.text).not.toContain('access_token');
});

test('the one registered resource is taken (S12)', async () => {
  const resource = encodeURIComponent(`${console.url}/svc`);
  expect((await post(console, { body: `${grant}&resource=${resource}` })).status).toBe(200);
});

test.each([
  ['success', basic(), grant, 200],
  ['an error', basic(), 'grant_type=password', 400],
  ['failed authentication', basic('nobody'), grant, 401],
])('%s is never stored by a cache (S13)', async (_name, authorization, body, status) => {
  const reply = await post(console, { authorization, body });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.get('pragma')).toBe('no-cache');
  expect(reply.headers.get('content-type')).toBe('application/json');
});

/** The library would answer these, and it knows less: it must not be asked past the token endpoint. */
test.each([
  '/oauth2/Token',
  '/OAUTH2/token',
  '/oauth2/token/',
  '//oauth2/token',
  '/oauth2//token',
  '/oauth2/./token',
  '/x/../oauth2/token',
  '/oauth2/%74oken',
  '/oauth2/token%00',
  '/oauth2/token;a=b',
  '/oauth2/token#fragment',
  '/oauth2/token#/svc/rest',
  '/oauth2\\token',
  '/oauth2\\token#x',
  '\\oauth2\\token',
  '/oauth2/token\t',
  '/oauth2/token\u00a0',
  'oauth2/token',
  '*',
])('the target %j is no way around the token endpoint (S11)', async (target) => {
  const attempt = `${grant}&client_id=application-dashboard`;
  const { status, head, body } = await sendRaw(console.port, rawRequest(attempt, '', target));
  expect([400, 404, 405]).toContain(status);
  // The library would say `error`; the console's own errors are problem details.
  expect(JSON.parse(body).code).toMatch(/^(not_found|invalid_request)$/);
  expect(body).not.toMatch(/access_token|"error"/);
  // A later line tells that earlier ones would have arrived.
  const marker = (await requestScope(console)).headers.get('x-request-id');
  await console.waitFor(() => console.log().some((line) => line.requestId === marker), 'the log');
  const requestId = /^x-request-id: (.*)$/im.exec(head)?.[1];
  const events = console.log().filter((line) => line.event !== undefined && line.requestId === requestId);
  // What is no HTTP is refused before anything is asked, and on record; of tokens there is nothing.
  const ofTokens = events.filter(
    ({ event, reason }) => `${event} ${reason}` !== 'request.refused invalid_request',
  );
  expect(ofTokens).toEqual([]);
});

test('the target may have a query, which counts for nothing', async () => {
  expect((await post(console, { path: '/oauth2/token?scope=app%3AViewer', body: grant })).json.scope).toBe(
    undefined,
  );
});

test('no token is written to the store, and none is logged', async () => {
  // The next keys are made a second after the start; after that nothing writes by itself.
  await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
  const { before, after, replies } = await tokensOnceNothingElseWrites();
  expect(replies.map(({ status }) => status)).toEqual(Array(200).fill(200));
  expect(after).toBe(before);

  const token: string = replies[0]!.json.access_token;
  await post(console, { path: '/oauth2/revoke', body: `token=${token}` });
  expect(await storeDigest()).not.toBe(before); // what a write looks like

  const issued = console.log().filter(({ event }) => event === 'token.issued');
  expect(issued.length).toBeGreaterThanOrEqual(200);
  expect(issued.at(-1)).toMatchObject({ actor: 'application-client', outcome: 'success', audit: true });
  for (const secret of [clientSecret, basic().slice(6), token, token.split('.')[2]!]) {
    expect(console.stderr() + console.stdout()).not.toContain(secret);
  }
});

/** When a client was last used is noted from time to time: a note that falls among the tokens is none about them. */
async function tokensOnceNothingElseWrites() {
  for (let attempt = 1; ; attempt += 1) {
    await eventually(isQuiet, 'a quiet store');
    const before = await storeDigest();
    const replies = await Promise.all(Array.from({ length: 200 }, () => requestScope(console, 'openid')));
    const after = await storeDigest();
    if (after === before || attempt === 3) return { before, after, replies };
  }
}

async function isQuiet(): Promise<boolean> {
  const before = await storeDigest();
  await requestScope(console);
  return (await storeDigest()) === before;
}

async function storeDigest(): Promise<string> {
  const digest = createHash('sha256');
  for (const file of ['registry.json', 'artifacts/data.mdb']) {
    digest.update(await readFile(join(console.dataDir, file)));
  }
  return digest.digest('hex');
}
