/** `/api/v1/keys`, `/settings`, `/installation` and `/licence` of a running console: what there is one of in an installation. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, clientSecret, nextKeysOf, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';

let console: RunningConsole;
let admin: string;
let viewer: string;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_ENCRYPTION_KEY: undefined } });
  [admin, viewer] = await Promise.all([apiToken(console), apiToken(console, 'app:Viewer')]);
  await nextKeysOf(console);
});
afterAll(() => console?.stop());

async function call(method: string, path: string, body?: unknown, token = admin, headers = {}) {
  const response = await fetch(`${console.url}/api/v1/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(text).not.toContain(clientSecret);
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
const events = (event: string) => console.log().filter((line) => line.audit && line.event === event);

describe('keys', () => {
  interface Key {
    readonly id: string;
    readonly alg: string;
    readonly state: string;
    readonly leavesAt: string | null;
  }
  const keys = async () => (await call('GET', 'keys')).body.items as Key[];
  const kids = async () => {
    const { keys: set } = (await (await fetch(`${console.url}/oauth2/jwks`)).json()) as {
      keys: { kid: string }[];
    };
    return set.map(({ kid }) => kid).sort();
  };

  test('are those of the key set, without what is private of them, page by page', async () => {
    const all = await keys();
    expect(all.map(({ id }) => id)).toEqual(await kids());
    expect(all.map(({ state }) => state).sort()).toEqual([
      ...['current', 'current', 'current'],
      ...['next', 'next', 'next'],
    ]);
    expect(Object.keys(all[0]!)).not.toContain('privateJwk');
    const first = (await call('GET', 'keys?limit=4')).body;
    const second = (await call('GET', `keys?limit=4&cursor=${first.next}`)).body;
    expect([...first.items, ...second.items]).toEqual(all);
    expect([first.count, second.next]).toEqual([{ value: 6, isExact: true }, null]);
    expect((await call('GET', `keys/${all[0]!.id}`, undefined, viewer)).body).toEqual(all[0]);
    expect((await call('GET', 'keys/nobody')).status).toBe(404);
    // A cursor of one list is none of another (S53).
    expect((await call('GET', `settings?cursor=${first.next}`)).body.code).toBe('invalid_cursor');
  });

  test('are rotated by who may, and what the old ones signed stays good; with now it is void at once', async () => {
    const before = await keys();
    expect((await call('POST', 'keys/rotate', {}, viewer)).status).toBe(403);
    for (const body of [{ now: 'yes' }, { at: 1 }, []]) {
      expect((await call('POST', 'keys/rotate', body)).body.code).toBe('invalid_request');
    }
    expect(await keys()).toEqual(before);

    const { status, body } = await call('POST', 'keys/rotate', {});
    expect(status).toBe(200);
    expect(Date.parse(body.signsFrom)).toBeGreaterThan(0);
    expect((await call('GET', 'keys')).status, 'with the same token').toBe(200);
    const leaving = (await keys()).filter(({ leavesAt }) => leavesAt !== null);
    expect(leaving.map(({ id }) => id)).toEqual(
      before.filter(({ state }) => state === 'current').map(({ id }) => id),
    );

    const replaced = await call('POST', 'keys/rotate', { now: true });
    expect(replaced.status).toBe(200);
    await until(async () => (await call('GET', 'keys')).status === 401, 'the end of the token', 10_000);
    [admin, viewer] = await Promise.all([apiToken(console), apiToken(console, 'app:Viewer')]);
    const known = new Set(before.map(({ id }) => id));
    expect((await keys()).filter(({ id }) => known.has(id))).toEqual([]);
    await console.waitFor(() => events('keys.rotated').length >= 2, 'the audit lines');
    expect(
      events('keys.rotated').flatMap(({ outcome, target }) => (outcome === 'success' ? [target] : [])),
    ).toEqual(['regular', 'emergency']);
  });
});

describe('settings', () => {
  test('are all there with value, origin and meaning, and no secret', async () => {
    const { body } = await call('GET', 'settings?limit=500');
    const named = (id: string) => body.items.find((one: { id: string }) => one.id === id);
    expect(body.items.length).toBeGreaterThan(50);
    expect(named('CONSOLE_URL')).toEqual({
      id: 'CONSOLE_URL',
      value: console.url,
      isSet: true,
      origin: 'CONSOLE_URL',
      isSecret: false,
      changesLive: false,
      meaning: expect.stringContaining('issuer'),
      warnings: [],
    });
    expect(named('CONSOLE_APPLICATION_CLIENT_SECRET')).toMatchObject({
      value: null,
      isSet: true,
      isSecret: true,
    });
    expect(named('CONSOLE_ENCRYPTION_KEY')).toMatchObject({ value: null, isSet: false, origin: 'unset' });
    expect(named('SVC_MC_APP_ADDRESSES')).toMatchObject({ changesLive: true, origin: 'default' });
    expect((await call('GET', 'settings/CONSOLE_URL')).body).toEqual(named('CONSOLE_URL'));
  });

  test('are found by name, by what they mean in English or German, by what is not the default, and by warnings', async () => {
    const idsOf = async (query: string) => {
      const { status, body } = await call('GET', `settings?limit=500&${query}`);
      expect([query, status]).toEqual([query, 200]);
      return body.items.map(({ id }: { id: string }) => id);
    };
    const all = await idsOf('');
    expect(await idsOf('q=console_url')).toContain('CONSOLE_URL');
    expect(await idsOf('q=life%20access')).toContain('CONSOLE_ACCESS_TOKEN_TTL');
    expect(await idsOf('q=lebensdauer')).toContain('CONSOLE_ACCESS_TOKEN_TTL');
    expect(await idsOf('q=nothing%20of%20this%20kind')).toEqual([]);
    const changed = await idsOf('state=changed');
    expect(changed).toContain('CONSOLE_URL');
    expect(changed).not.toContain('SVC_MC_APP_ADDRESSES');
    expect(changed.length).toBeLessThan(all.length);
    expect(await idsOf('state=warned')).toEqual(['CONSOLE_ENCRYPTION_KEY']);
    expect(await idsOf('state=warned&q=tls')).toEqual([]);
    expect((await call('GET', 'settings?state=all')).status).toBe(400);
  });

  test('are for administrators, and are not changed here', async () => {
    expect((await call('GET', 'settings', undefined, viewer)).status).toBe(403);
    expect((await call('GET', 'settings/CONSOLE_NOTHING')).status).toBe(404);
    expect((await call('GET', 'settings/console_url')).status).toBe(404);
    expect((await call('PATCH', 'settings/CONSOLE_URL', { value: 'x' })).status).toBe(405);
  });
});

describe('the installation', () => {
  test('says what runs, on which store, for how long, and the licences of what is in it', async () => {
    const { status, body } = await call('GET', 'installation');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      version: JSON.parse(readFileSync('package.json', 'utf8')).version,
      nodeVersion: process.versions.node,
      workers: 1,
      store: { engine: 'LMDB', format: 3, registryFormat: 2 },
    });
    expect(Math.abs(Date.parse(body.startedAt) + body.uptimeSeconds * 1000 - Date.now())).toBeLessThan(5_000);
    const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
    for (const name of ['jose', 'koa', '@koa/router', 'oidc-provider', 'preact']) {
      const { version, license: licence } = locked[`node_modules/${name}`];
      expect(body.libraries).toContainEqual({ name, version, licence });
    }
    const notices = readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8');
    expect(body.libraries).toHaveLength(notices.split('-'.repeat(80)).length - 1);
  });

  test('keeps its id, says nothing to who only reads, and is not changed here', async () => {
    const { body } = await call('GET', 'installation');
    expect((await call('GET', 'installation')).body.id).toBe(body.id);
    expect((await call('GET', 'installation', undefined, viewer)).status).toBe(403);
    expect((await call('DELETE', 'installation')).status).toBe(405);
  });
});

describe('the licence', () => {
  const licence = { id: 'lic-1', holder: 'Orders Ltd', edition: 'team' };

  test('is set, shown with whom it has reached, bound to its version, and removed', async () => {
    expect((await call('GET', 'licence')).status).toBe(404);
    const expiresAt = '2099-12-31T23:59:59.000Z';
    const set = await call('PUT', 'licence', { ...licence, expiresAt }, admin, { 'If-None-Match': '*' });
    expect([set.status, set.body]).toEqual([200, { ...licence, expiresAt, createdAt: expect.any(String) }]);
    const deliveries = (await call('GET', 'licence/deliveries', undefined, viewer)).body;
    expect(deliveries.items).toMatchObject([{ licence: 'lic-1', isCurrent: true }]);
    expect((await call('PUT', 'licence', licence, admin, { 'If-None-Match': '*' })).status).toBe(412);
    const tag = { 'If-Match': set.headers.get('etag')! };
    const next = await call('PUT', 'licence', { ...licence, holder: 'Other Ltd' }, admin, tag);
    expect([next.status, next.body.holder, next.body.expiresAt]).toEqual([200, 'Other Ltd', null]);
    for (const [method, body] of [
      ['PUT', licence],
      ['DELETE', undefined],
    ] as const) {
      expect((await call(method, 'licence', body, admin, tag)).body.code).toBe('precondition_failed');
    }
    expect((await call('GET', 'licence', undefined, viewer)).body).toMatchObject({ holder: 'Other Ltd' });
    expect((await call('DELETE', 'licence')).status).toBe(204);
    expect((await call('DELETE', 'licence')).status).toBe(404);
    await console.waitFor(() => events('licence.removed').length >= 2, 'the audit lines');
    expect(events('licence.set').find(({ outcome }) => outcome === 'success')).toMatchObject({
      target: 'lic-1',
      via: 'api',
      changes: { holder: { from: null, to: 'Orders Ltd' } },
    });
  });

  test.each<[string, unknown]>([
    ['that is none', []],
    ['without a holder', { id: 'x', edition: 'team' }],
    ['with a member that nobody knows', { ...licence, seats: 5 }],
    ['that has ended', { ...licence, expiresAt: '2020-01-01T00:00:00Z' }],
    ['with a time that is none', { ...licence, expiresAt: 'tomorrow' }],
    ['with a control character', { ...licence, holder: 'a\u0007b' }],
  ])('%s is refused, and nothing is kept (S53)', async (_what, body) => {
    const refused = await call('PUT', 'licence', body);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect((await call('GET', 'licence')).status).toBe(404);
  });

  test('is not set by who reads', async () => {
    expect((await call('PUT', 'licence', licence, viewer)).status).toBe(403);
  });
});
