import { expect, test, vi } from 'vitest';
import { startMembers } from '../../dashboard/demo/members.ts';
import { freePort } from '../helpers/ports.ts';
import { addressIn, startProcess, writeConfig } from '../member/member-process.ts';

const times = { firstMs: 50, everyMs: 3_600_000, leavingMs: 300, awayMs: 300 };

/** The cluster of the demo in front of a real member, all of whose groups but WAN are on. */
async function startCluster() {
  const groups = ['CLUSTER_WRITE', 'DATA', 'CP'].map((name) => `${name}: { enabled: true }`);
  const file = writeConfig(
    `svc: { network: { rest-api: { enabled: true, endpoint-groups: { ${groups.join(', ')} } } }, cp-subsystem: { cp-member-count: 1 } }`,
  );
  const holder = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: file });
  const stopping = new AbortController();
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const holderUrl = addressIn(holder.ready);
  const members = await startMembers({ holderUrl, ports, times, signal: stopping.signal });
  return {
    ...members,
    holderUrl,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await members.close();
      await holder.stop('SIGTERM');
    },
  };
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const ask = async (url: string | undefined, method = 'GET', body?: string) => {
  const answer = await fetch(url!, { method, ...(body !== undefined && { body }) });
  return { status: answer.status, text: await answer.text() };
};
const json = async (url: string, method?: string, body?: string) =>
  JSON.parse((await ask(url, method, body)).text);
const hostOf = (url: string) => new URL(url).host;

interface Told {
  readonly members: readonly {
    readonly address: string;
    readonly uuid: string;
    readonly localMember: boolean;
  }[];
}

test('three addresses say that they are a cluster of three, each for itself and none of the member behind them', async () => {
  await using cluster = await startCluster();
  const { urls, holderUrl } = cluster;
  const hosts = urls.map(hostOf);
  const [alone] = ((await json(`${holderUrl}/svc/rest/cluster`)) as Told).members;
  for (const [at, url] of urls.entries()) {
    const told: Told = await json(`${url}/hazelcast/rest/cluster`);
    expect(told.members.map(({ address }) => address)).toEqual(hosts);
    expect(told.members.map(({ localMember }) => localMember)).toEqual(urls.map((_, n) => n === at));
    expect(new Set(told.members.map(({ uuid }) => uuid)).size).toBe(3);
    expect(told.members[0]).toEqual({ ...alone, address: hosts[0], localMember: at === 0 });
    expect(await json(`${url}/svc/health`)).toMatchObject({ nodeState: 'ACTIVE', clusterSize: 3 });
    expect(await json(`${url}/svc/health/cluster-size`)).toBe(3);
    const { headers } = await fetch(`${url}/svc/health`, { method: 'HEAD' });
    expect(headers.get('hazelcast-clustersize')).toBe('3');
    expect(await json(`${url}/svc/rest/instance`)).toEqual({ name: `dev-${new URL(url).port}` });
    const nodes = await json(`${url}/svc/rest/management/cluster/nodes`, 'POST', 'dev&');
    const named = told.members.map(
      ({ uuid }, n) => `Member ${hosts[n]!.replace(/^(.*):/, '[$1]:')} - ${uuid}${n === at ? ' this' : ''}`,
    );
    expect(nodes.response.split('\n')[0]).toBe(`[${named.join(', ')}]`);
    const cp = await json(`${url}/svc/rest/cp-subsystem/members`);
    expect(cp).toEqual([{ uuid: alone!.uuid, address: hosts[0]!.replace(/^(.*):/, '[$1]:') }]);
    // The others are none, and cannot become one: they do not say that they have.
    expect((await ask(`${url}/svc/rest/cp-subsystem/members/local`)).status).toBe(at === 0 ? 200 : 404);
    const promoted = await ask(`${url}/svc/rest/cp-subsystem/members`, 'POST', 'dev&');
    expect(promoted.status).toBe(at === 0 ? 200 : 500);
  }
});

test('everything else goes through as it comes, to the one member, and the second address is slow', async () => {
  await using cluster = await startCluster();
  const [first, second, third] = cluster.urls as [string, string, string];
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251);
  const put = { method: 'POST', body: bytes, headers: { 'content-type': 'image/png' } };
  expect((await fetch(`${first}/svc/rest/maps/orders/a%2Fb`, put)).status).toBe(200);
  const got = await fetch(`${third}/svc/rest/maps/orders/a%2Fb`);
  expect(got.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  expect(await ask(`${second}/svc/rest/maps/orders/none`)).toEqual({ status: 204, text: '' });
  const refused = await ask(`${second}/svc/rest/management/cluster/changeState`, 'POST', 'x&y&frozen');
  expect(refused.status).toBe(403);
  // A group that is off there answers as it does there.
  const wan = (url: string) => ask(`${url}/svc/rest/wan/pausePublisher`, 'POST', 'dev&&a&b');
  expect(await wan(third)).toEqual(await wan(cluster.holderUrl));

  const began = performance.now();
  await ask(`${second}/svc/health/ready`);
  expect(performance.now() - began).toBeGreaterThanOrEqual(115);
});

test('a poll whose caller has gone takes no item', async () => {
  await using cluster = await startCluster();
  const queue = (at: number) => `${cluster.urls[at]}/svc/rest/queues/jobs`;
  const connections = async () => (await json(`${cluster.holderUrl}/svc/rest/cluster`)).connectionCount;
  const before = await connections();
  const gone = new AbortController();
  const poll = fetch(`${queue(0)}/30`, { method: 'DELETE', signal: gone.signal });
  poll.catch(() => {});
  await vi.waitUntil(async () => (await connections()) === before + 1);
  gone.abort();
  await expect(poll).rejects.toThrow('aborted');
  await vi.waitUntil(async () => (await connections()) === before);
  await ask(queue(2), 'POST', 'item');
  expect((await ask(`${queue(2)}/0`, 'DELETE')).text).toBe('item');
});

test('the third says that it goes, is away, and comes back as the same member; the others are two meanwhile', async () => {
  await using cluster = await startCluster();
  const [first, , third] = cluster.urls as [string, string, string];
  const before: Told = await json(`${first}/svc/rest/cluster`);
  await cluster.begin('restarts');
  await goesAndComes(cluster, 2);
  const after: Told = await json(`${third}/svc/rest/cluster`);
  expect(after.members.map(({ uuid }) => uuid)).toEqual(before.members.map(({ uuid }) => uuid));
});

test('one that is told to shut down by who may does so, and the demo starts it again', async () => {
  await using cluster = await startCluster();
  const [first] = cluster.urls as [string, string, string];
  const shutDown = (body: string) => ask(`${first}/svc/rest/management/cluster/memberShutdown`, 'POST', body);
  expect((await shutDown('x&')).status).toBe(403);
  expect((await shutDown('dev')).status).toBe(400);
  expect((await ask(`${first}/svc/health/ready`)).status).toBe(200);
  expect(await shutDown('dev&')).toEqual({ status: 200, text: '{"status":"success"}' });
  await goesAndComes(cluster, 0);
  // The one that was there longest is the master now.
  const { members }: Told = await json(`${first}/svc/rest/cluster`);
  expect(members.map(({ address }) => address)).toEqual([1, 2, 0].map((at) => hostOf(cluster.urls[at]!)));
});

test('the third can be away for good', async () => {
  await using cluster = await startCluster();
  await cluster.begin('away');
  await expect(ask(`${cluster.urls[2]}/svc/health`)).rejects.toThrow('fetch failed');
  expect(await json(`${cluster.urls[1]}/svc/health`)).toMatchObject({ clusterSize: 2 });
});

async function goesAndComes({ urls }: Cluster, at: number): Promise<void> {
  const [own, other] = [urls[at]!, urls[1]!];
  const readiness = () =>
    ask(`${own}/svc/health/ready`).then(
      ({ status }) => status,
      () => 'away',
    );
  await vi.waitUntil(async () => (await readiness()) === 503, { interval: 10, timeout: 10_000 });
  await vi.waitUntil(async () => (await readiness()) === 'away', { interval: 10, timeout: 10_000 });
  const { members }: Told = await json(`${other}/svc/rest/cluster`);
  expect(members.map(({ address }) => address)).not.toContain(hostOf(own));
  await vi.waitUntil(async () => (await readiness()) === 200, { interval: 10, timeout: 10_000 });
  expect(await json(`${other}/svc/health`)).toMatchObject({ clusterSize: 3 });
}
