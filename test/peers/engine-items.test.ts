/** Items of queues at members of the real engine, whose callers leave (B1, S94). `TEST_LEAVING_CALLERS` makes it longer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLeavingCallers } from '../helpers/leaving-callers.ts';
import { until } from '../helpers/store.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  engineStartMs,
  releases,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

const rest = '/svc/rest';
const items = Number(process.env.TEST_LEAVING_CALLERS ?? 60);

describe.skipIf(whyNoEngine).each(releases)(`a member of %s${whyNoEngine ?? ''}`, (version) => {
  let cluster: EngineCluster;
  let front: EngineConsole;

  beforeAll(async () => {
    cluster = await startEngineMembers({ version, count: 1 });
    front = await startEngineConsole({
      addresses: cluster.addresses,
      env: { CONSOLE_PROXY_MANAGEMENT_RATE: '0', CONSOLE_ACCESS_TOKEN_TTL: '900' },
    });
  }, engineStartMs + 60_000);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  const lines = () => front.console.log().filter(({ event }) => event === 'queue.item.lost');
  const size = async (queue: string) => (await front.call('GET', `${rest}/queues/${queue}/size`)).body;

  test('six callers leave while their polls wait, and no item goes with them (B1)', async () => {
    const gone = new AbortController();
    const polls = Array.from({ length: 6 }, () =>
      fetch(`${front.console.url}${rest}/queues/left/20`, {
        headers: { Authorization: `Bearer ${front.admin}` },
        signal: gone.signal,
      }).catch(() => undefined),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    gone.abort();
    await Promise.all(polls);
    const headers = { 'Content-Type': 'application/json' };
    for (let i = 0; i < 6; i += 1) {
      expect((await front.call('POST', `${rest}/queues/left`, { body: `{"n":${i}}`, headers })).status).toBe(
        200,
      );
    }
    await until(async () => (await size('left')) === '6', 'all items to be in the queue', 20_000);
    const got = await Promise.all(
      Array.from({ length: 6 }, () => front.call('GET', `${rest}/queues/left/0`)),
    );
    expect(got.map(({ body }) => body).sort()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `{"n":${n}}`));
    expect(new Set(got.map(({ type }) => type))).toEqual(new Set(['application/json']));
    expect(lines()).toEqual([]);
  }, 60_000);

  test(`of ${items} items whose callers close, reset and half-close as they come each is read once, or in its queue, or told (B1)`, async () => {
    const outcome = await runLeavingCallers({
      port: front.console.port,
      fields: `Authorization: Bearer ${front.admin}\r\n`,
      items,
      queues: 4,
      offer: async (queue, body) => {
        expect((await front.call('POST', `${rest}/queues/${queue}`, { body })).status).toBe(200);
      },
      take: async (queue) => {
        const reply = await front.call('DELETE', `${rest}/queues/${queue}/0`);
        return reply.status === 200 ? reply.body : undefined;
      },
      lost: () => lines().map(({ sha256 }) => String(sha256)),
    });
    console.info(version, items, outcome);
    expect(outcome).toMatchObject({ missing: [], doubled: [] });
  }, 600_000);
});
