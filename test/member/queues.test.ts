import { describe, expect, test } from 'vitest';
import { empty, memberFile, startTestMember } from './support.ts';

const queues = '/svc/rest/queues';

describe('queues', () => {
  test('hand out items in the order of the offers, as text/plain', async () => {
    const { call } = await startTestMember();
    for (const body of ['one', 'two', 'three']) {
      expect(await call('POST', `${queues}/q`, { body, type: 'application/json' })).toMatchObject(empty(200));
    }
    for (const body of ['one', 'two', 'three']) {
      expect(await call('DELETE', `${queues}/q/1`)).toMatchObject({ status: 200, body, type: 'text/plain' });
    }
    expect(await call('DELETE', `${queues}/q/0`)).toMatchObject(empty(204));
  });

  test('tell their size as text/plain', async () => {
    const { call } = await startTestMember();
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({
      status: 200,
      body: '0',
      type: 'text/plain',
    });
    await call('POST', `${queues}/q/`, { body: 'a' });
    await call('PUT', `${queues}/q`, { body: 'b' });
    expect(await call('GET', `${queues}/q/size/`)).toMatchObject({
      status: 200,
      body: '2',
      type: 'text/plain',
    });
  });

  test('answer 204 when the time is over without an item, and not before', async () => {
    const { call } = await startTestMember();
    const started = performance.now();
    expect(await call('DELETE', `${queues}/q/1`)).toMatchObject(empty(204));
    expect(performance.now() - started).toBeGreaterThan(990);
  });

  test('wake a waiting poll with the offer', async () => {
    const { call } = await startTestMember();
    const polled = call('DELETE', `${queues}/q/20`);
    await call('POST', `${queues}/q`, { body: 'late' });
    expect(await polled).toMatchObject({ status: 200, body: 'late' });
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '0' });
  });

  test("answer the real engine's GET poll with the MIME type that was offered", async () => {
    const { call } = await startTestMember();
    await call('POST', '/hazelcast/rest/queues/q', { body: '{}', type: 'application/json' });
    await call('POST', `${queues}/q`, { body: 'bare' });
    expect(await call('GET', `${queues}/q/1`)).toMatchObject({ body: '{}', type: 'application/json' });
    expect(await call('GET', '/hazelcast/rest/queues/q/1/')).toMatchObject({ body: 'bare', type: null });
  });

  test("take the real engine's item in the path, and HEAD takes none out", async () => {
    const { call } = await startTestMember();
    expect(await call('POST', `${queues}/q/gr%C3%BC%2Fn`, { body: 'discarded' })).toMatchObject(empty(200));
    expect(await call('HEAD', `${queues}/q/1`)).toMatchObject(empty(200));
    expect(await call('GET', `${queues}/q/1`)).toMatchObject({ body: 'grü/n', type: 'text/plain' });
  });

  test('keep names apart: %2F stays inside the name', async () => {
    const { call } = await startTestMember();
    await call('POST', `${queues}/a%2F1`, { body: 'v' });
    expect(await call('DELETE', `${queues}/a/1`)).toMatchObject(empty(204));
    expect(await call('DELETE', `${queues}/a%2f1/1`)).toMatchObject({ body: 'v' });
  });
});

describe('seconds that are none, or over the limit, are 400 with an empty body (S72)', () => {
  const file = memberFile('limits: { poll-seconds: 60 }');

  test.each(
    ['x', '-1', '+1', '1.5', '1e1', '0x1', '%201', '61', '2147483648', '99999999999', '1%2F', ''].flatMap(
      (seconds) => [
        { method: 'GET', seconds },
        { method: 'DELETE', seconds },
      ],
    ),
  )('$method "$seconds"', async ({ method, seconds }) => {
    const { call } = await startTestMember(file);
    await call('POST', `${queues}/q`, { body: 'v' });
    expect(await call(method, `${queues}/q/${seconds}`)).toMatchObject(empty(400));
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
  });

  test('none at all', async () => {
    const { call } = await startTestMember(file);
    await call('POST', `${queues}/q`, { body: 'v' });
    expect(await call('DELETE', `${queues}/q`)).toMatchObject(empty(400));
    expect(await call('DELETE', `${queues}/q/size`)).toMatchObject(empty(400));
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
  });
});

describe('queue configuration', () => {
  const file = memberFile('queue: { jobs: { max-size: 2 }, "*-bounded": { max-size: 1 } }');

  test('a full queue is 503 with an empty body, and the item is not stored (S73)', async () => {
    const { call } = await startTestMember(file);
    await call('POST', `${queues}/jobs`, { body: 'one' });
    await call('POST', `${queues}/jobs/two`);
    expect(await call('POST', `${queues}/jobs`, { body: 'three' })).toMatchObject(empty(503));
    expect(await call('POST', `${queues}/jobs/three`)).toMatchObject(empty(503));
    expect(await call('GET', `${queues}/jobs/size`)).toMatchObject({ body: '2' });

    expect(await call('DELETE', `${queues}/jobs/0`)).toMatchObject({ body: 'one' });
    expect(await call('POST', `${queues}/jobs`, { body: 'four' })).toMatchObject(empty(200));
    expect(await call('DELETE', `${queues}/jobs/0`)).toMatchObject({ body: 'two' });
    expect(await call('DELETE', `${queues}/jobs/0`)).toMatchObject({ body: 'four' });
    expect(await call('DELETE', `${queues}/jobs/0`)).toMatchObject(empty(204));
  });

  test('names the queues that exist: another is 400 for every call', async () => {
    const { call } = await startTestMember(file);
    expect(await call('POST', `${queues}/x-bounded`, { body: 'v' })).toMatchObject(empty(200));
    expect(await call('POST', `${queues}/x-bounded`, { body: 'v' })).toMatchObject(empty(503));
    for (const [method, path] of [
      ['POST', 'other'],
      ['POST', 'other/v'],
      ['GET', 'other/1'],
      ['DELETE', 'other/1'],
      ['GET', 'other/size'],
      ['HEAD', 'other/1'],
    ] as const) {
      expect(await call(method, `${queues}/${path}`), `${method} ${path}`).toMatchObject(empty(400));
    }
  });
});
