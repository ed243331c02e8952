import { describe, expect, test } from 'vitest';
import type { MemberLog } from '../../member/log.ts';
import { type CallInit, empty, eventually, memberFile, type Reply, startTestMember } from './support.ts';

interface WanOptions {
  /** Ports of the targets. */
  readonly to: number | string;
  readonly publisher?: string;
  /** Of the reference to the replication. */
  readonly ref?: string;
  /** Of the maps that are replicated. */
  readonly map?: string;
  readonly more?: string;
}

const wanOn =
  'network: { rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true }, WAN: { enabled: true } } } }';

/** A member whose maps `orders*` go to the members at a port of this machine. */
function sourceFile({ to, publisher = '', ref = '', map = '', more = '' }: WanOptions): string {
  return `svc:
  ${wanOn}
  wan-replication:
    atlantic:
      batch-publisher:
        london:
          cluster-name: london
          target-endpoints: ${typeof to === 'number' ? `127.0.0.1:${to}` : to}
          batch-max-delay-millis: 20
          response-timeout-millis: 5000
          ${publisher}
  map:
    default: {}
    orders*: { wan-replication-ref: { atlantic: { ${ref} } }, ${map} }
  ${more}
`;
}

function targetFile(more = ''): string {
  return `svc:\n  cluster-name: london\n  ${wanOn}\n  ${more}\n`;
}

type TestMember = Awaited<ReturnType<typeof startTestMember>>;

const put = (member: TestMember, path: string, body: string, init: CallInit = {}) =>
  member.call('POST', `/svc/rest/maps/${path}`, { body, ...init });
const read = (member: TestMember, path: string) => member.call('GET', `/svc/rest/maps/${path}`);
const wan = (member: TestMember, path: string, ...values: string[]): Promise<Reply> =>
  member.call('POST', `/svc/rest/wan/${path}`, { body: ['dev', '', ...values].join('&') });
const holds = (member: TestMember, path: string, body: string) =>
  eventually(
    () => read(member, path),
    (reply) => reply.body === body,
  );
const isGone = (member: TestMember, path: string) =>
  eventually(
    () => read(member, path),
    ({ status }) => status === 204,
  );
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function finished(member: TestMember, reply: Reply): Promise<Record<string, unknown>> {
  expect(reply.status, reply.body).toBe(200);
  const { uuid } = JSON.parse(reply.body) as { uuid: string };
  const ask = () => member.call('GET', `/svc/rest/wan/sync/progress/${uuid}`);
  const last = await eventually(ask, ({ body }) => /FINISHED|FAILED/.test(body));
  return (JSON.parse(last.body) as { result: Record<string, unknown> }).result;
}

/** Two members, the first of which replicates to the second. */
async function startPair(options: Omit<WanOptions, 'to'> = {}, target = targetFile(), log?: MemberLog) {
  const to = await startTestMember(target);
  const from = await startTestMember(sourceFile({ ...options, to: to.port }), log ? { log } : {});
  return { from, to };
}

describe('what is written here is soon over there', () => {
  test('values with their bytes and types, removals, and a cleared map', async () => {
    const { from, to } = await startPair();
    const bytes = new Uint8Array([0, 10, 13, 34, 255]);
    await from.call('POST', '/svc/rest/maps/orders/a%2Fb%20%C3%BC', { body: bytes, type: 'Image/X; q="1"' });
    await put(from, 'orders/second', 'two');
    await holds(to, 'orders/second', 'two');
    const reply = await fetch(`${to.address}/svc/rest/maps/orders/a%2Fb%20%C3%BC`);
    expect(reply.headers.get('content-type')).toBe('Image/X; q="1"');
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(bytes);

    await from.call('DELETE', '/svc/rest/maps/orders/second');
    await isGone(to, 'orders/second');
    await put(from, 'orders-eu/third', 'three');
    await from.call('DELETE', '/svc/rest/maps/orders');
    await isGone(to, 'orders/a%2Fb%20%C3%BC');
    await holds(to, 'orders-eu/third', 'three');
  });

  test('maps without a reference stay at home', async () => {
    const { from, to } = await startPair();
    await put(from, 'private/x', '1');
    await put(from, 'orders/x', '1');
    await holds(to, 'orders/x', '1');
    expect(await read(to, 'private/x')).toMatchObject({ status: 204 });
  });

  test('many changes arrive in order: the last value of every key wins', async () => {
    const { from, to } = await startPair({ publisher: 'batch-size: 7' });
    await Promise.all(
      Array.from({ length: 40 }, async (_, key) => {
        for (let value = 0; value < 5; value += 1) await put(from, `orders/${key}`, `${value}`);
      }),
    );
    for (let key = 0; key < 40; key += 1) await holds(to, `orders/${key}`, '4');
  });

  test('two clusters that replicate to each other do not send a change round and round', async () => {
    const first = await startTestMember(sourceFile({ to: 1 }));
    const second = await startTestMember(
      sourceFile({ to: first.port, ref: 'republishing-enabled: true' }).replace(
        'svc:',
        'svc:\n  cluster-name: london',
      ),
    );
    const back = { name: 'back', batchPublishers: [publisherTo(second.port)] };
    // The first one is `dev`: its own publisher `london` goes nowhere, so it gets one that does.
    const replaced = {
      name: 'atlantic',
      batchPublishers: [{ ...publisherTo(second.port), publisherId: 'second' }],
    };
    expect((await wan(first, 'addWanConfig', encodeURIComponent(JSON.stringify(back)))).status).toBe(200);
    expect((await wan(first, 'addWanConfig', encodeURIComponent(JSON.stringify(replaced)))).status).toBe(200);
    await put(first, 'orders/k', 'once');
    await holds(second, 'orders/k', 'once');
    await put(first, 'orders/k', 'twice');
    await holds(second, 'orders/k', 'twice');
    await pause(300);
    expect((await read(first, 'orders/k')).body).toBe('twice');
  });

  test('a change goes on to a third cluster where republishing is enabled', async () => {
    const last = await startTestMember(targetFile());
    const middle = await startTestMember(
      sourceFile({ to: last.port, ref: 'republishing-enabled: true' }).replace(
        'svc:',
        'svc:\n  cluster-name: middle',
      ),
    );
    const first = await startTestMember(
      sourceFile({ to: middle.port }).replace('cluster-name: london', 'cluster-name: middle'),
    );
    await put(first, 'orders/k', 'far');
    await holds(last, 'orders/k', 'far');
    await first.call('DELETE', '/svc/rest/maps/orders/k');
    await isGone(last, 'orders/k');
  });

  test('a secured cluster takes changes of an identity that its realm knows, and of no other', async () => {
    const secured = targetFile(`security:
    enabled: true
    realms: [{ name: r, authentication: { simple: { users: [{ username: 'peer&+%', password: 'p&+% w' }] } } }]
    member-authentication: { realm: r }`);
    const identity = (password: string) => `security:
    realms: [{ name: me, identity: { username-password: { username: 'peer&+%', password: '${password}' } } }]
    member-authentication: { realm: me }`;
    const { from, to } = await startPair({ more: identity('p&+% w') }, secured);
    await put(from, 'orders/k', 'known');
    await holds(to, 'orders/k', 'known');
    const stranger = await startTestMember(sourceFile({ to: to.port, more: identity('wrong') }));
    await put(stranger, 'orders/k', 'unknown');
    await pause(300);
    expect((await read(to, 'orders/k')).body).toBe('known');
  });
});

describe('a publisher', () => {
  test('paused queues and does not send; resumed it catches up', async () => {
    const { from, to } = await startPair();
    expect(await wan(from, 'pausePublisher', 'atlantic', 'london')).toMatchObject({
      status: 200,
      body: '{"status":"success","message":"WAN publisher paused"}',
    });
    await put(from, 'orders/k', '1');
    await pause(200);
    expect((await read(to, 'orders/k')).status).toBe(204);
    expect(await wan(from, 'resumePublisher', 'atlantic', 'london')).toMatchObject({
      body: '{"status":"success","message":"WAN publisher resumed"}',
    });
    await holds(to, 'orders/k', '1');
  });

  test('stopped does neither, and a synchronisation works all the same', async () => {
    const { from, to } = await startPair();
    expect(await wan(from, 'stopPublisher', 'atlantic', 'london')).toMatchObject({
      body: '{"status":"success","message":"WAN publisher stopped"}',
    });
    await put(from, 'orders/lost', '1');
    await wan(from, 'resumePublisher', 'atlantic', 'london');
    await put(from, 'orders/seen', '2');
    await holds(to, 'orders/seen', '2');
    expect((await read(to, 'orders/lost')).status).toBe(204);
    await wan(from, 'stopPublisher', 'atlantic', 'london');
    await finished(from, await wan(from, 'sync/map', 'atlantic', 'london', 'orders'));
    expect((await read(to, 'orders/lost')).body).toBe('1');
  });

  test('with cleared queues sends what comes later only', async () => {
    const { from, to } = await startPair({ publisher: 'initial-publisher-state: PAUSED' });
    await put(from, 'orders/before', '1');
    expect(await wan(from, 'clearWanQueues', 'atlantic', 'london')).toMatchObject({
      body: '{"status":"success","message":"WAN replication queues are cleared."}',
    });
    await put(from, 'orders/after', '2');
    await wan(from, 'resumePublisher', 'atlantic', 'london');
    await holds(to, 'orders/after', '2');
    expect((await read(to, 'orders/before')).status).toBe(204);
  });

  test.each([
    { behavior: 'DISCARD_AFTER_MUTATION', state: 'REPLICATING', isTaken: true },
    { behavior: 'DISCARD_AFTER_MUTATION', state: 'PAUSED', isTaken: true },
    { behavior: 'THROW_EXCEPTION', state: 'REPLICATING', isTaken: false },
    { behavior: 'THROW_EXCEPTION', state: 'PAUSED', isTaken: false },
    { behavior: 'THROW_EXCEPTION', state: 'STOPPED', isTaken: true },
    { behavior: 'THROW_EXCEPTION_ONLY_IF_REPLICATION_ACTIVE', state: 'REPLICATING', isTaken: false },
    { behavior: 'THROW_EXCEPTION_ONLY_IF_REPLICATION_ACTIVE', state: 'PAUSED', isTaken: true },
  ])(
    'with a full queue, $behavior and $state: a write is taken: $isTaken',
    async ({ behavior, state, isTaken }) => {
      const publisher = `queue-capacity: 2\n          queue-full-behavior: ${behavior}\n          initial-publisher-state: ${state}`;
      const from = await startTestMember(sourceFile({ to: 1, publisher }));
      await put(from, 'orders/1', 'a');
      await put(from, 'orders/2', 'b');
      const outcome = isTaken ? empty(200) : empty(500);
      expect(await put(from, 'orders/1', 'changed')).toMatchObject(outcome);
      expect((await read(from, 'orders/1')).body).toBe(isTaken ? 'changed' : 'a');
      expect(await from.call('DELETE', '/svc/rest/maps/orders/2')).toMatchObject(outcome);
      expect((await read(from, 'orders/2')).status).toBe(isTaken ? 204 : 200);
      expect(await from.call('DELETE', '/svc/rest/maps/orders')).toMatchObject(outcome);
      expect(await put(from, 'elsewhere/1', 'no queue'), 'other maps are not touched').toMatchObject(
        empty(200),
      );
    },
  );

  test('tries the next endpoint when one does not answer', async () => {
    const to = await startTestMember(targetFile());
    const from = await startTestMember(sourceFile({ to: `127.0.0.1:1,127.0.0.1:${to.port}` }));
    await put(from, 'orders/k', 'second');
    await holds(to, 'orders/k', 'second');
  });

  test('sends again until a target in state PASSIVE takes writes again', async () => {
    const { from, to } = await startPair();
    const changeState = (state: string) =>
      to.call('POST', '/svc/rest/management/cluster/changeState', { body: `london&&${state}` });
    const file = targetFile().replace('WAN:', 'CLUSTER_WRITE: { enabled: true }, WAN:');
    const gated = await startTestMember(file);
    expect((await changeState('passive')).status, 'CLUSTER_WRITE is off').toBe(403);
    const source = await startTestMember(sourceFile({ to: gated.port }));
    const set = (state: string) =>
      gated.call('POST', '/svc/rest/management/cluster/changeState', { body: `london&&${state}` });
    expect((await set('passive')).status).toBe(200);
    await put(source, 'orders/k', 'patient');
    await pause(300);
    expect((await read(gated, 'orders/k')).status).toBe(204);
    expect((await set('active')).status).toBe(200);
    await holds(gated, 'orders/k', 'patient');
    await put(from, 'orders/k', 'x');
    await holds(to, 'orders/k', 'x');
  });

  test('is added while the member runs, once', async () => {
    const to = await startTestMember(targetFile());
    const from = await startTestMember(sourceFile({ to: 1 }));
    const config = {
      name: 'atlantic',
      batchPublishers: [{ ...publisherTo(to.port), publisherId: 'paris' }, publisherTo(to.port)],
    };
    const add = () => wan(from, 'addWanConfig', encodeURIComponent(JSON.stringify(config)));
    expect(await add()).toMatchObject({
      status: 200,
      body: '{"status":"success","message":"WAN configuration added.","addedPublisherIds":["paris"],"ignoredPublisherIds":["london"]}',
    });
    expect((await add()).body).toContain('"addedPublisherIds":[],"ignoredPublisherIds":["paris","london"]');
    await put(from, 'orders/k', 'new');
    await holds(to, 'orders/k', 'new');
  });
});

describe('a synchronisation', () => {
  test('brings whole maps over, in true progress, and removes nothing there', async () => {
    const { from, to } = await startPair({ publisher: 'initial-publisher-state: STOPPED' });
    for (let key = 0; key < 60; key += 1) await put(from, `orders/${key}`, `v${key}`);
    await put(from, 'orders-eu/1', 'eu');
    await put(to, 'orders/theirs', 'stays');
    const result = await finished(from, await wan(from, 'sync/map', 'atlantic', 'london', 'orders'));
    expect(result).toEqual({
      stage: 'FINISHED',
      progress: 100,
      wanReplicationName: 'atlantic',
      wanPublisherId: 'london',
      creationTime: expect.any(Number),
    });
    for (let key = 0; key < 60; key += 1) expect((await read(to, `orders/${key}`)).body).toBe(`v${key}`);
    expect((await read(to, 'orders-eu/1')).status).toBe(204);
    expect((await read(to, 'orders/theirs')).body).toBe('stays');
    await finished(from, await wan(from, 'sync/allmaps', 'atlantic', 'london'));
    expect((await read(to, 'orders-eu/1')).body).toBe('eu');
  });

  test('fails, and says so, when nobody is there', async () => {
    const from = await startTestMember(sourceFile({ to: 1, publisher: 'initial-publisher-state: STOPPED' }));
    await put(from, 'orders/k', '1');
    const result = await finished(from, await wan(from, 'sync/map', 'atlantic', 'london', 'orders'));
    expect(result).toMatchObject({ stage: 'FAILED', progress: expect.any(Number) });
    expect(result.progress).toBeLessThan(100);
  });

  test('moves only what a consistency check found, and what was written since', async () => {
    const lines: { fields: Record<string, unknown>; message: string }[] = [];
    const record = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message });
    const log = { debug: record, info: record, warn: record, error: record };
    const { from, to } = await startPair(
      {
        publisher:
          'initial-publisher-state: STOPPED\n          sync: { consistency-check-strategy: MERKLE_TREES }',
        map: 'merkle-tree: { enabled: true, depth: 6 }',
      },
      targetFile(),
      log,
    );
    for (let key = 0; key < 200; key += 1) await put(from, `orders/${key}`, `v${key}`);
    await finished(from, await wan(from, 'sync/map', 'atlantic', 'london', 'orders'));
    await put(to, 'orders/3', 'differs', { type: 'text/plain' });
    await to.call('DELETE', '/svc/rest/maps/orders/77');
    await put(to, 'orders/theirs', 'stays');

    const checked = await finished(
      from,
      await wan(from, 'consistencyCheck/map', 'atlantic', 'london', 'orders'),
    );
    expect(checked).toMatchObject({ stage: 'FINISHED', progress: 100 });
    expect(lines.find(({ message }) => message.includes('compared'))!.fields).toMatchObject({
      checkedEntries: 200,
      differingEntries: 2,
    });
    await put(from, 'orders/99', 'since');
    await finished(from, await wan(from, 'sync/map', 'atlantic', 'london', 'orders'));
    const moved = lines
      .filter(({ message }) => message === 'WAN synchronisation finished')
      .map(({ fields }) => fields.entries);
    expect(moved).toEqual([200, 3]);
    expect((await read(to, 'orders/3')).body).toBe('v3');
    expect((await read(to, 'orders/77')).body).toBe('v77');
    expect((await read(to, 'orders/99')).body).toBe('since');
    expect((await read(to, 'orders/theirs')).body).toBe('stays');

    await finished(from, await wan(from, 'consistencyCheck/map', 'atlantic', 'london', 'orders'));
    expect(lines.findLast(({ message }) => message.includes('compared'))!.fields).toMatchObject({
      differingEntries: 0,
    });
  });
});

describe('bad input changes nothing', () => {
  const uuid = '00000000-0000-0000-0000-000000000000';
  test.each([
    ['pausePublisher', 'dev&&atlantic', 400],
    ['pausePublisher', '', 400],
    ['pausePublisher', 'wrong&&atlantic&london', 403],
    ['pausePublisher', 'dev&&nowhere&london', 500],
    ['pausePublisher', 'dev&&atlantic&nobody', 500],
    ['pausePublisher', 'dev&&atlantic&%zz', 500],
    ['sync/map', 'dev&&atlantic&london', 400],
    ['sync/map', 'dev&&atlantic&london&private', 500],
    ['consistencyCheck/map', 'dev&&atlantic&london&orders', 500],
    ['addWanConfig', 'dev&&', 500],
    ['addWanConfig', 'dev&&{"name":"x"', 500],
    [
      'addWanConfig',
      `dev&&${encodeURIComponent('{"name":"x","batchPublishers":[{"clusterName":"c"}]}')}`,
      500,
    ],
    ['addWanConfig', `dev&&${encodeURIComponent('{"name":"x","customPublishers":[{}]}')}`, 500],
    ['replication/changes', 'no line', 400],
    ['replication/changes', 'wrong&\n["orders","k",null,1]\nx', 403],
    ['replication/changes', 'dev&\n["orders","k",null,5]\nx', 400],
    ['replication/changes', 'dev&\n["orders",1,null,1]\nx', 400],
    ['replication/changes', 'dev&\n["orders",null,null,1]\nx', 400],
    ['replication/changes', 'dev&\n[]\n', 400],
    ['replication/compare', 'dev&\n"orders"\n123', 400],
    ['replication/compare', 'dev&\n', 400],
  ])('POST %s with %j is %i', async (path, body, status) => {
    const from = await startTestMember(sourceFile({ to: 1 }));
    await put(from, 'orders/k', 'kept');
    expect((await from.call('POST', `/svc/rest/wan/${path}`, { body })).status).toBe(status);
    expect((await read(from, 'orders/k')).body).toBe('kept');
    expect(await from.call('GET', `/svc/rest/wan/sync/progress/${uuid}`)).toMatchObject(empty(500));
  });

  test('with the group off everything is 403', async () => {
    const member = await startTestMember(memberFile());
    expect(await wan(member, 'pausePublisher', 'atlantic', 'london')).toMatchObject(empty(403));
    expect(await wan(member, 'replication/changes')).toMatchObject(empty(403));
  });
});

function publisherTo(port: number) {
  return {
    clusterName: 'london',
    publisherId: 'london',
    targetEndpoints: `127.0.0.1:${port}`,
    batchMaxDelayMillis: 20,
  };
}
