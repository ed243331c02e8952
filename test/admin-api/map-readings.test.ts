/** `/api/v1/maps/{map}/readings`: entries of many keys that a job reads, for whoever has asked, within their rate and their rights. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { type MapMember, startMapMember } from '../helpers/map-member.ts';
import { until, withStore } from '../helpers/store.ts';
import { tokenOf } from './client-support.ts';
import { type ApiCaller, apiCaller } from './support.ts';

interface Reading {
  readonly id: string;
  readonly state: string;
  readonly keys: number;
  readonly read: number;
  readonly storedUntil: string | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly endedAt: string | null;
  readonly entries: readonly {
    readonly id: string;
    readonly type: string | null;
    readonly bytes: number | null;
    readonly problem: { readonly code: string; readonly detail: string } | null;
  }[];
}

const wait = { Prefer: 'wait=30' };
const keysTo = (n: number) => Array.from({ length: n }, (_, at) => `k-${at + 1}`);
/** Of every second key. */
const valueFor = (key: string) => (Number(key.slice(2)) % 2 === 1 ? `value of ${key}` : undefined);

let member: MapMember;
let console: RunningConsole;
let call: ApiCaller;
let clock: string;

beforeAll(async () => {
  clock = join(mkdtempSync(join(tmpdir(), 'clock-')), 'clock');
  writeFileSync(clock, '0');
  const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  member = await startMapMember(valueFor);
  console = await startConsole({
    env: {
      CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}`,
      CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      NODE_OPTIONS: `--import ${movable}`,
      TEST_CLOCK_FILE: clock,
    },
    isFirstStart: true,
  });
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(async () => {
  await console?.stop();
  await member?.close();
});

const begin = (map: string, keys: readonly unknown[], headers = {}, as = call) =>
  as('POST', `/maps/${map}/readings`, { keys }, headers);
const read = async (map: string, id: string, as = call) =>
  (await as('GET', `/maps/${map}/readings/${id}`)).body as Reading;
const over = async (map: string, id: string, as = call) => {
  await until(async () => (await read(map, id, as)).endedAt !== null, 'the end of the reading', 60_000);
  return read(map, id, as);
};
async function machineWith(id: string, ...scopes: readonly string[]): Promise<ApiCaller> {
  const made = await call('POST', '/clients', { id, scopes });
  const { token } = await tokenOf(console, made.body, {
    scope: scopes.join(' '),
    resource: `${console.url}/api`,
  });
  return apiCaller(console, '', token);
}

describe('a reading', () => {
  test('says of each key whether it is there, its type and its size, and has no value', async () => {
    const { status, headers, body } = await begin('orders', [...keysTo(60), 'k-1'], wait);
    expect([status, body.state, body.keys, body.read]).toEqual([200, 'succeeded', 60, 60]);
    expect(headers.get('location')).toBe(`/api/v1/maps/orders/readings/${body.id}`);
    const { entries } = (await read('orders', body.id)) as Reading;
    expect(entries).toEqual(
      keysTo(60).map((id) => {
        const value = valueFor(id);
        return { id, type: value ? 'text/plain' : null, bytes: value?.length ?? null, problem: null };
      }),
    );
    expect(body.entries).toEqual(entries);
    expect(Date.parse(body.storedUntil!) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    const job = (await call('GET', `/jobs/${body.id}`)).body;
    expect(job).toMatchObject({
      kind: 'read-map-entries',
      progress: { done: 60, total: 60, unit: 'keys' },
      result: { map: 'orders', found: 30, missing: 30, failed: 0 },
    });
    expect(JSON.stringify([body, job])).not.toContain('value of');
    expect(JSON.stringify(job)).not.toContain('k-1');
  });

  test('leaves an entry of the audit for each key as a single read does, one of its beginning and one of its end', async () => {
    const { body } = await begin('audited', keysTo(25), wait);
    const said = (event: string) => console.log().filter((line) => line.audit && line.event === event);
    await console.waitFor(
      () => said('map.entries_read').some(({ target }) => target === 'audited'),
      'the entry of the end',
    );
    const each = said('map.entry.read').filter(({ requestId }) => requestId === body.id);
    await call('GET', '/maps/audited/entries/k-1');
    await call('GET', '/maps/audited/entries/k-2');
    const alone = () =>
      said('map.entry.read').filter(
        ({ requestId, target }) => requestId !== body.id && /^audited\b/.test(String(target)),
      );
    await console.waitFor(() => alone().length === 2, 'the entries of single reads');
    const [found, missing] = alone().map(({ outcome, target, actor, actorKind, via }) => ({
      ...{ outcome, target, actor, actorKind, via },
    }));
    const named = (of: typeof found, target: unknown) => expect.objectContaining({ ...of, target });
    expect(each).toHaveLength(25);
    // Several are read at the same time.
    for (const key of keysTo(25)) {
      const isFound = valueFor(key) !== undefined;
      expect(each).toContainEqual(isFound ? named(found, `audited/${key}`) : named(missing, missing!.target));
    }
    expect(each.filter(({ outcome }) => outcome === 'success')).toHaveLength(13);
    expect(said('map.reading_started').at(-1)).toMatchObject({
      target: 'audited',
      changes: { job: body.id, keys: 25 },
    });
    expect(said('map.entries_read').at(-1)).toMatchObject({
      outcome: 'success',
      changes: { job: body.id, found: 13, missing: 12, failed: 0 },
    });
    expect(console.stderr()).not.toContain('value of');
    expect(console.stderr()).not.toContain(btoa('value of k-1').slice(0, 12));
  });

  test.each([
    ['a key of 1,000 characters', 'k'.repeat(1000)],
    ['one that is written from right to left', '\u202eשלום'],
    ['one of pictures', '🗝️🔑👩‍👩‍👧'],
    ['one with a slash and a sign of percent', 'a/b%2Fc'],
    ['one that looks like an address', 'readings'],
  ])('takes %s as it is', async (_what, key) => {
    const { status, body } = await begin('odd', [key], wait);
    expect([status, body.entries]).toEqual([200, [{ id: key, type: null, bytes: null, problem: null }]]);
    expect(member.asked().at(-1)).toBe(key);
  });

  test.each([
    ['no key', []],
    ['more than a hundred', keysTo(101)],
    ['one of 1,001 characters', ['k'.repeat(1001)]],
    ['one with HTML in it', ['<img src=x onerror=alert(1)>']],
    ['one with a line break', ['a\nb']],
    ['an empty one', ['']],
    ['a number', [1]],
    ['nothing', [null]],
  ])('of %s is begun by nobody', async (_what, keys) => {
    const before = (await call('GET', '/jobs?kind=read-map-entries&limit=1')).body.count.value;
    const { status, body } = await begin('orders', ['k-1', ...keys].slice(keys.length === 1 ? 0 : 1), wait);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(body)).not.toContain('onerror');
    expect((await call('GET', '/jobs?kind=read-map-entries&limit=1')).body.count.value).toBe(before);
  });

  test('that is a dry run reads nothing', async () => {
    const before = member.asked().length;
    const { body } = await call('POST', '/maps/dry/readings?dryRun=true', { keys: keysTo(30) });
    expect(body).toMatchObject({ status: 202, result: { state: 'queued', keys: 30, entries: [] } });
    expect((await call('GET', '/maps/dry/readings')).body.items).toEqual([]);
    expect(member.asked()).toHaveLength(before);
  });

  test('is one where it is sent twice with one key', async () => {
    const headers = { 'Idempotency-Key': 'a-key-that-is-long-enough', ...wait };
    const [one, other] = [
      await begin('twice', keysTo(30), headers),
      await begin('twice', keysTo(30), headers),
    ];
    expect([other.body.id, other.headers.get('idempotency-replayed')]).toEqual([one.body.id, 'true']);
    expect((await call('GET', '/maps/twice/readings')).body.items).toHaveLength(1);
  });

  test('is had by who has asked alone, and asked for by who may read maps (S49)', async () => {
    const [reader, other, elsewhere] = await Promise.all([
      machineWith('reader', 'api:maps:read'),
      machineWith('other-reader', 'api:maps:read'),
      machineWith('queues-only', 'api:queues:read'),
    ]);
    const { status, body } = await begin('mine', keysTo(30), wait, reader);
    expect(status).toBe(200);
    for (const as of [other, call]) {
      expect((await as('GET', `/maps/mine/readings/${body.id}`)).status).toBe(404);
      expect((await as('POST', `/maps/mine/readings/${body.id}/stop`)).status).toBe(404);
      expect((await as('GET', '/maps/mine/readings')).body.items).toEqual([]);
    }
    expect((await reader('GET', `/maps/theirs/readings/${body.id}`)).status).toBe(404);
    expect((await reader('GET', '/maps/mine/readings')).body.items).toHaveLength(1);
    const refused = await begin('mine', keysTo(30), wait, elsewhere);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('lies encrypted in the store, its keys and what was found, and is gone after a day (S79)', async () => {
    const { body } = await begin('stored', ['grace@example.com', ...keysTo(30)], wait);
    expect((await read('stored', body.id)).entries).toHaveLength(31);
    await writeFileSync(clock, String(24 * 3600 + 60));
    try {
      // A token lasts for minutes.
      const later = apiCaller(console, '', await apiToken(console));
      const gone = await read('stored', body.id, later);
      expect(gone).toMatchObject({ state: 'succeeded', storedUntil: null, entries: [], read: 31 });
      expect((await later('GET', '/maps/stored/readings')).body.items).toEqual([]);
    } finally {
      await writeFileSync(clock, '0');
    }
  });

  test('of a caller goes on beside two others at most, and the last twenty are there', async () => {
    const many = await machineWith('many', 'api:maps:read');
    member.hold();
    const open = [];
    for (let n = 0; n < 3; n++) open.push((await begin('many', keysTo(21), {}, many)).body as Reading);
    const fourth = await begin('many', keysTo(21), {}, many);
    expect([fourth.status, fourth.body.code]).toEqual([429, 'too_many_requests']);
    member.release();
    for (const { id } of open) expect(await over('many', id, many)).toMatchObject({ state: 'succeeded' });
    for (let n = 0; n < 19; n++) expect((await begin('many', ['k-1'], wait, many)).status).toBe(200);
    expect((await many('GET', '/maps/many/readings')).body.items).toHaveLength(20);
    expect((await many('GET', `/maps/many/readings/${open[0]!.id}`)).status).toBe(404);
  }, 60_000);
});

describe('a reading that goes on', () => {
  test('is stopped after the entries that are being read, which stay', async () => {
    member.hold();
    const before = member.asked().length;
    const { id } = (await begin('stopped', keysTo(60))).body as Reading;
    await until(async () => member.asked().length > before, 'the first keys');
    expect((await call('POST', `/maps/stopped/readings/${id}/stop`)).status).toBe(202);
    member.release();
    const reading = await over('stopped', id);
    expect(reading.state).toBe('cancelled');
    expect(reading.entries.length).toBeLessThan(60);
    expect(reading.entries.map((entry) => entry.id)).toEqual(keysTo(reading.entries.length));
    expect(reading.read).toBe(reading.entries.length);
    expect((await call('POST', `/maps/stopped/readings/${id}/stop`)).status).toBe(409);
  });

  test('reads no more for a client that is disabled meanwhile', async () => {
    const asking = await machineWith('let-go', 'api:maps:read');
    member.hold();
    const before = member.asked().length;
    const { id } = (await begin('let-go', keysTo(60), {}, asking)).body as Reading;
    await until(async () => member.asked().length > before, 'the first keys');
    expect((await call('POST', '/clients/let-go/disable')).status).toBe(200);
    const asked = member.asked().length;
    member.release();
    const job = async () => (await call('GET', `/jobs/${id}`)).body;
    await until(async () => (await job()).endedAt !== null, 'the end of the job');
    expect(await job()).toMatchObject({
      state: 'failed',
      problem: { code: 'insufficient_scope', detail: 'Who has asked for this is here no longer.' },
      result: { found: 4, missing: 4, failed: 0 },
    });
    expect(member.asked()).toHaveLength(asked);
  });

  test('says of each key that could not be read why, where a member is gone meanwhile', async () => {
    member.hold();
    const before = member.asked().length;
    const { id } = (await begin('away', keysTo(30))).body as Reading;
    await until(async () => member.asked().length > before, 'the first keys');
    member.release();
    await until(async () => (await read('away', id)).read >= 8, 'what was read first');
    await over('away', id);
    member.breakOff();
    const { id: broken } = (await begin('away', keysTo(30))).body as Reading;
    const reading = await over('away', broken);
    member.release();
    expect([reading.state, reading.entries.length]).toEqual(['succeeded', 30]);
    expect(new Set(reading.entries.map(({ bytes, problem }) => [bytes, problem?.code].join()))).toEqual(
      new Set([',bad_gateway']),
    );
    expect((await call('GET', `/jobs/${broken}`)).body.result).toMatchObject({ failed: 30 });
  });
});

describe('the rate of who has asked', () => {
  test.each([
    ['of the admin API', 'CONSOLE_API_READ_RATE', 20],
    ['of the proxy', 'CONSOLE_PROXY_DATA_RATE', 10],
  ])(
    '%s is that of the reading too, and leaves room for their pages',
    async (_what, setting, rate) => {
      const slow = await startConsole({
        env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}`, [setting]: String(rate) },
      });
      try {
        const as = apiCaller(slow, '', await apiToken(slow));
        const begun = performance.now();
        const { id } = (await begin('rated', keysTo(60), {}, as)).body as Reading;
        const statuses = new Set<number>();
        for (;;) {
          const { status, body } = await as('GET', `/maps/rated/readings/${id}`, undefined, {
            Prefer: 'wait=1',
          });
          statuses.add(status);
          if (status === 200 && body.endedAt !== null) break;
        }
        // A second's worth comes at once, the rest by and by.
        expect(performance.now() - begun).toBeGreaterThan(((60 - rate) / rate) * 1000);
        expect([...statuses]).toEqual([200]);
        expect((await read('rated', id, as)).entries).toHaveLength(60);
      } finally {
        await slow.stop();
      }
    },
    60_000,
  );
});

test('of several processes the one that works on jobs reads for all of them', async () => {
  const several = await startConsole({
    env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}`, CONSOLE_WORKERS: '2' },
  });
  try {
    const as = apiCaller(several, '', await apiToken(several));
    const { id } = (await begin('workers', keysTo(50), {}, as)).body as Reading;
    const reading = await over('workers', id, as);
    expect([reading.state, reading.entries.length]).toEqual(['succeeded', 50]);
    expect((await as('GET', `/jobs/${id}`)).body.result).toMatchObject({ found: 25, missing: 25 });
  } finally {
    await several.stop();
  }
}, 60_000);

test('a kill interrupts it, what was read stays, and nothing goes on by itself; keys lie encrypted', async () => {
  const dataDir = await usedDataDir();
  const env = {
    CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}`,
    CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const first = await startConsole({ dataDir, env });
  const there = apiCaller(first, '', await apiToken(first));
  await begin('killed', ['grace@example.com', ...keysTo(29)], wait, there);
  member.hold();
  const before = member.asked().length;
  const { id } = (await begin('killed', ['linus@example.com', ...keysTo(59)], {}, there)).body as Reading;
  await until(async () => member.asked().length > before, 'the first keys');
  first.child.kill('SIGKILL');
  await first.stop();
  member.release();
  const asked = member.asked().length;
  await withStore(dataDir, async ({ artifacts }) => {
    const all = await Promise.all(['Job', 'ReadKeys', 'ReadRows'].map((kind) => artifacts.list(kind, 100)));
    expect(all.map((of) => of.length)).toEqual([2, 2, 4]);
    expect(JSON.stringify(all)).not.toContain('@example.com');
  });
  const next = await startConsole({ dataDir, env });
  try {
    const again = apiCaller(next, '', await apiToken(next));
    const reading = await over('killed', id, again);
    expect(reading).toMatchObject({ state: 'interrupted', problem: { code: 'interrupted' }, entries: [] });
    expect(member.asked()).toHaveLength(asked);
  } finally {
    await next.stop();
  }
}, 60_000);
