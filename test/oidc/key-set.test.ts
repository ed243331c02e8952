import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { eventually, publishedKids, withKeys } from './support.ts';

let console: RunningConsole;

beforeAll(async () => {
  console = await startConsole();
  await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
});
afterAll(async () => {
  await console.stop();
});

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${console.url}/oauth2/jwks`, { method, headers });

test('the key set has public members only, and strong keys (S4)', async () => {
  const response = await get();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/jwk-set+json');
  const { keys, ...rest } = (await response.json()) as { keys: Record<string, string>[] };
  expect(rest).toEqual({});
  const members = { RSA: 'alg e kid kty n use', EC: 'alg crv kid kty use x y', OKP: 'alg crv kid kty use x' };
  for (const key of keys) {
    expect(Object.keys(key).sort().join(' ')).toBe(members[key.kty as keyof typeof members]);
    expect(key.use).toBe('sig');
    if (key.n) expect(Buffer.from(key.n, 'base64url').length * 8).toBeGreaterThanOrEqual(2048);
    else expect(['P-256', 'Ed25519']).toContain(key.crv);
  }
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  expect(keys.map(({ alg }) => alg)).toEqual(['RS256', 'ES256', 'EdDSA', 'RS256', 'ES256', 'EdDSA']);
});

test('every installation makes keys of its own (S4)', async () => {
  const other = await startConsole({ isFirstStart: true });
  try {
    const own = await (await get()).text();
    for (const key of ((await (await fetch(`${other.url}/oauth2/jwks`)).json()) as { keys: object[] }).keys) {
      for (const value of Object.values(key)) if (value.length > 20) expect(own).not.toContain(value);
    }
  } finally {
    await other.stop();
  }
});

test('may be remembered for five minutes, by anybody (S5)', async () => {
  const { headers } = await get();
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
  expect(headers.get('vary')).toBe('Origin');
  expect(headers.get('set-cookie')).toBeNull();
});

test('HEAD says what GET says, without the body', async () => {
  const [whole, head] = [await get(), await get({}, 'HEAD')];
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
    expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
  }
});

test.each([
  ['the tag itself', (etag: string) => etag, 304],
  ['the tag among others', (etag: string) => `"x", ${etag}`, 304],
  ['the tag as a weak one', (etag: string) => `W/${etag}`, 304],
  ['any tag', () => '*', 304],
  ['another tag', () => '"x"', 200],
  ['the tag without quotes', (etag: string) => etag.slice(1, -1), 200],
])('If-None-Match with %s', async (_name, field, status) => {
  const etag = (await get()).headers.get('etag')!;
  const response = await get({ 'If-None-Match': field(etag) });
  expect(response.status).toBe(status);
  expect((await response.text()) === '').toBe(status === 304);
  expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
    etag,
    'public, max-age=300',
  ]);
});

test('a rotation changes the tag, so that who asks gets the new keys', async () => {
  const etag = (await get()).headers.get('etag')!;
  await withKeys(console.dataDir, {}, (keys) => keys.rotate({ isEmergency: true }));
  await eventually(async () => (await get({ 'If-None-Match': etag })).status === 200, 'another key set');
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is 405 and names GET (S7)', async (method) => {
  const response = await get({}, method);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
