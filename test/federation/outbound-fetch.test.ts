import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOutboundFetch } from '../../console/federation/outbound-fetch.ts';
import { loopbackOutbound } from './support.ts';

let server: Server;
let url: string;
let seen: { method: string | undefined; accept: string | undefined; body: string }[];
let status: number;
beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += part;
    seen.push({ method: req.method, accept: req.headers.accept, body });
    res.writeHead(status, { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
    res.end(status === 200 ? 'text' : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
});
beforeEach(() => {
  seen = [];
  status = 200;
});
afterAll(() => server.close());

const fetch = createOutboundFetch(loopbackOutbound());

test('sends method, header fields and a form, and gives back what was answered', async () => {
  const body = new URLSearchParams({ code: 'a b', more: '&=' });
  const response = await fetch(url, { method: 'POST', headers: { accept: 'c/d' }, body, redirect: 'manual' });
  expect(seen).toEqual([{ method: 'POST', accept: 'c/d', body: 'code=a+b&more=%26%3D' }]);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.text()).toBe('text');
});

test.each([204, 304])('takes an answer that has no body: %d', async (without) => {
  status = without;
  const response = await fetch(url, { method: 'GET', headers: {}, body: null, redirect: 'manual' });
  expect([response.status, response.body]).toEqual([without, null]);
});

test.each([
  ['another method', { method: 'DELETE', body: undefined }],
  ['a body of bytes', { method: 'POST', body: new Uint8Array(3) }],
])('%s is not sent at all (S42)', async (_name, given) => {
  await expect(fetch(url, { headers: {}, redirect: 'manual', ...given })).rejects.toThrow(TypeError);
  expect(seen).toEqual([]);
});
