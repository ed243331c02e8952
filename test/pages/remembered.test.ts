/** What the console remembers of a session's own work on entries: former values for ten minutes, keys that were opened. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEntryMemories,
  formerMs,
  mostFormerBytes,
  mostFormerValues,
  mostOpenedKeys,
} from '../../console/pages/cluster/remembered/entry-memories.ts';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const secret = 'nobody-else-sees-this-value';

describe.each([{ workers: '1' }, { workers: '2' }])('with CONSOLE_WORKERS=$workers', ({ workers }) => {
  let console: RunningConsole;
  let ada: UserAgent;
  let folder: string;
  let clock: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clock-'));
    clock = join(folder, 'seconds');
    await writeFile(clock, '0');
    const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
    const env = { CONSOLE_WORKERS: workers, TEST_CLOCK_FILE: clock, NODE_OPTIONS: `--import ${movable}` };
    ({ console, ada } = await startWithAdmin({ env }));
  });
  afterAll(async () => {
    await console?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const href = (map: string, key: string) => `/cluster/maps/${map}/${key}`;

  async function store(map: string, key: string, value: string): Promise<void> {
    const reply = await fetch(`${console.url}/svc/rest/maps/${map}/${key}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': 'text/plain' },
      body: value,
    });
    expect(reply.status).toBe(200);
  }

  async function stored(map: string, key: string): Promise<string | undefined> {
    const reply = await fetch(`${console.url}/svc/rest/maps/${map}/${key}`, {
      headers: { Authorization: `Bearer ${await machineToken(console)}` },
    });
    return reply.status === 204 ? undefined : reply.text();
  }

  const put = async (map: string, key: string, value: string) =>
    sendForm(ada, await ada.get(href(map, key)), 'put', { value, encoding: 'text', type: 'text/plain' });

  test('a value that was replaced is put back after the page was left, and the other one then', async () => {
    await store('kept', 'a1', 'first');
    await put('kept', 'a1', 'second');
    await ada.get('/cluster/maps');
    const again = await ada.get(href('kept', 'a1'));
    expect(textOf(again)).toContain('Former values');
    const back = await sendForm(ada, again, 'put-back', { former: formerIn(again)! });
    expect([back.status, textOf(back).includes('Stored.')]).toEqual([200, true]);
    expect(await stored('kept', 'a1')).toBe('first');
    const third = await ada.get(href('kept', 'a1'));
    await sendForm(ada, third, 'put-back', { former: formerIn(third)! });
    expect(await stored('kept', 'a1')).toBe('second');
  });

  test('an entry that was removed is put back after the page was left, unless there is one again', async () => {
    await store('kept', 'gone', 'as it was');
    await sendForm(ada, await ada.get(`${href('kept', 'gone')}?do=remove`), 'remove');
    const page = await ada.get(href('kept', 'gone'));
    expect(textOf(page)).toContain('The map has no entry of this key.');
    const former = formerIn(page)!;
    await store('kept', 'gone', 'of somebody else');
    const refused = await sendForm(ada, page, 'put-back', { former });
    expect([refused.status, await stored('kept', 'gone')]).toEqual([400, 'of somebody else']);
    await sendForm(ada, await ada.get(`${href('kept', 'gone')}?do=remove`), 'remove');
    await sendForm(ada, await ada.get(href('kept', 'gone')), 'put-back', { former });
    expect(await stored('kept', 'gone')).toBe('as it was');
  });

  test('one that somebody has changed meanwhile is not replaced by it', async () => {
    await store('kept', 'raced', 'first');
    await put('kept', 'raced', 'second');
    const page = await ada.get(href('kept', 'raced'));
    await store('kept', 'raced', 'third');
    const late = await sendForm(ada, page, 'put-back', { former: formerIn(page)! });
    expect([late.status, textOf(late).includes('has changed meanwhile')]).toEqual([400, true]);
    expect(await stored('kept', 'raced')).toBe('third');
  });

  test('a value without change is no former one', async () => {
    await store('kept', 'same', 'first');
    await put('kept', 'same', 'first');
    expect(formerIn(await ada.get(href('kept', 'same')))).toBeUndefined();
    await put('kept', 'same', 'second');
    expect(formerIn(await ada.get(href('kept', 'same')))).toBeDefined();
  });

  test('another session, who may only read, and audit, log, search and store have neither values nor keys', async () => {
    await store('kept', 'secret', secret);
    await put('kept', 'secret', 'no secret');
    const page = await ada.get(href('kept', 'secret'));
    const former = formerIn(page)!;
    const elsewhere = createUserAgent(console.url);
    await elsewhere.signIn();
    const vera = await personWith(console, `vera-${workers}`, ['Viewer']);
    for (const agent of [elsewhere, vera]) {
      expect(textOf(await agent.get('/cluster/maps/kept'))).not.toContain('Your recent keys');
      expect(textOf(await agent.get(href('kept', 'secret')))).not.toContain('Former values');
    }
    const csrf = (agent: UserAgent) => agent.get('/account').then((reply) => hiddenIn(reply, 'csrf')!);
    const fields = { do: 'put-back', former, version: hiddenIn(page, 'version')! };
    const taken = await elsewhere.post(href('kept', 'secret'), { ...fields, csrf: await csrf(elsewhere) });
    expect([taken.status, textOf(taken).includes('This value is not kept any more.')]).toEqual([400, true]);
    const denied = await vera.post(href('kept', 'secret'), { ...fields, csrf: await csrf(vera) });
    expect(denied.status).toBe(403);
    expect(await stored('kept', 'secret')).toBe('no secret');
    await expect
      .poll(async () => JSON.stringify(await callApi(console, 'GET', '/audit?limit=500')), {
        timeout: 20_000,
      })
      .toContain('map.entry.stored');
    const said = [
      JSON.stringify(await callApi(console, 'GET', '/audit?limit=500')),
      console.stderr(),
      (await ada.get('/observe/search?q=nobody-else-sees')).body,
      await filesOf(console.dataDir),
    ].join('\n');
    for (const form of [
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]) {
      expect(said.includes(form)).toBe(false);
    }
    expect((await ada.get(href('kept', 'secret'))).body).not.toContain(secret);
  });

  test('keys that were opened stand on the page of their map, the last one first, for this session alone', async () => {
    for (const key of ['k1', 'k2', 'k3']) {
      await store('recent', key, key);
      await ada.get(href('recent', key));
    }
    await ada.get(href('recent', 'k1'));
    await ada.get(href('recent', 'never-there'));
    const page = await ada.get('/cluster/maps/recent');
    expect(textOf(page)).toContain('Your recent keys');
    const links = [...page.body.matchAll(/href="\/cluster\/maps\/recent\/([^"?]+)"/g)].map(([, key]) => key);
    expect(links).toEqual(['k1', 'k3', 'k2']);
    expect(textOf(await ada.get('/cluster/maps/others'))).not.toContain('Your recent keys');
  });

  test('after ten minutes a value is not kept any more', async () => {
    await store('kept', 'late', 'first');
    await put('kept', 'late', 'second');
    const page = await ada.get(href('kept', 'late'));
    const former = formerIn(page)!;
    await writeFile(clock, '300');
    expect(formerIn(await ada.get(href('kept', 'late')))).toBe(former);
    await writeFile(clock, '611');
    expect(formerIn(await ada.get(href('kept', 'late')))).toBeUndefined();
    const gone = await sendForm(ada, page, 'put-back', { former });
    expect([gone.status, textOf(gone).includes('This value is not kept any more.')]).toEqual([400, true]);
    expect(await stored('kept', 'late')).toBe('second');
    await writeFile(clock, '0');
  });
});

/** The first that is offered. */
function formerIn({ body }: Reply): string | undefined {
  return /name="former" value="([^"]*)"/.exec(body)?.[1];
}

describe('the memory', () => {
  const entry = { session: 's1', map: 'm', key: 'k' };
  const of = (bytes: number) => ({ type: null, value: Buffer.alloc(bytes, 1).toString('base64') });

  test('keeps the last few values of an entry, and none that is too large', async () => {
    const memories = createEntryMemories(() => 1_000);
    expect(memories.storeFormer(entry, of(mostFormerBytes + 1))).toBeUndefined();
    const ids: (string | undefined)[] = [];
    for (let size = 1; size <= mostFormerValues + 2; size++) {
      ids.push(await memories.storeFormer(entry, of(size)));
    }
    const kept = await memories.formersOf(entry);
    expect(kept.map(({ id }) => id)).toEqual(ids.slice(2).reverse());
    expect(kept.map(({ bytes }) => bytes)).toEqual([5, 4, 3]);
    expect(await memories.formerValue(entry, ids[0]!)).toBeUndefined();
    expect(await memories.formerValue({ ...entry, session: 's2' }, ids[2]!)).toBeUndefined();
  });

  test('is bounded for a session, and in all, whoever asks for more', async () => {
    const memories = createEntryMemories(() => 1_000);
    const sizes = async (sessions: readonly string[]) => {
      let bytes = 0;
      for (const session of sessions) {
        for (let at = 0; at < 40; at++) {
          for (const one of await memories.formersOf({ session, map: 'm', key: `k${at}` }))
            bytes += one.bytes;
        }
      }
      return bytes;
    };
    for (let at = 0; at < 40; at++) {
      await memories.storeFormer({ session: 'a', map: 'm', key: `k${at}` }, of(mostFormerBytes));
    }
    expect(await sizes(['a'])).toBe(7 * mostFormerBytes);
    const newest = { session: 'a', map: 'm', key: 'k39' };
    expect(await memories.formersOf(newest)).toHaveLength(1);
    const others = Array.from({ length: 6 }, (_, at) => `other${at}`);
    for (const session of others) {
      for (let at = 0; at < 7; at++) {
        await memories.storeFormer({ session, map: 'm', key: `k${at}` }, of(mostFormerBytes));
      }
    }
    expect(await sizes(['a', ...others])).toBe(31 * mostFormerBytes);
    expect(await memories.formersOf(newest)).toHaveLength(0);
  });

  test('forgets by itself, and when its clock was put back', async () => {
    let at = 1_000_000;
    const memories = createEntryMemories(() => at);
    await memories.storeFormer(entry, of(1));
    at += formerMs - 1;
    expect(await memories.formersOf(entry)).toHaveLength(1);
    at += 1;
    expect(await memories.formersOf(entry)).toHaveLength(0);
    await memories.storeFormer(entry, of(1));
    at -= 1;
    expect(await memories.formersOf(entry)).toHaveLength(0);
  });

  test('has the last keys of each map alone', async () => {
    let at = 1_000;
    const memories = createEntryMemories(() => at++);
    for (let n = 0; n < mostOpenedKeys + 3; n++) {
      await memories.addOpenedKey({ session: 's1', map: 'm', key: `k${n}` });
    }
    await memories.addOpenedKey({ session: 's1', map: 'other', key: 'x' });
    await memories.addOpenedKey({ session: 's2', map: 'm', key: 'y' });
    const keys = (await memories.openedKeys('s1', 'm')).map(({ key }) => key);
    expect(keys).toEqual(Array.from({ length: mostOpenedKeys }, (_, n) => `k${mostOpenedKeys + 2 - n}`));
    for (let n = 0; n < 60; n++) await memories.addOpenedKey({ session: 's1', map: `m${n}`, key: 'z' });
    expect(await memories.openedKeys('s1', 'm')).toEqual([]);
    expect(await memories.openedKeys('s2', 'm')).toHaveLength(1);
    expect(await memories.openedKeys('s1', 'm59')).toHaveLength(1);
  });
});

async function filesOf(dataDir: string): Promise<string> {
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile());
  const read = await Promise.all(files.map((one) => contentOf(join(one.parentPath, one.name))));
  return read.join('\n');
}

/** A running console replaces files meanwhile. */
async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
