/** A proxy and a console of different versions read revocation events differently: nothing passes (S34). */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { addProxyClient, call, type ProxyClient, type RunningProxy, spawnProxy } from './support.ts';

let console: RunningConsole;
let client: ProxyClient;
let member: Awaited<ReturnType<typeof startRecorder>>;
let between: Server;
let proxy: RunningProxy;
const asked: string[] = [];

/** What a console of version 1 tells: who counts. */
const former = [
  { type: 'client', id: 'application-client', from: 0 },
  { type: 'keys', kids: [] },
  { type: 'origins', origins: [] },
  { type: 'complete' },
];

beforeAll(async () => {
  [console, member] = await Promise.all([startConsole(), startRecorder()]);
  client = await addProxyClient(console);
  between = createServer((req, res) => {
    const { method, url = '', headers } = req;
    if (url.startsWith('/api/v1/revocations')) {
      asked.push(url);
      res.writeHead(200, { 'content-type': 'application/x-ndjson' });
      res.write(former.map((event) => `${JSON.stringify(event)}\n`).join(''));
      const timer = setInterval(() => res.write('{"type":"alive"}\n'), 100);
      res.once('close', () => clearInterval(timer));
      return;
    }
    const onward = request(console.url + url, { method, headers, agent: false }, (reply) => {
      res.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(res);
    });
    req.pipe(onward);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => between.once('listening', resolve));
});
afterAll(async () => {
  await proxy?.stop();
  between?.closeAllConnections();
  between?.close();
  await Promise.all([console.stop(), member.close()]);
});

test('a console that names who counts is not believed, and the log says why', async () => {
  const { port } = between.address() as AddressInfo;
  proxy = await spawnProxy({
    console,
    client,
    members: [member.address],
    env: { CONSOLE_JWKS_URI: `http://127.0.0.1:${port}/oauth2/jwks` },
  });
  const lines = () => proxy.log().filter(({ reason }) => String(reason).includes('of another version'));
  await waitFor(() => lines().length > 0 && asked.length > 2, 'the reason in the log', 30_000);
  expect(asked[0]).toBe('/api/v1/revocations?version=2&usage=reported');
  // It keeps its port shut for a while.
  const isOpen = () =>
    call(proxy, undefined, '/live').then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isOpen, 'its port', 30_000);
  const reply = await call(proxy, await machineToken(console), '/svc/rest/cluster');
  expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
    503,
    'token_status_unknown',
  ]);
  expect((await fetch(`${proxy.url}/ready`)).status).toBe(503);
  expect(proxy.stdout()).not.toContain('proxy ready');
});
