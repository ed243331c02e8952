import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let viewer: string;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
  viewer = await tokenFor(proxy.key, 'Viewer');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});

const request = (line: string, fields: string, body = '') =>
  `${line} HTTP/1.1\r\nHost: p\r\n${fields}\r\n${body}`;
const asViewer = () => `Authorization: Bearer ${viewer}\r\n`;
const long = `Content-Type: text/plain; x=${'a'.repeat(300)}\r\n`;

/** Each request has two faults; the check that comes first tells, and the later one says nothing. */
test.each<[string, () => string, number, string]>([
  ['parse before frame', () => request('GET /svc/none', 'X-A : b\r\nHost: q\r\n'), 400, 'not valid HTTP'],
  ['frame before path', () => request('GET /svc/../x', 'Host: q\r\n'), 400, 'more than one Host'],
  ['frame before token', () => request('GET /svc/health', 'Content-Length: 1\r\n', 'x'), 400, 'no body here'],
  [
    'a repeated Authorization before its tokens',
    () => request('GET /svc/health', 'Authorization: Bearer x\r\nAuthorization: Bearer y\r\n'),
    400,
    'more than one Authorization',
  ],
  ['path before token', () => request('GET /svc/rest/%zz', ''), 400, 'percent escape'],
  [
    'the path’s length before the token',
    () => request(`GET /svc/${'a'.repeat(9_000)}`, ''),
    414,
    'longer than',
  ],
  ['token before route', () => request('GET /svc/none', ''), 401, 'access token'],
  ['token before method', () => request('PATCH /svc/health', ''), 401, 'access token'],
  ['token before member', () => request('GET /members/10.0.0.1:1/svc/health', ''), 401, 'access token'],
  ['route before permission', () => request('DELETE /svc/none', asViewer()), 404, 'no such member endpoint'],
  ['method before permission', () => request('PATCH /svc/rest/maps/m/k', asViewer()), 405, 'Only GET'],
  [
    'permission before the stored type',
    () => request('POST /svc/rest/maps/m/k', `${asViewer()}${long}Content-Length: 0\r\n`),
    403,
    'scope',
  ],
  [
    'permission before the positional body',
    () => request('POST /svc/rest/management/cluster/changeState', `${asViewer()}Content-Length: 1\r\n`, 'x'),
    403,
    'scope',
  ],
  [
    'permission before member',
    () => request('DELETE /members/10.0.0.1:1/svc/rest/maps/m', asViewer()),
    403,
    'scope',
  ],
])('%s (S57)', async (_name, bytes, status, detail) => {
  const reply = await sendRaw(proxy.address, bytes());
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.body).detail).toContain(detail);
  expect(member.seen).toEqual([]);
});
