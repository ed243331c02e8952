/** Denials that findings name, and that an administrator mutes for some days. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { causeOfCall } from '../../console/usage/denial-cause.ts';
import { createDenialMutes } from '../../console/usage/muted-denials.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  sendForm,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const secret = 'fjord-0123456789-abcdefghij-KLMNOP-42';
let dataDir: string;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'console-mutes-'));
  console = await startConsole({ dataDir });
  ada = createUserAgent(console.url);
  await ada.signIn();
  await personWith(console, 'viewer', ['Viewer']);
  for (const id of ['billing', 'shipping'])
    await callApi(console, 'POST', '/clients', { id, secret, scopes: ['svc:map:orders:read'] });
}, 30_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the decision of the last of so many calls */
async function deniedCalls(client: string, map: string, count = 10): Promise<string> {
  const granted = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc:map:orders:read' }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  let last = '';
  for (let call = 0; call < count; call++) {
    const reply = await fetch(`${console.url}/svc/rest/maps/${map}/7`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: 'x',
    });
    expect(reply.status).toBe(403);
    last = ((await reply.json()) as { decision_id: string }).decision_id;
  }
  return last;
}

interface Finding {
  readonly check: string;
  readonly reason: string;
  readonly decisionId: string | null;
}

/** Looked at now. */
async function findings(): Promise<readonly Finding[]> {
  return ((await callApi(console, 'POST', '/health/run')) as { findings: readonly Finding[] }).findings;
}
const mapsOf = async (client: string) =>
  (await findings()).flatMap(({ check, reason }) =>
    check === `client ${client}` ? [/map (.*)\.$/.exec(reason)![1]!] : [],
  );
const attentionOf = ({ body }: Reply) => /id="attention".*?<\/section>/s.exec(body)?.[0] ?? '';
const mutesOf = async () =>
  ((await callApi(console, 'GET', '/access/muted-denials')) as { items: { id: string }[] }).items;

test('a client that is denied over and over stands in findings, until that is muted; it counts all the same', async () => {
  await deniedCalls('billing', 'seldom', 9);
  const decision = await deniedCalls('billing', 'orders');
  await deniedCalls('billing', 'others');
  expect((await mapsOf('billing')).sort()).toEqual(['orders', 'others']);
  const overview = await ada.get('/');
  expect(attentionOf(overview)).toContain('href="/observe/decisions/');
  expect(textOf(overview)).toMatch(
    /client billing 1\d calls were denied since .*it lacks svc:data:write for the map orders/,
  );

  const page = await ada.get(`/observe/decisions/${decision}`);
  const muted = await ada.follow(await sendForm(ada, page, 'mute'));
  expect(textOf(muted)).toMatch(/Muted: “Needs attention” does not name .* Undo/);
  expect(textOf(muted)).toMatch(/Muted Until .*, by ada/);
  expect(textOf(muted)).not.toContain('Mute 7 days');
  expect(attentionOf(await ada.get('/'))).not.toContain('map orders');
  expect(await mapsOf('billing')).toEqual(['others']);

  await deniedCalls('billing', 'orders', 1);
  expect(await mapsOf('billing')).toEqual(['others']);
  const { used } = (await callApi(console, 'GET', '/access/usage?client=billing')) as {
    used: { names: string[]; calls: number }[];
  };
  expect(used.find(({ names }) => names[0] === 'orders')).toMatchObject({ calls: 11 });

  const unmuted = await ada.follow(await sendForm(ada, muted, 'unmute'));
  expect(textOf(unmuted)).toContain('“Needs attention” names these calls again.');
  expect((await mapsOf('billing')).sort()).toEqual(['orders', 'others']);
  const said = console.log().filter(({ event }) => String(event).startsWith('denials.'));
  expect(said).toMatchObject([
    { event: 'denials.muted', outcome: 'success', via: 'page' },
    { event: 'denials.unmuted', outcome: 'success', via: 'page' },
  ]);
});

test('the panel of effective access mutes a call that has not happened', async () => {
  const fields = { client: 'shipping', method: 'POST', path: '/svc/rest/maps/orders/7' };
  const page = await ada.get(`/access/effective?${new URLSearchParams(fields)}`);
  const muted = await ada.follow(await sendForm(ada, page, 'mute', fields));
  expect(textOf(muted)).toMatch(/Muted until .*, by ada/);
  await deniedCalls('shipping', 'orders');
  expect(await mapsOf('shipping')).toEqual([]);
  await ada.follow(await sendForm(ada, muted, 'unmute', fields));
  expect(await mapsOf('shipping')).toEqual(['orders']);
});

test('in German', async () => {
  const decision = await deniedCalls('shipping', 'orders');
  const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await german.signIn();
  const page = await german.get(`/observe/decisions/${decision}`);
  expect(textOf(page)).toContain('7 Tage stummschalten');
  const overview = textOf(await german.get('/'));
  expect(overview).toMatch(/Client shipping \d+ Aufrufe wurden seit .* abgelehnt: Es fehlt svc:data:write/);
});

test('the command mutes too; it holds over a restart, and the doctor does not name it', async () => {
  const call = ['POST', '/svc/rest/maps/orders/7'];
  await deniedCalls('shipping', 'orders');
  const named = async () => (await runTool(['doctor'], { dataDir })).stdout.includes('client shipping');
  expect(await named()).toBe(true);
  const done = await toolDone(['access', 'mute', ...call, '--client', 'shipping', '--days', '3', '--json'], {
    dataDir,
  });
  const { id, until } = done.json<{ id: string; until: string }>();
  expect(Date.parse(until) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
  expect(await named()).toBe(false);
  await console.stop();
  console = await startConsole({ dataDir });
  ada = createUserAgent(console.url);
  await ada.signIn();
  expect((await mutesOf()).map((one) => one.id)).toEqual([id]);
  expect(await mapsOf('shipping')).toEqual([]);
  expect((await toolDone(['access', 'muted'], { dataDir })).stdout).toContain('shipping');
  await toolDone(['access', 'unmute', id], { dataDir });
  expect(await mutesOf()).toEqual([]);
  const again = await runTool(['access', 'unmute', id], { dataDir });
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('No denials are muted by this id')]);
});

test('what is muted ends by itself, and one more than there is room for is refused', async () => {
  let now = Date.parse('2026-11-01');
  const { registry } = await createMemoryStorage();
  const mutes = createDenialMutes({ registry, now: () => now });
  const by = { kind: 'user', id: 'ada' } as const;
  const cause = (map: string) => causeOfCall('client:billing', 'GET', `/svc/rest/maps/${map}/1`)!;
  await mutes.mute(cause('orders'), 7, by);
  now += 7 * 86_400_000 - 1;
  expect(mutes.of(cause('orders'))).toMatchObject({ name: 'orders', permission: 'svc:data:read' });
  expect(mutes.of(cause('others'))).toBeUndefined();
  now += 1;
  expect(mutes.list()).toEqual([]);
  for (let at = 0; at < 500; at++) await mutes.mute(cause(`m${at}`), 1, by);
  await expect(mutes.mute(cause('orders'), 1, by)).rejects.toThrow('More than 500');
  await expect(mutes.mute(cause('m7'), 2, by)).resolves.toMatchObject({ before: { name: 'm7' } });
}, 30_000);

describe('is refused, and mutes nothing:', () => {
  const call = { method: 'POST', path: '/svc/rest/maps/orders/7' };
  test.each([
    { name: 'a body that names nothing', body: {}, status: 400 },
    { name: 'two callers', body: { ...call, client: 'billing', user: 'ada' }, status: 400 },
    { name: 'a decision with a call', body: { ...call, decision: 'kx.0.0' }, status: 400 },
    { name: 'a client that there is not', body: { ...call, client: 'nobody' }, status: 404 },
    { name: 'a decision that there is not', body: { decision: 'nobody' }, status: 404 },
    { name: 'no days', body: { ...call, client: 'billing', days: 0 }, status: 400 },
    { name: 'a year', body: { ...call, client: 'billing', days: 365 }, status: 400 },
    {
      name: 'a path that no rule knows',
      body: { client: 'billing', method: 'GET', path: '/x' },
      status: 400,
    },
    { name: 'a path in pieces', body: { ...call, client: 'billing', path: '/svc/%zz/%' }, status: 400 },
  ])('$name', async ({ body, status }) => {
    await expect(callApi(console, 'POST', '/access/muted-denials', body)).rejects.toThrow(`${status} `);
    expect(await mutesOf()).toEqual([]);
  });

  test('a Viewer, who sees the finding and no button', async () => {
    const decision = await deniedCalls('billing', 'orders');
    expect(await mapsOf('billing')).toContain('orders');
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: 'viewer', password: personPassword });
    const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
    const reply = await agent.post(`/observe/decisions/${decision}`, { csrf, do: 'mute' });
    expect(reply.status).toBe(403);
    for (const path of ['/', '/observe/health']) {
      const { body } = await agent.get(path);
      expect([path, body.includes('billing'), body.includes('value="mute"')]).toEqual([path, true, false]);
    }
    expect(await mutesOf()).toEqual([]);
  });

  test.each(foreignForms)('a form $name (S31)', async ({ fields, headers }) => {
    const decision = await deniedCalls('billing', 'orders');
    const csrf = hiddenIn(await ada.get(`/observe/decisions/${decision}`), 'csrf')!;
    const form = { csrf, do: 'mute', ...fields };
    expect((await ada.post(`/observe/decisions/${decision}`, form, headers)).status).toBe(403);
    expect(await mutesOf()).toEqual([]);
  });
});
