import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { basic, machineClient, registerClients } from './support.ts';

const dashboard = 'http://localhost:9021';
const second = 'https://dashboard.example';
const registered = 'https://app.example:8443';

let dataDir: string;
let console: RunningConsole;

const page = (id: string, uri: string, given = {}) =>
  machineClient(id, {
    isPublic: true,
    secrets: [],
    redirectUris: [uri],
    grantTypes: ['authorization_code'],
    ...given,
  });

beforeAll(async () => {
  dataDir = await usedDataDir();
  await registerClients(dataDir, [
    page('registered', `${registered}/callback`),
    page('disabled', 'https://gone.example/callback', { disabled: true }),
    page('native', 'com.example.app:/callback'),
  ]);
  console = await startConsole({ dataDir, env: { SVC_MC_APP_ADDRESSES: `${dashboard},${second}` } });
});
afterAll(async () => {
  await console.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Call {
  readonly path: string;
  readonly method: string;
}

const calls: readonly Call[] = [
  { path: '/.well-known/openid-configuration', method: 'GET' },
  { path: '/.well-known/oauth-authorization-server', method: 'GET' },
  { path: '/oauth2/jwks', method: 'GET' },
  { path: '/oauth2/token', method: 'POST' },
  { path: '/oauth2/revoke', method: 'POST' },
  { path: '/userinfo', method: 'GET' },
  { path: '/svc/rest/cluster', method: 'GET' },
  { path: '/hazelcast/rest/cluster', method: 'GET' },
];

function send({ path, method }: Call, headers: Record<string, string>): Promise<Response> {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: basic() };
  return fetch(console.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(method === 'POST' ? form : {}), ...headers },
    ...(method === 'POST' ? { body: 'grant_type=client_credentials&token=x' } : {}),
  });
}

const preflight = (path: string, origin: string) =>
  fetch(console.url + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  });

const corsFields = (response: Response) =>
  [...response.headers].filter(([name]) => name.startsWith('access-control-'));

describe.each(calls)('$method $path', (call) => {
  test.each([dashboard, second, registered])('may be called by a page at %s (S23)', async (origin) => {
    const response = await send(call, { Origin: origin });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toMatch(/\bOrigin\b/i);
    const asked = await preflight(call.path, origin);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-methods')).toContain(call.method);
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(asked.headers.get('access-control-allow-headers')).toContain('DPoP');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test.each([
    'null',
    'https://evil.example',
    'http://localhost:9022',
    'https://localhost:9021',
    'http://localhost',
    'http://localhost:9021.evil.example',
    'http://evil.example:9021',
    'http://localhost:9021/',
    'HTTP://LOCALHOST:9021',
    'http://user@localhost:9021',
    'http://127.0.0.1:9021',
    'https://gone.example',
    'https://app.example',
    'com.example.app://',
    'file://',
    '*',
    `${dashboard} https://evil.example`,
    `${dashboard}, https://evil.example`,
  ])('may not be called by a page at %s (S23)', async (origin) => {
    for (const response of [await send(call, { Origin: origin }), await preflight(call.path, origin)]) {
      expect(corsFields(response)).toEqual([]);
      expect(await response.text()).not.toContain('evil');
    }
  });
});

test.each(['/oauth2/authorize', '/oauth2/introspect', '/login', '/', '/connect/logout', '/live'])(
  '%s is never open to another origin (S23)',
  async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await fetch(console.url + path, {
        method,
        redirect: 'manual',
        headers: {
          Origin: dashboard,
          'Content-Type': 'application/x-www-form-urlencoded',
          ...(method === 'OPTIONS' ? { 'Access-Control-Request-Method': 'POST' } : {}),
        },
      });
      expect([method, corsFields(response)]).toEqual([method, []]);
    }
  },
);

test('a page of another origin does not get what a cache kept for it (S23)', async () => {
  const { headers } = await fetch(`${console.url}/oauth2/jwks`);
  expect(headers.get('vary')).toBe('Origin');
});

test('a client that is registered, or disabled, counts at once (S23)', async () => {
  const origin = 'https://later.example';
  const isOpen = async () => corsFields(await send(calls[2]!, { Origin: origin })).length > 0;
  expect(await isOpen()).toBe(false);
  const uri = ['--redirect-uri', `${origin}/callback`];
  await toolDone(['client', 'add', 'later', '--public', ...uri], { dataDir });
  expect(await isOpen()).toBe(true);
  await toolDone(['client', 'disable', 'later'], { dataDir });
  expect(await isOpen()).toBe(false);
});
