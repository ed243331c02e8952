/** Members of two clusters behind one proxy: each gets its own cluster's credentials and never the other's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startProxy, startRecorder, type TestProxy, unusedAddress } from './servers.ts';
import { tokenFor } from './tokens.ts';

type Recorder = Awaited<ReturnType<typeof startRecorder>>;

const orders = { username: 'orders', password: 'orders-pass' };
const stock = { username: 'stock', password: 'stock-pass' };
const state = '/svc/rest/management/cluster/changeState';
const pause = '/svc/rest/wan/pausePublisher';

let first: Recorder;
let second: Recorder;
let plain: Recorder;
let proxy: TestProxy | undefined;
let token: string;

beforeEach(async () => {
  [first, second, plain] = await Promise.all([startRecorder(), startRecorder(), startRecorder()]);
});
afterEach(async () => {
  await proxy?.close();
  await Promise.all([first, second, plain].map((member) => member.close()));
  proxy = undefined;
});

describe('credentials of one cluster (S68)', () => {
  test('reach its own members only, whoever is chosen', async () => {
    await open([first.address, second.address, plain.address]);
    for (let i = 0; i < 9; i += 1) await post(state, '&&frozen');
    expect(first.seen.length).toBeGreaterThan(0);
    expect(second.seen.length).toBeGreaterThan(0);
    expect(plain.seen.length).toBeGreaterThan(0);
    expect(bodiesOf(first)).toEqual(['orders&orders-pass&frozen']);
    expect(bodiesOf(second)).toEqual(['stock&stock-pass&frozen']);
    expect(bodiesOf(plain)).toEqual(['dev&&frozen']);
  });

  test('follow the member that is asked for', async () => {
    await open([first.address, second.address]);
    await post(`/members/${new URL(second.address).host}${state}`, '&&frozen');
    expect([bodiesOf(first), bodiesOf(second)]).toEqual([[], ['stock&stock-pass&frozen']]);
  });

  test('are filled in for each member of a call to all', async () => {
    await open([first.address, second.address, plain.address]);
    expect((await post(`${pause}?members=all`, '&&wan&target')).status).toBe(200);
    expect(bodiesOf(first)).toEqual(['orders&orders-pass&wan&target']);
    expect(bodiesOf(second)).toEqual(['stock&stock-pass&wan&target']);
    expect(bodiesOf(plain)).toEqual(['dev&&wan&target']);
  });

  test('are not carried to another cluster by a retry', async () => {
    const dead = await unusedAddress();
    await open([dead, second.address], new Map([[dead, orders]]));
    const statuses = new Set<number>();
    for (let i = 0; i < 6; i += 1) statuses.add((await post(state, '&&frozen')).status);
    // The first cluster's only member is gone: its calls fail rather than travel.
    expect(statuses).toEqual(new Set([200, 503]));
    expect(bodiesOf(second)).toEqual(['stock&stock-pass&frozen']);
  });

  test('are retried within the cluster', async () => {
    const dead = await unusedAddress();
    await open([dead, first.address], new Map([[dead, orders]]));
    for (let i = 0; i < 4; i += 1) expect((await post(state, '&&frozen')).status).toBe(200);
    expect(bodiesOf(first)).toEqual(['orders&orders-pass&frozen']);
  });

  test('go to a member that one of its own has named', async () => {
    const found = new URL(plain.address);
    const clusterView = JSON.stringify({
      members: [{ address: `127.0.0.1:${found.port}`, uuid: '0b9ba4fc-7e8e-4fe4-b0bb-4e0d3d6f6c1a' }],
      connectionCount: 0,
      allConnectionCount: 0,
    });
    const naming = await startRecorder((req, res) =>
      res.end(req.url === '/svc/rest/cluster' ? clusterView : '{"status":"success"}'),
    );
    await open([naming.address], new Map([[naming.address, orders]]), true);
    const deadline = Date.now() + 20_000;
    while (proxy!.members.list().length < 2 && Date.now() < deadline) {
      await new Promise((tick) => setTimeout(tick, 20));
    }
    await post(`/members/${found.host}${state}`, '&&frozen');
    expect(bodiesOf(plain)).toEqual(['orders&orders-pass&frozen']);
    await naming.close();
  });
});

async function open(
  members: readonly string[],
  further: ReadonlyMap<string, typeof orders> = new Map(),
  isDiscovering = false,
): Promise<void> {
  const sets = new Map([[first.address, orders], [second.address, stock], ...further]);
  proxy = await startProxy({
    members,
    credentialsOf: (address) => sets.get(address),
    ...(isDiscovering && { isDiscovering, probes: { everyMs: 50, replyMs: 2_000 } }),
  });
  token = await tokenFor(proxy.key, 'Admin');
}

function post(path: string, body: string): Promise<Response> {
  return fetch(proxy!.address + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  });
}

/** The different bodies of calls that change something. */
function bodiesOf({ seen }: Recorder): string[] {
  const posted = seen.filter(({ method }) => method === 'POST').map(({ body }) => body.toString());
  return [...new Set(posted)];
}
