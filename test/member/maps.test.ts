import { describe, expect, test } from 'vitest';
import { connectRaw, empty, memberFile, startTestMember } from './support.ts';

const maps = '/svc/rest/maps';

describe('map entries', () => {
  test('are stored with their MIME type, as sent, and read back byte for byte', async () => {
    const { call, address } = await startTestMember();
    const body = Uint8Array.from({ length: 256 }, (_, i) => i);
    expect(await call('POST', `${maps}/m/k`, { body, type: 'Text/X-Odd; Charset=UTF-8' })).toMatchObject(
      empty(200),
    );

    const res = await fetch(`${address}${maps}/m/k`);
    expect(res.headers.get('content-type')).toBe('Text/X-Odd; Charset=UTF-8');
    expect(res.headers.get('content-length')).toBe('256');
    expect(new Uint8Array(await res.arrayBuffer())).toEqual(body);
  });

  test('have no Content-Type when none was sent', async () => {
    const { call } = await startTestMember();
    await call('POST', `${maps}/m/k`, { body: 'v' });
    expect(await call('GET', `${maps}/m/k`)).toMatchObject({
      status: 200,
      body: 'v',
      type: null,
      length: '1',
    });
  });

  test('are replaced by a second POST, MIME type included', async () => {
    const { call } = await startTestMember();
    await call('POST', `${maps}/m/k`, { body: 'one', type: 'text/plain' });
    await call('POST', `${maps}/m/k`, { body: 'second' });
    expect(await call('GET', `${maps}/m/k`)).toMatchObject({ body: 'second', type: null });
  });

  test('may be empty, which is not the same as absent', async () => {
    const { call } = await startTestMember();
    await call('POST', `${maps}/m/k`);
    expect(await call('GET', `${maps}/m/k`)).toMatchObject({ status: 200, body: '', length: '0' });
    expect(await call('GET', `${maps}/m/other`)).toMatchObject(empty(204));
  });

  test('are removed one by one, and 200 says nothing of whether one was there', async () => {
    const { call } = await startTestMember();
    await call('POST', `${maps}/m/k`, { body: 'v' });
    await call('POST', `${maps}/m/l`, { body: 'v' });
    expect(await call('DELETE', `${maps}/m/k`)).toMatchObject(empty(200));
    expect(await call('DELETE', `${maps}/m/k`)).toMatchObject(empty(200));
    expect(await call('GET', `${maps}/m/k`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/m/l`)).toMatchObject({ status: 200 });
  });

  test('are all removed when the key is left out, in that map alone', async () => {
    const { call } = await startTestMember();
    for (const path of ['m/a', 'm/b', 'other/a']) await call('POST', `${maps}/${path}`, { body: 'v' });
    expect(await call('DELETE', `${maps}/m`)).toMatchObject(empty(200));
    expect(await call('GET', `${maps}/m/a`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/m/b`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/other/a`)).toMatchObject({ status: 200 });
  });

  test('stay when a DELETE ends in the slash after the map name', async () => {
    const { call } = await startTestMember();
    await call('POST', `${maps}/m/k`, { body: 'v' });
    expect(await call('DELETE', `${maps}/m/`)).toMatchObject(empty(200));
    expect(await call('GET', `${maps}/m/k`)).toMatchObject({ body: 'v' });
  });

  test("answer the real engine's names too: PUT, HEAD and the first segment hazelcast", async () => {
    const { call } = await startTestMember();
    expect(await call('PUT', '/hazelcast/rest/maps/m/k', { body: 'v', type: 'a/b' })).toMatchObject(
      empty(200),
    );
    expect(await call('GET', `${maps}/m/k`)).toMatchObject({ body: 'v', type: 'a/b' });
    expect(await call('HEAD', `${maps}/m/k`)).toMatchObject(empty(200));
    expect(await call('HEAD', `${maps}/m/absent`)).toMatchObject(empty(200));
  });
});

describe('names and keys are percent-encoded and decoded once', () => {
  test.each([
    { stored: 'm/a%2Fb', read: 'm/a%2fb' },
    { stored: 'm/%40', read: 'm/@' },
    { stored: 'm/%6B', read: 'm/k' },
    { stored: 'm/gr%C3%BC%C3%9Fe%20%E2%82%AC', read: 'm/gr%c3%bc%c3%9fe%20%e2%82%ac' },
    { stored: 'm/k/', read: 'm/k' },
    { stored: 'm/k', read: 'm/k/' },
    { stored: 'm/a/b', read: 'm/a%2Fb' },
    { stored: 'm%2Fn/k', read: 'm%2Fn/k' },
    { stored: 'm/..', read: 'm/%2E%2E' },
    { stored: 'm/__proto__', read: 'm/__proto__' },
  ])('$stored is read as $read', async ({ stored, read }) => {
    const member = await startTestMember();
    const raw = await connectRaw(member.port); // fetch would resolve the dots
    raw.send(`POST ${maps}/${stored} HTTP/1.1\r\nHost: m\r\nContent-Length: 3\r\n\r\none`);
    raw.send(`GET ${maps}/${read} HTTP/1.1\r\nHost: m\r\n\r\n`);
    expect(await raw.received((text) => text.endsWith('one'))).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*200 OK[\s\S]*one$/,
    );
  });

  test.each([
    { stored: 'm/a%2Fb', other: 'm/a' },
    { stored: 'm/a%252Fb', other: 'm/a%2Fb' },
    { stored: 'm/a+b', other: 'm/a%20b' },
    { stored: 'm/k', other: 'm/K' },
    { stored: 'm/k%2F', other: 'm/k' },
    { stored: 'm%2Fk/l', other: 'm/k%2Fl' },
  ])('$stored is not $other', async ({ stored, other }) => {
    const { call } = await startTestMember();
    expect(await call('POST', `${maps}/${stored}`, { body: 'v' })).toMatchObject(empty(200));
    expect(await call('GET', `${maps}/${other}`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/${stored}`)).toMatchObject({ body: 'v' });
  });

  test.each([
    { name: 'half an escape', path: 'm/a%2' },
    { name: 'no hexadecimal escape', path: 'm/a%zz' },
    { name: 'a lone percent', path: '%/a' },
    { name: 'bytes that are no UTF-8', path: 'm/%ff%fe' },
    { name: 'overlong UTF-8', path: 'm/%c0%af' },
    { name: 'no map name', path: '/k' },
    { name: 'no key', path: 'm' },
    { name: 'no key but its slash', path: 'm/' },
    { name: 'neither', path: '' },
    { name: 'an unescaped question mark', path: 'm/k?x' },
  ])('$name is 400 with an empty body, and the connection goes on', async ({ path }) => {
    const member = await startTestMember();
    await member.call('POST', `${maps}/m/k`, { body: 'before' });
    const raw = await connectRaw(member.port);
    raw.send(`POST ${maps}/${path} HTTP/1.1\r\nHost: m\r\nContent-Length: 5\r\n\r\nafter`);
    raw.send(`GET ${maps}/m/k HTTP/1.1\r\nHost: m\r\n\r\n`);
    const text = await raw.received((received) => received.endsWith('before'));
    expect(text).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Length: 0\r\n[\s\S]*HTTP\/1\.1 200 OK[\s\S]*before$/,
    );
  });
});

describe('map configuration', () => {
  const file = memberFile(`map:
  orders: {}
  cache-*: { time-to-live-seconds: 10 }
  cache-idle-*: { max-idle-seconds: 10 }
  both: { time-to-live-seconds: 15, max-idle-seconds: 10 }`);

  test('decides which names exist: without a default another name is 400', async () => {
    const { call } = await startTestMember(file);
    expect(await call('POST', `${maps}/orders/k`, { body: 'v' })).toMatchObject(empty(200));
    for (const [method, path] of [
      ['POST', 'other/k'],
      ['GET', 'other/k'],
      ['HEAD', 'other/k'],
      ['DELETE', 'other/k'],
      ['DELETE', 'other'],
      ['DELETE', 'other/'],
    ] as const) {
      expect(await call(method, `${maps}/${path}`), `${method} ${path}`).toMatchObject(empty(400));
    }
  });

  test('lets entries expire after their time to live, written anew with each POST', async () => {
    let now = 0;
    const { call } = await startTestMember(file, { now: () => now });
    await call('POST', `${maps}/cache-a/k`, { body: 'v' });
    await call('POST', `${maps}/orders/k`, { body: 'v' });
    now = 9_999;
    expect(await call('GET', `${maps}/cache-a/k`)).toMatchObject({ status: 200 });
    await call('POST', `${maps}/cache-a/l`, { body: 'v' });
    now = 10_000;
    expect(await call('GET', `${maps}/cache-a/k`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/cache-a/l`)).toMatchObject({ status: 200 });
    expect(await call('GET', `${maps}/orders/k`)).toMatchObject({ status: 200 });
  });

  test('lets idle entries expire, the longer pattern winning; a read keeps them', async () => {
    let now = 0;
    const { call } = await startTestMember(file, { now: () => now });
    await call('POST', `${maps}/cache-idle-a/k`, { body: 'v' });
    for (now = 9_000; now <= 45_000; now += 9_000) {
      expect(await call('GET', `${maps}/cache-idle-a/k`)).toMatchObject({ status: 200 });
    }
    now += 10_000;
    expect(await call('GET', `${maps}/cache-idle-a/k`)).toMatchObject(empty(204));
  });

  test('ends an entry at its time to live even when it is read all the time', async () => {
    let now = 0;
    const { call } = await startTestMember(file, { now: () => now });
    await call('POST', `${maps}/both/k`, { body: 'v' });
    now = 8_000;
    expect(await call('GET', `${maps}/both/k`)).toMatchObject({ status: 200 });
    now = 15_000;
    expect(await call('GET', `${maps}/both/k`)).toMatchObject(empty(204));
  });
});
