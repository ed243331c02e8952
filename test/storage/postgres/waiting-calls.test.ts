/** Calls that wait at one of several consoles on one PostgreSQL, or at a member proxy beside them: seen and ended at another. */
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../../helpers/commands.ts';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { hiddenIn } from '../../helpers/management.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { createUserAgent, textOf } from '../../helpers/user-agent.ts';
import { addProxyClient, memberOf, type RunningProxy, startProxy } from '../../proxy/support.ts';

interface Waiting {
  readonly id: string;
  readonly process: string;
}

describe.skipIf(postgresPrograms === undefined)('consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let here: RunningConsole;
  let there: RunningConsole;
  let proxy: RunningProxy;
  let caller: { readonly Authorization: string };
  let admin: { readonly Authorization: string };

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    const env = {
      CONSOLE_URL: front.url,
      CONSOLE_DATABASE_URL: postgres.url(await postgres.createDatabase()),
    };
    const start = async (more: object = {}) =>
      startConsole({ isFirstStart: true, port: await freePort(), env: { ...env, ...more } });
    here = await start();
    front.choose(here.port);
    const members = [memberOf(here)];
    [there, proxy] = await Promise.all([
      start({ CONSOLE_MEMBERS: members.join() }),
      addProxyClient(here).then((client) => startProxy({ console: front, client, members })),
    ]);
    const [token, ofAdmin] = await Promise.all([machineToken(front), apiToken(front)]);
    caller = { Authorization: `Bearer ${token}` };
    admin = { Authorization: `Bearer ${ofAdmin}` };
  }, 120_000);
  afterAll(async () => {
    await proxy?.stop();
    await Promise.all([here?.stop(), there?.stop()]);
    await front?.close();
    await postgres?.close();
  }, 120_000);

  const at = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;
  const nameOf = (url: string) => `${hostname()}:${new URL(url).port}`;
  const poll = (origin: string, queue: string) =>
    fetch(`${origin}/svc/rest/queues/${queue}/120`, { headers: caller });
  const open = async (queue: string) => {
    const path = `/api/v1/traffic/open?structure=queue:${queue}`;
    const reply = await fetch(at(here) + path, { headers: admin });
    return ((await reply.json()) as { items: readonly Waiting[] }).items;
  };
  const end = (id: string) =>
    fetch(`${at(here)}/api/v1/traffic/open/${id}/end`, { method: 'POST', headers: admin });
  const seen = async (queue: string) => {
    await expect.poll(() => open(queue), { timeout: 30_000, interval: 200 }).toHaveLength(1);
    return (await open(queue))[0]!;
  };

  test('one that waits at another console is listed with where it waits, and ended from here; no item is lost', async () => {
    const answer = poll(at(there), 'elsewhere');
    const call = await seen('elsewhere');
    expect(call).toMatchObject({
      ...{ process: nameOf(at(there)), isHere: false, canEnd: true },
      ...{ client: 'application-client', structure: 'queue:elsewhere', method: 'GET' },
    });
    const list = ['call', 'list', '--structure', 'queue:elsewhere'];
    expect((await toolDone(list, { dataDir: here.dataDir })).stdout).toContain(`${nameOf(at(there))}  `);
    expect((await end(call.id)).status).toBe(204);
    const reply = await answer;
    expect([reply.status, await reply.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'call_ended', request_id: call.id }),
    ]);
    await fetch(`${at(here)}/svc/rest/queues/elsewhere`, { method: 'POST', headers: caller, body: 'item' });
    expect(await (await poll(at(here), 'elsewhere')).text()).toBe('item');
  }, 60_000);

  test('one that has ended meanwhile is none that can be ended', async () => {
    const answer = poll(at(there), 'answered');
    const call = await seen('answered');
    await fetch(`${at(there)}/svc/rest/queues/answered`, { method: 'POST', headers: caller, body: 'item' });
    expect(await (await answer).text()).toBe('item');
    expect((await end(call.id)).status).toBe(404);
  }, 60_000);

  test('one that waits at a member proxy is listed, and the page says that it cannot be ended from here', async () => {
    const waiting = [poll(proxy.url, 'proxied'), poll(at(there), 'paged')];
    const call = await seen('proxied');
    const ended = await seen('paged');
    expect(call).toMatchObject({ process: nameOf(proxy.url), isHere: false, canEnd: false });
    const refused = await end(call.id);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ detail: expect.stringContaining(`It waits at ${nameOf(proxy.url)}`) }),
    ]);
    const ada = createUserAgent(front.url);
    await ada.signIn();
    const page = await ada.get('/observe/traffic');
    for (const says of [nameOf(proxy.url), nameOf(at(there)), 'cannot be ended from here'])
      expect(textOf(page)).toContain(says);
    expect(page.body).not.toContain(`do=end&amp;call=${call.id}`);
    expect(page.body).toContain(`do=end&amp;call=${ended.id}`);
    const question = await ada.get(`/observe/traffic?do=end&call=${ended.id}`);
    const form = { csrf: hiddenIn(question, 'csrf')!, do: 'end', call: ended.id };
    expect((await ada.post('/observe/traffic', form)).status).toBe(303);
    expect((await waiting[1]!).status).toBe(503);
    await fetch(`${at(here)}/svc/rest/queues/proxied`, { method: 'POST', headers: caller, body: 'item' });
    expect(await (await waiting[0]!).text()).toBe('item');
  }, 60_000);
});
