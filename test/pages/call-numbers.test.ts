/** The calls of a day on the pages of a client, a map and a queue, after the console has been started anew; without script. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let dataDir: string;
let ada: UserAgent;

beforeAll(async () => {
  dataDir = await usedDataDir();
  const before = await startConsole({ dataDir });
  const scopes = ['svc:map:orders:read', 'svc:map:orders:write', 'svc:queue:jobs:offer'];
  const { secret } = (await callApi(before, 'POST', '/clients', { id: 'billing', scopes })) as {
    secret: string;
  };
  const issued = await fetch(`${before.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`billing:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
  });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const call = async (method: string, path: string, body?: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${before.url}/svc/rest${path}`, { method, headers, ...(body && { body }) })).status;
  };
  expect(await call('POST', '/maps/orders/a', 'x'.repeat(2048))).toBe(200);
  expect(await call('GET', '/maps/orders/a')).toBe(200);
  expect(await call('GET', '/maps/orders/b')).toBe(204);
  expect(await call('POST', '/queues/jobs', 'item')).toBe(200);
  expect(await call('GET', '/maps/secrets/a')).toBe(403);
  await before.stop();
  ({ console, ada } = await startWithAdmin({ dataDir }));
}, 60_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const figure = (body: string, id: string) =>
  new RegExp(`<figure[^>]*id="plot-${id}".*?</figure>`, 's').exec(body)?.[0] ?? '';

test('a client has the calls of 24 hours in words and as a plot, and why some were refused', async () => {
  const page = await ada.get('/access/clients/billing');
  expect(textOf(page)).toContain('4 fine, 1 refused ( Why ), 0 failed.');
  expect(figure(page.body, 'calls')).toContain('/min');
  const [, why] = /href="(\/observe\/audit\?actor[^"]+)"/.exec(page.body)!;
  expect(textOf(await ada.get(why!.replaceAll('&amp;', '&')))).toMatch(
    /Call to a member Refused billing map secrets/,
  );
  const german = await ada.get('/access/clients/billing', { 'Accept-Language': 'de' });
  expect(textOf(german)).toContain('4 in Ordnung, 1 abgelehnt ( Warum ), 0 fehlgeschlagen.');
  const table = await ada.get('/access/clients/billing?table=calls');
  expect(figure(table.body, 'calls')).toMatch(/Fine, \/min.*Refused, \/min.*<time datetime="\d{4}-/s);
});

test('a client that has not called says so', async () => {
  await callApi(console, 'POST', '/clients', { id: 'idle', scopes: ['svc:health:read'] });
  expect(textOf(await ada.get('/access/clients/idle'))).toContain(
    'No call in the last 24 hours; one of just now',
  );
});

test('a Viewer sees the numbers of a map, too', async () => {
  const vera = await personWith(console, 'vera', ['Viewer']);
  expect(figure((await vera.get('/cluster/maps/orders')).body, 'calls')).not.toBe('');
});

test('a map has calls, the share of reads that found an entry, and the sizes of values, in each period', async () => {
  for (const period of ['15min', '1h', '24h']) {
    const page = await ada.get(`/cluster/maps/orders?period=${period}`);
    expect(figure(page.body, 'hits')).toContain('50 %');
    expect(figure(page.body, 'values')).toContain('2 KB');
    expect(figure(page.body, 'calls')).toContain('Refused');
  }
});

test('a queue has its size, what is offered and taken, and the polls that wait', async () => {
  const page = await ada.get('/cluster/queues/jobs?table=items');
  expect(figure(page.body, 'items')).toMatch(/Offers, \/s.*Polls, \/s.*0\.0\d/s);
  expect(figure(page.body, 'waiting')).toContain('Waiting polls');
  expect(figure(page.body, 'size')).toContain('Items');
});
