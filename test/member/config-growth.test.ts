import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rest, rows, startOn } from './config-support.ts';
import { empty } from './support.ts';

const few = `svc:\n${rest}  limits: { structures: 4 }\n  map: { a: {} }\n  queue: { b: {} }\n`;

test.each(['upload', 'update'])(
  'config/%s adds maps and queues up to limits.structures, all or none',
  async (call) => {
    const { post, lines } = await startOn(few);
    const send = (content: string) => post(`config/${call}`, `dev&&${encodeURIComponent(content)}`);
    expect(await send('svc: { map: { c: {}, d: {} }, queue: { e: {} } }')).toMatchObject(empty(500));
    expect(lines.join()).toContain(
      'limits.structures is 4: 2 maps and queues are configured, and 3 would be added',
    );
    for (const path of ['maps/c/k', 'maps/d/k', 'queues/e'])
      expect(await post(path, 'v')).toMatchObject(empty(400));

    expect((await send('svc: { map: { c: {} }, queue: { e: {} } }')).status).toBe(200);
    expect(await send('svc: { queue: { f: {} } }')).toMatchObject(empty(500));
    expect(await send('svc: { map: { "pattern-*": {} } }')).toMatchObject(empty(500));
    const known = JSON.parse((await send('svc: { map: { a: {}, c: {} }, queue: { e: {} } }')).body);
    expect(known.result).toEqual({
      addedConfigs: [],
      ignoredConfigs: [...rows('map', 'a', 'c'), ...rows('queue', 'e')],
    });
    for (const path of ['maps/c/k', 'queues/e']) expect(await post(path, 'v')).toMatchObject(empty(200));
    expect(await post('queues/f', 'v')).toMatchObject(empty(400));
  },
);

test('config/reload keeps to limits.structures', async () => {
  const { file, post, lines } = await startOn(few);
  await writeFile(file, few.replace('{ a: {} }', '{ a: {}, c: {}, d: {}, e: {} }'));
  expect(await post('config/reload', 'dev&')).toMatchObject(empty(500));
  expect(lines.join()).toContain('limits.structures is 4');
  expect(await post('maps/c/k', 'v')).toMatchObject(empty(400));
});

test('a file with more than limits.structures starts as it is, and nothing is added to it', async () => {
  const { post, upload } = await startOn(few.replace('structures: 4', 'structures: 1'));
  expect(await post('maps/a/k', 'v')).toMatchObject(empty(200));
  expect(await upload('svc: { map: { c: {} } }')).toMatchObject(empty(500));
});

test('without a limit of its own a member has a thousand', async () => {
  const { post, upload } = await startOn(`svc:\n${rest}`); // maps and queues have their default
  const named = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `    "p${from + index}-*": {}\n`).join('');
  expect((await upload(`svc:\n  map:\n${named(0, 998)}`)).status).toBe(200);
  expect(await upload('svc: { map: { more: {} } }')).toMatchObject(empty(500));
  expect(await post('maps/p997-x/k', 'v')).toMatchObject(empty(200));
});
