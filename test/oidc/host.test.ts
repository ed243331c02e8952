import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { sendRaw } from './support.ts';

const discovery = '/.well-known/openid-configuration';

let console: RunningConsole;
let truth: string;

beforeAll(async () => {
  console = await startConsole();
  truth = await (await fetch(console.url + discovery)).text();
});
afterAll(async () => {
  await console.stop();
});

const get = (fields: string, target = discovery, version = '1.1') =>
  sendRaw(console.port, `GET ${target} HTTP/${version}\r\n${fields}Connection: close\r\n\r\n`);

describe('addresses come from the configuration', () => {
  test.each([
    ['a forged Host', 'Host: evil.example\r\n'],
    ['a forged Host with a port', 'Host: evil.example:8443\r\n'],
    ['a forged X-Forwarded-Host', 'Host: localhost\r\nX-Forwarded-Host: evil.example\r\n'],
    ['a forged X-Forwarded-Proto', 'Host: localhost\r\nX-Forwarded-Proto: https\r\n'],
    ['a forged X-Forwarded-Port', 'Host: localhost\r\nX-Forwarded-Port: 1\r\n'],
    ['a forged Forwarded', 'Host: localhost\r\nForwarded: host=evil.example;proto=https\r\n'],
    ['a forged X-Original-URL', 'Host: localhost\r\nX-Original-URL: //evil.example/\r\n'],
    [
      'all of them',
      'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Prefix: /evil\r\n',
    ],
  ])('%s leaves discovery as it is (S24)', async (_name, fields) => {
    const reply = await get(fields);
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(truth);
    expect(reply.head + reply.body).not.toContain('evil');
  });

  test('nor do they change the addresses of a console behind a trusted proxy (S24)', async () => {
    const behind = await startConsole({ env: { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
    try {
      const fields = 'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n';
      const reply = await sendRaw(
        behind.port,
        `GET ${discovery} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`,
      );
      expect(JSON.parse(reply.body).issuer).toBe(behind.url);
      expect(reply.head + reply.body).not.toContain('evil');
    } finally {
      await behind.stop();
    }
  });

  test.each([
    'http://evil.example',
    'https://evil.example:1',
    'http://localhost@evil.example',
    '//evil.example',
  ])('the absolute target %s is refused, and named nowhere (S24)', async (origin) => {
    const reply = await get('Host: localhost\r\n', `${origin}${discovery}`);
    expect([400, 404]).toContain(reply.status);
    expect(reply.body).not.toContain('issuer');
    expect(reply.head).not.toContain('evil');
  });

  test.each([
    ['the authorization endpoint', '/oauth2/authorize?client_id=application-dashboard'],
    ['the start page', '/'],
    ['the logout page', '/connect/logout'],
    ['an unknown page', '/nowhere'],
  ])('a forged Host appears nowhere in the answer of %s (S24)', async (_name, target) => {
    const reply = await get(
      'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nAccept: text/html\r\n',
      target,
    );
    expect(reply.status).toBeGreaterThan(0);
    expect(reply.head + reply.body).not.toContain('evil.example');
  });
});

const targets = [discovery, '/oauth2/token', '/oauth2/jwks', '/live', '/'];

describe.each(targets)('at %s', (target) => {
  test.each([
    ['a missing', ''],
    ['a repeated', 'Host: localhost\r\nHost: localhost\r\n'],
    ['a second, other', 'Host: localhost\r\nHost: evil.example\r\n'],
    ['an oddly spelt second', 'Host: localhost\r\nhOST: evil.example\r\n'],
    ['an empty', 'Host:\r\n'],
    ['a blank', 'Host:   \r\n'],
    ['a list as', 'Host: localhost, evil.example\r\n'],
    ['a name with a space as', 'Host: local host\r\n'],
    ['a name with a user as', 'Host: user@localhost\r\n'],
    ['a name with a path as', 'Host: localhost/evil\r\n'],
    ['a name with a query as', 'Host: localhost?a\r\n'],
    ['a name with a fragment as', 'Host: localhost#a\r\n'],
    ['a name with a backslash as', 'Host: localhost\\evil\r\n'],
    ['a name with a percent sign as', 'Host: local%68ost\r\n'],
    ['a name with a quote as', 'Host: "localhost"\r\n'],
    ['a whole address as', 'Host: http://localhost\r\n'],
    ['a name with two ports as', 'Host: localhost:80:80\r\n'],
    ['a name with a port of letters as', 'Host: localhost:http\r\n'],
    ['a name with a port of six digits as', 'Host: localhost:808080\r\n'],
    ['a name with no port behind the colon as', 'Host: localhost:\r\n'],
    ['half an IPv6 address as', 'Host: [::1\r\n'],
    ['a bare IPv6 address as', 'Host: ::1\r\n'],
    ['bytes beyond ASCII as', 'Host: l\xf6calhost\r\n'],
    ['300 characters as', `Host: ${'a'.repeat(300)}\r\n`],
  ])('%s Host is 400 (S24)', async (_name, fields) => {
    const reply = await get(fields, target);
    expect(reply.status).toBe(400);
    expect(reply.head + reply.body).not.toContain('evil');
  });

  test('a missing Host in HTTP/1.0 is 400 (S24)', async () => {
    expect((await get('', target, '1.0')).status).toBe(400);
  });
});

test.each([
  'localhost',
  'localhost:8080',
  '127.0.0.1:1',
  '[::1]:8080',
  'console.example.',
  'a_b.example',
  'xn--nxa.example',
])('the Host %s is well formed', async (host) => {
  const reply = await get(`Host: ${host}\r\n`);
  expect([reply.status, reply.body]).toEqual([200, truth]);
});
