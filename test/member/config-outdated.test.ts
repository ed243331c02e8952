import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rest, rows, startOn } from './config-support.ts';
import { empty, eventually } from './support.ts';

const before = `svc:\n${rest}  map: { default: {} }\n  queue: { default: {} }\n`;
const after = `svc:\n${rest}  map: { default: {}, kept: { time-to-live-seconds: 1 }, fresh: { time-to-live-seconds: 1 },
    alike: { wan-replication-ref: {} }, "later-*": { eviction: { eviction-policy: LRU, size: 1 } } }
  queue: { default: {}, full: { max-size: 1 }, idle: { max-size: 1 } }\n`;

/** A member with entries and items, whose file then has other rules for them. */
async function startInUse() {
  const member = await startOn(before);
  for (const path of ['maps/kept/k', 'maps/alike/k', 'maps/later-x/k', 'queues/full', 'queues/full']) {
    expect(await member.post(path, 'v')).toMatchObject(empty(200));
  }
  await writeFile(member.file, after);
  return member;
}

const sentence =
  'In use, and with the rules that they were made with until they are empty: map kept, map later-x, queue full.';

test('config/reload says which maps and queues in use keep their rules, and they do', async () => {
  const { post, get, lines } = await startInUse();
  const { message, result } = JSON.parse((await post('config/reload', 'dev&')).body);
  expect(message).toBe(`Configuration Reload successfully finished. ${sentence}`);
  expect(result).toEqual({
    addedConfigs: [...rows('map', 'kept', 'fresh', 'alike', 'later-*'), ...rows('queue', 'full', 'idle')],
    ignoredConfigs: [...rows('map', 'default'), ...rows('queue', 'default')],
  });
  expect(lines.join()).toContain('"names":["kept","later-x","full"]');

  expect(await post('maps/kept/second', 'v')).toMatchObject(empty(200));
  expect(await post('maps/later-x/second', 'v')).toMatchObject(empty(200));
  expect(await post('queues/full', 'v')).toMatchObject(empty(200));
  expect(await post('maps/fresh/k', 'v')).toMatchObject(empty(200));
  await eventually(
    () => get('maps/fresh/k'),
    ({ status }) => status === 204,
  );
  expect((await get('maps/kept/second')).body).toBe('v');
  expect((await get('maps/later-x/k')).body).toBe('v');
});

test('a map or queue that was empty meanwhile has its new rules, and no reload names it any more', async () => {
  const { post, get, remove } = await startInUse();
  await post('config/reload', 'dev&');
  for (let left = 2; left > 0; left -= 1) expect((await get('queues/full/0')).body).toBe('v');
  for (const map of ['kept', 'later-x']) expect(await remove(`maps/${map}`)).toMatchObject(empty(200));
  const { message } = JSON.parse((await post('config/reload', 'dev&')).body);
  expect(message).toBe('Configuration Reload successfully finished.');

  expect(await post('queues/full', 'v')).toMatchObject(empty(200));
  expect(await post('queues/full', 'v')).toMatchObject(empty(503));
  for (const key of ['a', 'b']) expect(await post(`maps/later-x/${key}`, 'v')).toMatchObject(empty(200));
  expect(await get('maps/later-x/a')).toMatchObject({ status: 204 });
  expect(await post('maps/kept/k', 'v')).toMatchObject(empty(200));
  await eventually(
    () => get('maps/kept/k'),
    ({ status }) => status === 204,
  );
});

test('config/upload says the same, of many names only some', async () => {
  const { post, upload, lines } = await startOn(before);
  for (let map = 0; map < 25; map += 1) {
    expect(await post(`maps/${'m'.repeat(300)}${map}/k`, 'v')).toMatchObject(empty(200));
  }
  const { message } = JSON.parse((await upload('svc: { map: { "m*": { max-idle-seconds: 9 } } }')).body);
  expect(message).toMatch(
    /^Configuration Update successfully finished\. In use, .*: map m{200}, .* and 5 more\.$/,
  );
  expect(message.length).toBeLessThan(5_000);
  expect(lines.join()).toContain('"count":25');
});
