import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createClientAddress } from '../../console/http/client-address.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** What the server takes the caller for, who connects from 127.0.0.1 or ::1. */
async function addressSeen(
  trustedProxies: readonly string[],
  headers: Record<string, string | string[]> = {},
  host = '127.0.0.1',
): Promise<string> {
  const clientAddress = createClientAddress({ trustedProxies });
  const server = createServer((req, res) => res.end(clientAddress(req)));
  server.listen(0, host === '127.0.0.1' ? '::' : host);
  await once(server, 'listening');
  closing.push(() => server.close());
  const req = request({ host, port: (server.address() as AddressInfo).port, headers, agent: false }).end();
  const [res] = await once(req, 'response');
  let body = '';
  for await (const chunk of res) body += chunk;
  return body;
}

describe('a forwarded address counts only from a trusted proxy (S30)', () => {
  test.each([
    { name: 'no proxy is trusted', trusted: [] },
    { name: 'another proxy is trusted', trusted: ['10.0.0.0/8', '192.0.2.7', '::1'] },
  ])('not when $name', async ({ trusted }) => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    };
    expect(await addressSeen(trusted, headers)).toBe('127.0.0.1');
  });

  test.each([
    { name: 'the last entry', value: '203.0.113.9', expected: '203.0.113.9' },
    {
      name: 'not what the caller put in front of it',
      value: '198.51.100.1, 203.0.113.9',
      expected: '203.0.113.9',
    },
    {
      name: 'the last that is no proxy',
      value: '198.51.100.1, 203.0.113.9, 10.1.2.3',
      expected: '203.0.113.9',
    },
    { name: 'the first when all are proxies', value: '10.1.1.1, 10.2.2.2', expected: '10.1.1.1' },
    {
      name: 'nothing beyond an entry that is no address',
      value: '203.0.113.9, unknown, 10.1.2.3',
      expected: '10.1.2.3',
    },
    { name: 'nothing when it is empty', value: ' , ', expected: '127.0.0.1' },
    { name: 'nothing that is no address', value: '<script>', expected: '127.0.0.1' },
    { name: 'IPv6, compressed', value: '2001:DB8:0:0:0:0:0:1', expected: '2001:db8::1' },
    { name: 'IPv4-mapped IPv6 as IPv4', value: '::ffff:203.0.113.9', expected: '203.0.113.9' },
    { name: 'IPv4-mapped IPv6 in hexadecimal', value: '::ffff:cb00:7109', expected: '203.0.113.9' },
    { name: 'an entry with a port', value: '203.0.113.9:4711', expected: '203.0.113.9' },
    { name: 'an IPv6 entry with a port', value: '[2001:db8::1]:4711', expected: '2001:db8::1' },
    { name: 'a link-local address without its zone', value: 'fe80::1%eth0', expected: 'fe80::1' },
  ])('$name', async ({ value, expected }) => {
    expect(await addressSeen(['127.0.0.1', '10.0.0.0/8'], { 'x-forwarded-for': value })).toBe(expected);
  });

  test('several fields count as one, in their order', async () => {
    const headers = { 'x-forwarded-for': ['198.51.100.1', '203.0.113.9'] };
    expect(await addressSeen(['127.0.0.1'], headers)).toBe('203.0.113.9');
  });

  test('Forwarded is not read, from a trusted proxy neither', async () => {
    expect(await addressSeen(['127.0.0.1'], { forwarded: 'for=203.0.113.9' })).toBe('127.0.0.1');
  });

  test.each(['::ffff:127.0.0.1', '::ffff:127.0.0.0/104', '127.0.0.0/8'])(
    'a proxy may be given as %s',
    async (proxy) => {
      expect(await addressSeen([proxy], { 'x-forwarded-for': '203.0.113.9' })).toBe('203.0.113.9');
    },
  );

  test('an IPv6 proxy', async () => {
    expect(await addressSeen(['::/64'], { 'x-forwarded-for': '203.0.113.9' }, '::1')).toBe('203.0.113.9');
  });
});
