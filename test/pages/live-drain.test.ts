/** The page of a drain is live while it runs, and its frames are for who may have the items alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';
import { openStream, type StreamEvent } from './live-support.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const partOf = ({ data }: StreamEvent) =>
  (data.parts as { readonly drain?: string } | undefined)?.drain ?? '';

async function offer(queue: string, count: number): Promise<void> {
  const Authorization = `Bearer ${await machineToken(console)}`;
  const one = async (value: string) => {
    const reply = await fetch(`${console.url}/svc/rest/queues/${queue}`, {
      method: 'POST',
      headers: { Authorization, 'Content-Type': 'text/plain' },
      body: value,
    });
    expect(reply.status).toBe(200);
    await reply.arrayBuffer();
  };
  for (let at = 0; at < count; at += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, n) => one(`item ${at + n}`)));
  }
}

test('goes on until there is a file, and another who may drain as well gets nothing of it', async () => {
  await callApi(console, 'POST', '/roles', {
    id: 'Drainer',
    permissions: ['api:queues:read', 'api:queues:write'],
  });
  const [eve, otto] = await Promise.all([
    personWith(console, 'eve', ['Drainer']),
    personWith(console, 'otto', ['Drainer']),
  ]);
  await offer('busy', 4_000);
  // Any page says in its bar how many jobs run, and a drain takes some seconds.
  const other = await openStream(console.url, ada, '/cluster/members');
  const runs = (count: number) => (event: StreamEvent) =>
    event.name === 'job' && event.data.running === count;
  const idle = await other.until(runs(0));
  expect(idle.data.parts).toEqual({ 'bar-jobs': '<span id="bar-jobs" data-part hidden></span>' });
  const question = await eve.get('/cluster/queues/busy?do=drain');
  const begun = await sendForm(eve, question, 'drain', { typed_name: 'busy', most: '4000' });
  const href = begun.headers.location!;
  const running = await eve.get(href);
  expect(textOf(running)).toContain('Items are being taken, one by one.');
  expect(running.body).toMatch(/data-live=.*\/static\/live\.js/s);
  expect(textOf(running)).toContain('Begun by eve ');
  await callApi(console, 'POST', '/roles', { id: 'Onlooker', permissions: ['api:jobs:read'] });
  const olga = await personWith(console, 'olga', ['Onlooker']);
  const job = `/observe/jobs/${href.split('/').at(-1)}`;
  const seen = await olga.get(job);
  expect(textOf(seen)).toContain('Begun by Another person ');
  expect(seen.body).not.toMatch(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/);
  expect(textOf(await olga.get(job, { 'Accept-Language': 'de' }))).toContain(
    'Begonnen von Eine andere Person ',
  );
  expect((await ada.get(job)).body).toContain('href="/access/users/eve"');
  const own = await openStream(console.url, eve, href);
  // The same rights, at the same address.
  const others = await openStream(console.url, otto, href);
  const first = await own.until((event) => partOf(event) !== '');
  expect(partOf(first)).toContain('Items are being taken, one by one.');
  const bye = await others.until(({ name }) => name === 'bye');
  expect(bye.data).toEqual({ reason: 'gone' });
  const busy = await other.until(runs(1), 60_000);
  expect(JSON.stringify(busy.data.parts)).toMatch(/href=\\"\/observe\/jobs\?state=running\\">One job runs</);
  const last = await own.until((event) => partOf(event).includes(`href="${href}/items"`), 120_000);
  expect(partOf(last)).toContain('4,000');
  expect(others.events.filter((event) => partOf(event) !== '')).toEqual([]);
  await other.until((event) => other.events.indexOf(event) > other.events.indexOf(busy) && runs(0)(event));
  other.leave();
  // Whoever may see all of them has frames of their own.
  const all = await openStream(console.url, ada, href);
  expect(partOf(await all.until((event) => partOf(event) !== ''))).toContain('4,000');
  // Nothing goes on any more.
  expect((await eve.get(href)).body).not.toContain('data-live');
  for (const stream of [own, others, all]) stream.leave();
}, 180_000);
