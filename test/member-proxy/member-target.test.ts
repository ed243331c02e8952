import { afterEach, describe, expect, test } from 'vitest';
import { sendRaw, startProxy, startRecorder, type TestProxy, until, unusedAddress } from './servers.ts';
import { tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const uuids = ['11111111-2222-4333-8444-555555555555', '66666666-7777-4888-8999-aaaaaaaaaaaa'];

describe('/members/{uuid or host:port}', () => {
  test('reaches that member and no other, by either name', async () => {
    const { members, call } = await open();
    for (const [i, member] of members.entries()) {
      for (const name of [new URL(member.address).host, uuids[i]!, uuids[i]!.toUpperCase()]) {
        for (let again = 0; again < 3; again += 1) {
          expect((await call('GET', `/members/${name}/svc/rest/instance`)).status).toBe(200);
        }
      }
    }
    expect(members.map(instanceCalls)).toEqual([9, 9]);
  });

  test('the host and its port may come percent-encoded', async () => {
    const { members, call } = await open();
    const name = encodeURIComponent(new URL(members[1]!.address).host);
    expect((await call('GET', `/members/${name}/svc/rest/instance`)).status).toBe(200);
    expect(members.map(instanceCalls)).toEqual([0, 1]);
  });

  test('the rules are those of the plain path', async () => {
    const { members, call } = await open('Viewer');
    const at = `/members/${new URL(members[0]!.address).host}`;
    expect((await call('GET', `${at}/svc/rest/maps/m/k`)).status).toBe(200);
    expect((await call('POST', `${at}/svc/rest/maps/m/k`, 'v')).status).toBe(403);
    expect((await call('DELETE', `${at}/svc/rest/queues/q/0`)).status).toBe(403);
    expect((await call('GET', `${at}/svc/rest/nothing`)).status).toBe(404);
  });

  test.each([
    ['another host', '/members/10.1.2.3:5701/svc/rest/instance'],
    ['a foreign name', '/members/evil.example:80/svc/rest/instance'],
    ['an unknown UUID', '/members/99999999-2222-4333-8444-555555555555/svc/rest/instance'],
    ['no surface', '/members/127.0.0.1:5701/'],
    ['the console’s own path', '/members/127.0.0.1:5701/oauth2/token'],
    ['a name with a user', '/members/a@127.0.0.1:5701/svc/rest/instance'],
    ['an address', '/members/http:%2F%2Fevil.example/svc/rest/instance'],
    ['a bad escape', '/members/%zz/svc/rest/instance'],
  ])('%s is 404 and reaches nobody (S59)', async (_name, path) => {
    const { members, call } = await open();
    const reply = await call('GET', path);
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([404, 'not_found']);
    expect(members.map(instanceCalls)).toEqual([0, 0]);
  });

  test.each([
    '/members/127.0.0.1:5701/svc/../oauth2/token',
    '/members/127.0.0.1:5701/svc/%2e%2e/x',
    '/members/127.0.0.1:5701/svc//rest/cluster',
  ])('%s is 400 (S58)', async (path) => {
    const { proxy, token } = await open();
    const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
    expect((await sendRaw(proxy.address, `GET ${path} HTTP/1.1\r\n${fields}\r\n`)).status).toBe(400);
  });

  test('without a token nobody learns which members there are (S57)', async () => {
    const { proxy, members } = await open();
    const known = new URL(members[0]!.address).host;
    const replies = await Promise.all(
      [known, '10.1.2.3:5701'].map((name) => fetch(`${proxy.address}/members/${name}/svc/rest/instance`)),
    );
    expect(replies.map(({ status }) => status)).toEqual([401, 401]);
  });

  test('a member that is gone is 503, and no other is asked instead', async () => {
    const gone = await unusedAddress();
    const { call, members } = await open('Admin', [gone]);
    expect((await call('GET', `/members/${new URL(gone).host}/svc/rest/instance`)).status).toBe(503);
    expect(members.map(instanceCalls)).toEqual([0, 0]);
  });
});

describe('calls that act on the receiving member', () => {
  const pause = '/svc/rest/wan/pausePublisher';

  test('name it in their answer; others do not', async () => {
    const { members, call } = await open();
    const reply = await call('POST', pause, '&&wan&target');
    const taker = members.findIndex(({ seen }) => seen.some(({ url }) => url === pause));
    expect(reply.headers.get('cluster-member')).toBe(uuids[taker]);
    expect((await call('GET', '/svc/rest/instance')).headers.get('cluster-member')).toBeNull();
  });

  test('go to all with ?members=all, and each has its result', async () => {
    const { members, call } = await open();
    const reply = await call('POST', `${pause}?members=all`, '&&wan&target');
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      results: members.map(({ address }, i) => ({
        member: new URL(address).host,
        uuid: uuids[i],
        status: 200,
        body: { status: 'success' },
      })),
    });
    for (const { seen } of members) {
      const posts = seen.filter(({ method }) => method === 'POST');
      expect(posts.map(({ url, body }) => [url, body.toString()])).toEqual([[pause, 'dev&&wan&target']]);
    }
  });

  test('where one member fails the answer is 207 and says which', async () => {
    const gone = await unusedAddress();
    const { call } = await open('Admin', [gone]);
    const reply = await call('DELETE', '/svc/rest/log-level?members=all');
    const { results } = (await reply.json()) as { results: { status?: number; error?: { code: string } }[] };
    expect(reply.status).toBe(207);
    expect(results.map(({ status, error }) => status ?? error?.code)).toEqual([200, 200, 'no_member']);
  });

  test('flaw: a member whose group is off was a bare 403 among the results, without a word of why', async () => {
    const { members, proxy, call } = await open('Admin', [], uuids[0]);
    await until(() => proxy.members.statuses()[0]!.offGroups.includes('WAN'), 'the group that is off');
    const [off, on] = members.map(({ address }) => new URL(address).host);
    const reply = await call('POST', `${pause}?members=all`, '&&wan&target');
    expect(reply.status).toBe(207);
    expect(await reply.json()).toEqual({
      results: [
        {
          member: off,
          uuid: uuids[0],
          error: {
            code: 'group_disabled',
            detail: `The endpoint group WAN is off at the member ${off}. Set network.rest-api.endpoint-groups.WAN.enabled: true in its configuration and restart it`,
          },
        },
        { member: on, uuid: uuids[1], status: 200, body: { status: 'success' } },
      ],
    });
    const asked = members.map(({ seen }) => seen.filter(({ method }) => method === 'POST').length);
    expect(asked).toEqual([0, 1]);
    await until(() => proxy.records.length === 1, 'the record');
    expect(proxy.records[0]!.results).toEqual([
      { member: off, reason: 'group_disabled' },
      { member: on, status: 200 },
    ]);
  });

  test('need the same permission for all as for one (S60)', async () => {
    const { members, call } = await open('Viewer');
    expect((await call('POST', `${pause}?members=all`, '&&wan&target')).status).toBe(403);
    expect(members.flatMap(({ seen }) => seen.filter(({ method }) => method === 'POST'))).toEqual([]);
  });

  test.each([
    ['at one member', `/members/{member}${pause}`, '&&wan&target', 'asks for one member'],
    ['at the cluster', '/svc/rest/management/cluster/changeState', '&&frozen', 'is for the whole cluster'],
    ['at the data', '/svc/rest/maps/m/k', 'v', 'is for the whole cluster'],
  ])('flaw: ?members=all %s ran the call at one member and said 200', async (_name, path, body, detail) => {
    const { members, call } = await open();
    const at = path.replace('{member}', new URL(members[0]!.address).host);
    const reply = await call('POST', `${at}?members=all`, body);
    const problem = (await reply.json()) as { code: string; detail: string };
    expect([reply.status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.detail).toContain(detail);
    expect(members.flatMap(({ seen }) => seen).filter(({ method }) => method === 'POST')).toEqual([]);
    expect((await call('POST', at, body)).status).toBe(200);
  });

  test.each(['ALL', 'some', ''])('flaw: ?members=%s acted on one member and said 200', async (asked) => {
    const { members, call } = await open();
    const reply = await call('POST', `${pause}?members=${asked}`, '&&wan&target');
    expect(reply.status).toBe(400);
    expect(((await reply.json()) as { detail: string }).detail).toContain('only all is known');
    expect(members.flatMap(({ seen }) => seen).filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

/** @param withoutWan  UUID of the member whose WAN group is off */
async function open(role = 'Admin', more: readonly string[] = [], withoutWan?: string) {
  const members = await Promise.all(uuids.map((uuid) => startMember(uuid, uuid !== withoutWan)));
  const proxy: TestProxy = await startProxy({
    members: [...members.map(({ address }) => address), ...more],
    probes: { everyMs: 50, replyMs: 2_000 },
  });
  cleanups.push(proxy.close);
  await until(() => uuids.every((uuid) => proxy.members.find(uuid) !== undefined), 'the UUIDs');
  const token = await tokenFor(proxy.key, role);
  const call = (method: string, path: string, body?: string) =>
    fetch(proxy.address + path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });
  return { members, proxy, token, call };
}

async function startMember(uuid: string, hasWan: boolean) {
  const member = await startRecorder((req, res) => {
    if (!hasWan && req.url!.includes('/rest/wan')) {
      res.writeHead(403).end();
      return;
    }
    const isCluster = req.url === '/svc/rest/cluster';
    const self = {
      address: req.headers.host,
      liteMember: false,
      localMember: true,
      uuid,
      memberVersion: '5.5.0',
    };
    res.end(JSON.stringify(isCluster ? { members: [self] } : { status: 'success' }));
  });
  cleanups.push(member.close);
  return member;
}

function instanceCalls({ seen }: Awaited<ReturnType<typeof startMember>>): number {
  return seen.filter(({ url }) => url.includes('instance')).length;
}
