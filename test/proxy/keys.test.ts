/** Which keys a proxy takes tokens by, and how often callers can make it ask for them. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { addProxyClient, call, type RunningProxy, startProxy } from './support.ts';

type Jwk = Record<string, unknown>;

const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const shared = Buffer.alloc(32, 7);
const foreign: readonly Jwk[] = [
  { ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256', use: 'sig' },
  { ...p384.publicKey.export({ format: 'jwk' }), kid: 'curve', alg: 'ES256', use: 'sig' },
  { kty: 'oct', k: shared.toString('base64url'), kid: 'shared', alg: 'HS256', use: 'sig' },
];

let console: RunningConsole;
let member: Awaited<ReturnType<typeof startRecorder>>;
let between: Server;
let proxy: RunningProxy;
let fetched = 0;

beforeAll(async () => {
  [console, member] = await Promise.all([startConsole(), startRecorder()]);
  between = await startBetween();
  const client = await addProxyClient(console);
  const { port } = between.address() as AddressInfo;
  proxy = await startProxy({
    console,
    client,
    members: [member.address],
    env: { CONSOLE_JWKS_URI: `http://127.0.0.1:${port}/oauth2/jwks` },
  });
});
afterAll(async () => {
  await proxy?.stop();
  between?.closeAllConnections();
  between?.close();
  await Promise.all([console.stop(), member.close()]);
});

test('keys and revocation events come from the address that the settings name (S5)', async () => {
  expect(fetched).toBeGreaterThan(0);
  expect((await call(proxy, await machineToken(console), '/svc/health')).status).toBe(200);
});

test.each([
  ['a key that is too short', 'RS256', 'weak'],
  ['a key on another curve', 'ES256', 'curve'],
  ['a secret that is shared', 'HS256', 'shared'],
])('a token by %s is refused although the key set shows it (S3)', async (_name, alg, kid) => {
  const token = signed(claimsOf(await machineToken(console)), alg, kid);
  expect((await call(proxy, token, '/svc/health')).status).toBe(401);
});

test('names of keys that nobody has do not make it ask for keys each time (S64)', async () => {
  const token = await machineToken(console);
  const [before, at] = [fetched, Date.now()];
  const named = Array.from({ length: 200 }, (_, i) => withKid(token, `made-up-${i}`));
  const replies = await Promise.all(named.map((made) => call(proxy, made, '/svc/health')));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  // One at once, and one for each two seconds that a slow machine takes.
  expect(fetched - before).toBeLessThanOrEqual(2 + (Date.now() - at) / 2_000);
  expect((await call(proxy, token, '/svc/health')).status).toBe(200);
});

/** Passes everything on to the console, adds keys to its key set, and counts who asks for it. */
async function startBetween(): Promise<Server> {
  const server = createServer((req, res) => {
    const { method, url, headers } = req;
    const onward = request(console.url + url, { method, headers, agent: false }, (reply) => {
      if (url !== '/oauth2/jwks') {
        res.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(res);
        return;
      }
      fetched += 1;
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      reply.on('end', () => {
        const { keys } = JSON.parse(text) as { keys: Jwk[] };
        res.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' });
        res.end(JSON.stringify({ keys: [...keys, ...foreign] }));
      });
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** By node:crypto, since libraries refuse to sign with such keys. */
function signed(claims: Jwk, alg: string, kid: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg, kid, typ: 'JWT' })}.${part(claims)}`;
  return `${input}.${signatureOf(Buffer.from(input), kid).toString('base64url')}`;
}

function signatureOf(input: Buffer, kid: string): Buffer {
  if (kid === 'weak') return sign('sha256', input, weak.privateKey);
  if (kid === 'curve') return sign('sha256', input, { key: p384.privateKey, dsaEncoding: 'ieee-p1363' });
  return createHmac('sha256', shared).update(input).digest();
}

function claimsOf(token: string): Jwk {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

function withKid(token: string, kid: string): string {
  const [header, ...rest] = token.split('.');
  const named = { ...JSON.parse(Buffer.from(header!, 'base64url').toString()), kid };
  return [Buffer.from(JSON.stringify(named)).toString('base64url'), ...rest].join('.');
}
