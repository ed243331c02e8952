import { describe, expect, test } from 'vitest';
import { expectJson, managedFile, stateOf } from './management-support.ts';
import { connectRaw, countOf, empty, eventually, startTestMember } from './support.ts';

const management = '/svc/rest/management/cluster';

async function startManaged() {
  const member = await startTestMember(managedFile());
  const post = (path: string, body: string) => member.call('POST', path, { body });
  const changeState = (state: string) => post(`${management}/changeState`, `dev&&${state}`);
  return { ...member, post, changeState };
}

describe('cluster state', () => {
  test.each([
    { state: 'frozen', shown: 'frozen', node: 'ACTIVE' },
    { state: 'NO_MIGRATION', shown: 'no_migration', node: 'ACTIVE' },
    { state: 'Passive', shown: 'passive', node: 'PASSIVE' },
  ])('changes to $state, and back', async ({ state, shown, node }) => {
    const { call, post, changeState } = await startManaged();
    const states = async () => ({
      management: (await post(`${management}/state`, 'dev&')).body,
      cluster: (await call('GET', '/svc/health/cluster-state')).body,
      node: (await call('GET', '/svc/health/node-state')).body,
      overview: JSON.parse((await call('GET', '/svc/health')).body),
      head: (await call('HEAD', '/svc/health')).headers.get('hazelcast-clusterstate'),
      ready: (await call('GET', '/svc/health/ready')).status,
    });
    const before = await states();

    expectJson(await changeState(state), { status: 'success', state: shown });
    const name = shown.toUpperCase();
    expect(await states()).toEqual({
      management: `{"status":"success","state":"${shown}"}`,
      cluster: `"${name}"`,
      node: `"${node}"`,
      overview: { ...before.overview, clusterState: name, nodeState: node },
      head: name,
      ready: 200,
    });
    expectJson(await changeState(shown), { status: 'fail', state: shown });

    expectJson(await changeState('active'), { status: 'success', state: 'active' });
    expect(await states()).toEqual(before);
    expectJson(await changeState('active'), { status: 'fail', state: 'active' });
  });

  test.each([
    'in_transition',
    'IN_TRANSITION',
    'frozen ',
    ' frozen',
    'molten',
    '',
    'frozen%00',
    'x'.repeat(9000),
  ])('%j is no state to change to: 500, and nothing changes', async (state) => {
    const member = await startManaged();
    const before = await stateOf(member);
    expect(await member.changeState(state)).toMatchObject(empty(500));
    expect(await stateOf(member)).toEqual(before);
  });

  test('PASSIVE takes reads and no writes, and loses nothing', async () => {
    const { call, post, changeState } = await startManaged();
    await post('/svc/rest/maps/m/k', 'v');
    await post('/svc/rest/queues/q', 'first');
    await changeState('passive');

    for (const [method, path] of [
      ['POST', '/svc/rest/maps/m/k'],
      ['PUT', '/svc/rest/maps/m/new'],
      ['DELETE', '/svc/rest/maps/m/k'],
      ['DELETE', '/svc/rest/maps/m'],
      ['POST', '/svc/rest/queues/q'],
      ['POST', '/svc/rest/queues/q/second'],
      ['DELETE', '/svc/rest/queues/q/0'],
      ['DELETE', '/svc/rest/queues/none/5'],
      ['GET', '/svc/rest/queues/q/0'],
    ] as const) {
      const init = method === 'POST' || method === 'PUT' ? { body: 'w' } : {};
      expect(await call(method, path, init), `${method} ${path}`).toMatchObject(empty(500));
    }
    expect(await call('GET', '/svc/rest/maps/m/k')).toMatchObject({ status: 200, body: 'v' });
    expect(await call('GET', '/svc/rest/maps/m/new')).toMatchObject(empty(204));
    expect(await call('GET', '/svc/rest/queues/q/size')).toMatchObject({ body: '1' });

    await changeState('frozen');
    expect(await post('/svc/rest/maps/m/new', 'w')).toMatchObject(empty(200));
    expect(await call('DELETE', '/svc/rest/queues/q/0')).toMatchObject({ status: 200, body: 'first' });
  });
});

describe('cluster version', () => {
  test.each(['5.5', '5.5.0', '5.5.3'])('%s is the one that the member runs at', async (version) => {
    const { post } = await startManaged();
    expectJson(await post(`${management}/version`, `dev&&${version}`), { status: 'success', version: '5.5' });
  });

  test.each([
    '5.6',
    '5.4',
    '6.0',
    '5',
    '5.',
    '.5',
    'v5.5',
    '5.5.0.1',
    '5.5-SNAPSHOT',
    '-5.5',
    ' 5.5',
    '5.5x',
    '',
  ])('%j is refused with 500', async (version) => {
    const { call, post } = await startManaged();
    expect(await post(`${management}/version`, `dev&&${version}`)).toMatchObject(empty(500));
    expect((await call('GET', `${management}/version`)).body).toBe('{"status":"success","version":"5.5"}');
  });
});

test('the connections that a member counts are those that are open', async () => {
  const { port } = await startManaged();
  const requester = await connectRaw(port);
  let asked = 0;
  const count = async () => {
    requester.send('GET /svc/rest/cluster HTTP/1.1\r\nHost: m\r\n\r\n');
    asked += 1;
    const replies = await requester.received((text) => countOf(text, '"allConnectionCount"') === asked);
    const [, own, all] = /"connectionCount":(\d+),"allConnectionCount":(\d+)}$/.exec(replies)!;
    expect(all).toBe(own);
    return Number(own);
  };
  expect(await count()).toBe(1);
  const [first, second] = [await connectRaw(port), await connectRaw(port)];
  expect(await eventually(count, (open) => open === 3)).toBe(3);
  first.socket.destroy();
  expect(await eventually(count, (open) => open === 2)).toBe(2);
  second.socket.destroy();
  expect(await eventually(count, (open) => open === 1)).toBe(1);
});
