import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOutbound, type Outbound } from '../../console/http/outbound/outbound.ts';
import { OutboundError } from '../../console/http/outbound/outbound-exchange.ts';
import { ProblemError } from '../../platform/errors.ts';

/** A server on this machine that no tricked address may reach. */
let seen: string[] = [];
let server: Server;
let origin: string;
let port: number;
beforeAll(async () => {
  server = await listen((req, res) => {
    seen.push(`${req.method} ${req.headers.host} ${req.url}`);
    res.end('reached');
  });
  port = (server.address() as AddressInfo).port;
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => server.close());

const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1'],
  'public.example': ['93.184.216.34'],
  'metadata.example': ['169.254.169.254'],
  'internal.example': ['10.1.2.3'],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:169.254.169.254'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'mixed.example': ['93.184.216.34', '10.1.2.3'],
  'link-local.example': ['fe80::1%eth0'],
  'empty.example': [],
};
const resolve = async (name: string) => {
  const found = names[name];
  if (!found) throw new Error('ENOTFOUND');
  return found;
};
const outboundWith = (allow: readonly string[] = [], known: readonly string[] = []): Outbound =>
  createOutbound({ allow, isKnownLoopback: (origin) => known.includes(origin), resolve });

describe('an address that is refused when it is set (S42)', () => {
  test.each([
    ['another scheme', 'ftp://public.example/'],
    ['a file', 'file:///etc/passwd'],
    ['no scheme', 'public.example/logout'],
    ['http to a public name', 'http://public.example/'],
    ['http to a public address', 'http://93.184.216.34/'],
    ['a user name', 'https://user@public.example/'],
    ['a password', 'https://user:secret@public.example/'],
    ['a host in front of another', 'https://public.example\\@127.0.0.1/'],
    ['a fragment', 'https://public.example/#x'],
    ['a dot at the end', 'https://public.example./'],
    ['localhost with a dot', 'http://localhost.:PORT/'],
    ['a space', ' https://public.example/'],
    ['too many characters', `https://public.example/${'x'.repeat(2048)}`],
    ['loopback that nobody configured', 'http://127.0.0.1:PORT/'],
    ['loopback by name', 'http://localhost:PORT/'],
    ['loopback over TLS', 'https://127.0.0.1:PORT/'],
    ['another loopback address', 'http://127.8.9.1:PORT/'],
    ['loopback, short', 'http://127.1:PORT/'],
    ['loopback, decimal', 'http://2130706433:PORT/'],
    ['loopback, octal', 'http://0177.0.0.1:PORT/'],
    ['loopback, hexadecimal', 'http://0x7f000001:PORT/'],
    ['loopback, with a dot at the end', 'http://127.0.0.1.:PORT/'],
    ['loopback, in other digits', 'http://①②⑦.0.0.1:PORT/'],
    ['IPv6 loopback', 'http://[::1]:PORT/'],
    ['IPv6 loopback, long', 'http://[0:0:0:0:0:0:0:1]:PORT/'],
    ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['IPv4-mapped loopback, hexadecimal', 'https://[::ffff:7f00:1]:PORT/'],
    ['IPv4-compatible loopback', 'https://[::127.0.0.1]:PORT/'],
    ['the unspecified address', 'http://0.0.0.0:PORT/'],
    ['the unspecified address, short', 'https://0:PORT/'],
    ['the unspecified IPv6 address', 'https://[::]:PORT/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata, decimal', 'https://2852039166/'],
    ['metadata, mapped', 'https://[::ffff:a9fe:a9fe]/'],
    ['metadata, by NAT64', 'https://[64:ff9b::a9fe:a9fe]/'],
    ['metadata, by 6to4', 'https://[2002:a9fe:a9fe::]/'],
    ['IPv6 metadata', 'https://[fd00:ec2::254]/'],
    ['a host of another cloud', 'https://168.63.129.16/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['a private address', 'https://10.1.2.3/'],
    ['a private address, hexadecimal', 'https://0xc0a80001/'],
    ['a carrier-grade address', 'https://100.64.0.1/'],
    ['a unique local address', 'https://[fd12:3456::1]/'],
    ['multicast', 'https://224.0.0.1/'],
    ['IPv6 multicast', 'https://[ff02::1]/'],
    ['broadcast', 'https://255.255.255.255/'],
  ])('%s', async (_name, template) => {
    seen = [];
    const url = template.replace('PORT', String(port));
    expect(codeOf(() => outboundWith().check(url))).toBe('invalid_url');
    expect(await reasonOf(outboundWith().send({ url }))).toBe('invalid_url');
    expect(seen).toEqual([]);
  });
});

test.each([
  'https://public.example/logout?tenant=1',
  'https://93.184.216.34:8443/',
  'https://[2606:2800:220:1::1]/',
])('a public https address is fine: %s', (url) => {
  expect(outboundWith().check(url).href).toBe(url);
});

describe('a name is judged by what it resolves to (S42)', () => {
  test.each([
    ['metadata.example', 'invalid_url'],
    ['internal.example', 'invalid_url'],
    ['loopback.example', 'invalid_url'],
    ['loopback6.example', 'invalid_url'],
    ['mapped.example', 'invalid_url'],
    ['nat64.example', 'invalid_url'],
    ['mixed.example', 'invalid_url'],
    ['link-local.example', 'invalid_url'],
    ['empty.example', 'name_not_resolved'],
    ['absent.example', 'name_not_resolved'],
  ])('%s: %s', async (name, expected) => {
    seen = [];
    const url = `https://${name}:${port}/`;
    const outbound = outboundWith();
    expect(outbound.check(url).hostname).toBe(name);
    expect(await reasonOf(outbound.send({ url }))).toBe(expected);
    expect(seen).toEqual([]);
  });

  test('it is resolved once, so that a second answer has no say', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const outbound = createOutbound({
      allow: ['127.0.0.0/8'],
      isKnownLoopback: () => false,
      resolve: async () => answers[asked++]!,
    });
    const reply = await outbound.send({ url: `http://localhost:${port}/once` });
    expect([reply.status, reply.body, asked]).toEqual([200, 'reached', 1]);
    expect(seen.at(-1)).toBe(`GET localhost:${port} /once`);
  });
});

describe('what configuration opens (S42)', () => {
  test.each([
    ['a private address by subnet', 'https://10.1.2.3/', ['10.0.0.0/8'], true],
    ['another private address', 'https://10.1.2.3/', ['192.168.0.0/16'], false],
    ['a private address by itself', 'https://[fd12::1]/', ['fd12::1'], true],
    ['a loopback subnet over http', 'http://127.0.0.1:1/', ['127.0.0.0/8'], true],
    ['localhost by name', 'http://localhost:1/', ['localhost'], true],
    ['http to a private address', 'http://10.1.2.3/', ['10.0.0.0/8'], false],
    ['metadata in a permitted subnet', 'https://169.254.169.254/', ['169.254.0.0/16'], false],
    ['everything permitted, link-local not', 'https://[fe80::1]/', ['::/0', '0.0.0.0/0'], false],
  ])('%s', (_name, url, allow, isFine) => {
    expect(codeOf(() => outboundWith(allow).check(url))).toBe(isFine ? undefined : 'invalid_url');
  });

  test('a permitted name may be private, and never metadata', async () => {
    const outbound = outboundWith(['loopback.example', 'metadata.example']);
    expect(await reasonOf(outbound.send({ url: `https://loopback.example:${port}/` }))).toBe('tls_failed');
    expect(await reasonOf(outbound.send({ url: 'https://metadata.example/' }))).toBe('invalid_url');
  });

  test('a known origin at loopback, and no other port', async () => {
    const outbound = outboundWith([], [origin]);
    expect((await outbound.send({ url: `${origin}/x` })).body).toBe('reached');
    expect(codeOf(() => outbound.check('http://127.0.0.1:1/'))).toBe('invalid_url');
    expect(outbound.check('http://127.0.0.1:1/', ['http://127.0.0.1:1']).port).toBe('1');
  });
});

describe('an answer (S42)', () => {
  test('a redirect is not followed', async () => {
    seen = [];
    const url = await serve((_req, res) => res.writeHead(302, { Location: `${origin}/inside` }).end());
    const reply = await outboundWith(['127.0.0.1']).send({ url, method: 'POST', body: 'x' });
    expect(reply.status).toBe(302);
    expect(seen).toEqual([]);
  });

  test('of 1 MiB is read, of one byte more is not', async () => {
    const bytes = { count: 1024 * 1024 };
    const url = await serve((_req, res) => res.end(Buffer.alloc(bytes.count)));
    expect((await outboundWith(['127.0.0.1']).send({ url })).body).toHaveLength(bytes.count);
    bytes.count++;
    expect(await reasonOf(outboundWith(['127.0.0.1']).send({ url }))).toBe('too_large');
  });

  test.each([
    ['that never comes', () => {}],
    ['that trickles', (_req, res) => void setInterval(() => res.write('.'), 100).unref()],
  ] as readonly [string, RequestListener][])('%s takes 5 seconds and no longer', async (_name, handle) => {
    const url = await serve(handle);
    const before = performance.now();
    expect(await reasonOf(outboundWith(['127.0.0.1']).send({ url }))).toBe('timeout');
    expect(performance.now() - before).toBeGreaterThan(4900);
    expect(performance.now() - before).toBeLessThan(6000);
  });

  test('a name that is slow to resolve counts into the 5 seconds', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    const outbound = createOutbound({ allow: [], isKnownLoopback: () => false, resolve });
    const timer = setTimeout(() => {}, 10_000);
    expect(await reasonOf(outbound.send({ url: 'https://slow.example/' }))).toBe('timeout');
    clearTimeout(timer);
  });

  test.each([
    ['nobody listens', 'connection_refused', undefined],
    ['the connection closes', 'connection_failed', ''],
    ['something else than HTTP', 'connection_failed', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['another protocol', 'connection_failed', 'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s: %s', async (_name, reason, raw) => {
    const peer = createNetServer((socket) => socket.on('error', () => {}).end(raw ?? ''));
    await new Promise<void>((listening) => peer.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/`;
    if (raw === undefined) await new Promise((closed) => peer.close(closed));
    else onTestFinished(() => void peer.close());
    expect(await reasonOf(outboundWith(['127.0.0.1']).send({ url }))).toBe(reason);
  });

  test('a caller can end the request early', async () => {
    const url = await serve(() => {});
    const controller = new AbortController();
    const expected = reasonOf(outboundWith(['127.0.0.1']).send({ url, signal: controller.signal }));
    controller.abort();
    expect(await expected).toBe('cancelled');
  });
});

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as ProblemError).problem.code;
  }
}

async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code;
    if (error instanceof OutboundError) return error.reason;
    throw error;
  }
}

function listen(handle: RequestListener): Promise<Server> {
  const made = createServer(handle);
  return new Promise((listening) => made.listen(0, '127.0.0.1', () => listening(made)));
}

/** @returns the address of a server that goes with the running test */
async function serve(handle: RequestListener): Promise<string> {
  const made = await listen(handle);
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/`;
}
