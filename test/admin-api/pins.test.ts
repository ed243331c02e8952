/** `/api/v1/me/pins`: what a person has pinned stands in their lists, is nobody else's, and goes with the account. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, person, personOf } from '../accounts/elevations/support.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type CallApi, callsWith } from './client-support.ts';

let console: RunningConsole;
let owner: CallApi;
let ada: Person;
let grace: Person;
beforeAll(async () => {
  console = await startConsole();
  const token = await apiToken(console);
  owner = callsWith(console, () => token);
  [ada, grace] = await Promise.all([personOf(console, 'ada'), person(console)]);
});
afterAll(() => console?.stop());

const pinsOf = async ({ call }: Person) => (await call('GET', '/me/pins')).body;
const listed = async (call: CallApi, kind: string, q: string) =>
  (await call('GET', `/${kind}?q=${q}`)).body.items as { id: string; sources: string[] }[];

test('a name that nobody has called stands in the lists of who has pinned it, and in no others', async () => {
  for (const path of ['/me/pins/maps/nobody-knows', '/me/pins/queues/nobody-knows', '/me/pins/maps/second']) {
    expect((await ada.call('PUT', path)).status).toBe(204);
  }
  // Once more changes nothing.
  expect((await ada.call('PUT', '/me/pins/maps/second')).status).toBe(204);
  expect(await pinsOf(ada)).toEqual({
    items: [
      { kind: 'maps', id: 'nobody-knows' },
      { kind: 'queues', id: 'nobody-knows' },
      { kind: 'maps', id: 'second' },
    ],
    next: null,
    count: { value: 3, isExact: true },
  });
  const pinned = { id: 'nobody-knows', sources: ['pinned'], lastCallOn: null };
  const map = { ...pinned, hitShare: null, meanValueBytes: null };
  expect(await listed(ada.call, 'maps', 'nobody')).toMatchObject([map]);
  expect(await listed(ada.call, 'queues', 'nobody')).toMatchObject([{ ...pinned, size: null }]);
  expect((await ada.call('GET', '/maps/nobody-knows')).body).toMatchObject(map);
  expect((await ada.call('GET', '/queues/nobody-knows')).body).toMatchObject({
    sources: ['pinned'],
    size: 0,
  });
  expect(await listed(grace.call, 'maps', 'nobody')).toEqual([]);
  expect(await pinsOf(grace)).toMatchObject({ items: [] });

  await owner('POST', '/roles', { id: 'Clerk', permissions: ['svc:map:second:read'] });
  expect(await listed(ada.call, 'maps', 'second')).toMatchObject([{ sources: ['roles', 'pinned'] }]);
  expect(await listed(grace.call, 'maps', 'second')).toMatchObject([{ sources: ['roles'] }]);

  expect((await ada.call('DELETE', '/me/pins/maps/nobody-knows')).status).toBe(204);
  expect((await ada.call('DELETE', '/me/pins/maps/nobody-knows')).status).toBe(204);
  expect(await listed(ada.call, 'maps', 'nobody')).toEqual([]);
  expect(await listed(ada.call, 'queues', 'nobody')).toHaveLength(1);
});

test('200 are as many as there may be; names are names, and machines pin nothing', async () => {
  const eve = await person(console);
  for (let n = 0; n < 200; n++) expect((await eve.call('PUT', `/me/pins/maps/map-${n}`)).status).toBe(204);
  const more = await eve.call('PUT', '/me/pins/maps/map-200');
  expect([more.status, more.body.code]).toEqual([409, 'conflict']);
  expect((await eve.call('GET', '/maps?q=map-&limit=500')).body.items).toHaveLength(200);
  expect((await eve.call('DELETE', '/me/pins/maps/map-7')).status).toBe(204);
  // Two at the same time do not get past each other.
  const both = await Promise.all([
    eve.call('PUT', '/me/pins/queues/one'),
    eve.call('PUT', '/me/pins/queues/two'),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  for (const path of ['/me/pins/lists/a', '/me/pins/maps/..', '/me/pins/maps/a%2Fb', '/me/pins/maps/%3Ca']) {
    expect((await ada.call('PUT', path)).status).toBe(404);
  }
  const machine = await owner('PUT', '/me/pins/maps/a');
  expect([machine.status, machine.body.code]).toEqual([403, 'forbidden']);
});

test('pins go with the account: who gets its name later has none', async () => {
  const password = 'correct-staple-battery-9';
  const body = { id: 'gone', password, roles: ['Viewer'] };
  expect((await owner('POST', '/users', body)).status).toBe(201);
  const gone = await personOf(console, 'gone');
  await gone.call('PUT', '/me/pins/maps/of-the-former');
  const { id } = (await owner('GET', '/users?q=gone')).body.items[0] as { id: string };
  expect((await owner('DELETE', `/users/${id}`)).status).toBe(204);
  expect((await owner('POST', '/users', body)).status).toBe(201);
  expect(await pinsOf(await personOf(console, 'gone'))).toMatchObject({ items: [] });
});
