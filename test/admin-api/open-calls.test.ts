/** Calls that wait for a member: who sees them, and what becomes of one that an administrator ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, hiddenIn } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { apiCaller } from './support.ts';

interface OpenCall {
  readonly id: string;
  readonly client: string;
  readonly structure: string;
  readonly waitedMs: number;
}

describe.each([
  { name: 'one process', workers: '1' },
  { name: 'two workers', workers: '2' },
])('with $name', ({ workers }) => {
  let console: RunningConsole;
  let headers: { readonly Authorization: string };
  beforeAll(async () => {
    console = await startConsole({ env: { CONSOLE_WORKERS: workers } });
    headers = { Authorization: `Bearer ${await machineToken(console)}` };
  }, 60_000);
  afterAll(() => console?.stop());

  const queue = (name: string) => `${console.url}/svc/rest/queues/${name}`;
  const api = async (token?: string) =>
    apiCaller(console, '/traffic/open', token ?? (await apiToken(console)));
  const open = async (query: string): Promise<readonly OpenCall[]> =>
    (await (await api())('GET', query)).body.items;
  /** One that waits for an item of this queue. */
  async function waiting(name: string) {
    const answer = fetch(`${queue(name)}/60`, { headers });
    let found: readonly OpenCall[] = [];
    await until(
      async () => {
        found = await open(`?structure=queue:${name}`);
        return found.length === 1;
      },
      'the poll is listed',
      20_000,
    );
    return { answer, call: found[0]! };
  }
  const offered = async (name: string) => {
    await fetch(queue(name), { method: 'POST', headers, body: 'item' });
    return (await fetch(`${queue(name)}/1`, { headers })).text();
  };

  test('a poll that waits is listed with who waits for what, and its end is said to it; no item is lost', async () => {
    const { answer, call } = await waiting('ended');
    expect(call).toMatchObject({ client: 'application-client', structure: 'queue:ended', method: 'GET' });
    expect(call.waitedMs).toBeGreaterThanOrEqual(1_000);
    expect(await open('?structure=queue:other')).toEqual([]);
    const ended = await (await api())('POST', `/${call.id}/end`);
    expect(ended.status).toBe(204);
    const reply = await answer;
    expect([reply.status, await reply.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'call_ended',
        detail: 'An administrator has ended this call while it waited for the member',
        request_id: call.id,
      }),
    ]);
    expect(await offered('ended')).toBe('item');
    const entries = (await callApi(console, 'GET', '/audit?event=call.ended')) as { items: object[] };
    expect(entries.items).toEqual([expect.objectContaining({ outcome: 'success' })]);
    expect(JSON.stringify(entries.items)).toContain(call.id);
    expect((await (await api())('POST', `/${call.id}/end`)).status).toBe(404);
  }, 60_000);

  test('a dry run ends nothing, and who may only read ends nothing either (S60)', async () => {
    const { answer, call } = await waiting('dry');
    const dry = await runTool(['call', 'end', call.id, '--dry-run'], { dataDir: console.dataDir });
    expect([dry.code, dry.stdout]).toEqual([0, `Would end the call ${call.id}.\n`]);
    const reader = await api(await apiToken(console, 'app:Viewer'));
    expect((await reader('GET', '')).status).toBe(200);
    expect((await reader('POST', `/${call.id}/end`)).status).toBe(403);
    expect(await open('?structure=queue:dry')).toHaveLength(1);
    await fetch(queue('dry'), { method: 'POST', headers, body: 'at last' });
    expect(await (await answer).text()).toBe('at last');
  }, 60_000);

  test('by command and by page', async () => {
    const byCommand = await waiting('command');
    const { stdout } = await toolDone(['call', 'list', '--structure', 'queue:command'], {
      dataDir: console.dataDir,
    });
    expect(stdout).toMatch(/^\d+ s +application-client +GET queue:command +127\.0\.0\.1:\d+ +\S+$/m);
    await toolDone(['call', 'end', byCommand.call.id], { dataDir: console.dataDir });
    expect((await byCommand.answer).status).toBe(503);

    const byPage = await waiting('page');
    const ada = createUserAgent(console.url);
    await ada.signIn();
    const traffic = await ada.get('/observe/traffic');
    expect(textOf(traffic)).toContain('GET queue:page');
    const ask = `/observe/traffic?do=end&call=${byPage.call.id}`;
    expect(traffic.body).toContain(ask.replaceAll('&', '&amp;'));
    const question = await ada.get(ask);
    expect(textOf(question)).toContain('No item is lost');
    const done = await ada.post('/observe/traffic', {
      csrf: hiddenIn(question, 'csrf')!,
      do: 'end',
      call: byPage.call.id,
    });
    expect([done.status, done.headers.location]).toEqual([303, '/observe/traffic?done=ended']);
    expect((await byPage.answer).status).toBe(503);
    expect(textOf(await ada.get(ask))).toContain('This call does not wait any more.');
    const german = await ada.get('/observe/traffic?done=ended', { 'Accept-Language': 'de' });
    expect(textOf(german)).toContain('Der Aufruf ist beendet');
  }, 60_000);
});
