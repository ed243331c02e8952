import { describe, expect, test } from 'vitest';
import { connectRaw, empty, eventually, memberFile, startTestMember } from './support.ts';

const map = '/svc/rest/maps/m';
const queue = '/svc/rest/queues/q';

describe('sizes over a limit are 413 with an empty body, and nothing is stored (S73)', () => {
  const file = memberFile('limits: { body-bytes: 1000, key-bytes: 10 }');

  test.each([
    { name: 'a map value', path: `${map}/k` },
    { name: 'a queue item', path: queue },
  ])('$name', async ({ path }) => {
    const { call } = await startTestMember(file);
    expect(await call('POST', path, { body: 'x'.repeat(1001) })).toMatchObject(empty(413));
    expect(await call('GET', `${map}/k`)).toMatchObject(empty(204));
    expect(await call('GET', `${queue}/size`)).toMatchObject({ body: '0' });
    expect(await call('POST', path, { body: 'x'.repeat(1000) })).toMatchObject(empty(200));
  });

  test('a declared body is refused before any of it is sent', async () => {
    const { port } = await startTestMember(file);
    const raw = await connectRaw(port);
    raw.send(`POST ${map}/k HTTP/1.1\r\nHost: m\r\nContent-Length: 1001\r\n\r\n`);
    expect(await raw.received((text) => text.includes('\r\n\r\n'))).toMatch(
      /^HTTP\/1\.1 413 .*\r\nContent-Length: 0\r\n/,
    );
  });

  test('a chunked body is refused when it grows over the limit, and the connection goes on', async () => {
    const { port } = await startTestMember(file);
    const raw = await connectRaw(port);
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    raw.send(`POST ${map}/k HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`);
    expect(await raw.received((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 413 /);
    raw.send(`${chunk}0\r\n\r\nGET ${map}/k HTTP/1.1\r\nHost: m\r\n\r\n`);
    expect(await raw.received((text) => text.includes('204'))).toContain('HTTP/1.1 204 No Content');
  });

  test.each(['0123456789a', 'gr%C3%BC%C3%9F%E2%82%AC%E2%82%AC'])('the key %s', async (key) => {
    const { call } = await startTestMember(file);
    expect(await call('POST', `${map}/${key}`, { body: 'v' })).toMatchObject(empty(413));
    expect(await call('GET', `/svc/rest/maps/${key}/k`)).toMatchObject(empty(413));
    expect(await call('POST', `/svc/rest/queues/${key}`, { body: 'v' })).toMatchObject(empty(413));
    expect(await call('POST', `${map}/0123456789`, { body: 'v' })).toMatchObject(empty(200));
  });
});

describe('a full memory is 503 with an empty body, and nothing is stored (S73)', () => {
  const file = memberFile('limits: { memory-bytes: 10000 }');
  const body = 'x'.repeat(4000);

  test('maps and queues share it, and what is removed makes room', async () => {
    const { call } = await startTestMember(file);
    expect(await call('POST', `${map}/a`, { body })).toMatchObject(empty(200));
    expect(await call('POST', queue, { body })).toMatchObject(empty(200));
    expect(await call('POST', `${map}/b`, { body })).toMatchObject(empty(503));
    expect(await call('POST', queue, { body })).toMatchObject(empty(503));
    expect(await call('GET', `${map}/b`)).toMatchObject(empty(204));
    expect(await call('GET', `${queue}/size`)).toMatchObject({ body: '1' });
    expect(await call('GET', `${map}/a`)).toMatchObject({ body });

    for (const [method, path] of [
      ['DELETE', `${map}/a`],
      ['DELETE', `${queue}/0`],
    ] as const) {
      expect(await call(method, path)).toMatchObject({ status: 200 });
      expect(await call('POST', `${map}/a`, { body })).toMatchObject(empty(200));
    }
    expect(await call('DELETE', map)).toMatchObject(empty(200));
    expect(await call('POST', queue, { body })).toMatchObject(empty(200));
  });

  test('a replaced value gives its room to the new one', async () => {
    const { call } = await startTestMember(memberFile('limits: { memory-bytes: 13000 }'));
    for (let i = 0; i < 20; i += 1) {
      expect(await call('POST', `${map}/a`, { body: 'x'.repeat(6000) }), String(i)).toMatchObject(empty(200));
    }
  });

  test('bodies that are still arriving count', async () => {
    const { call, port } = await startTestMember(file);
    const raw = await connectRaw(port);
    raw.send(`POST ${map}/a HTTP/1.1\r\nHost: m\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(8000)}`);
    await eventually(
      () => call('POST', `${map}/b`, { body }),
      ({ status }) => status === 503,
    );
    raw.socket.destroy();
    await eventually(
      () => call('POST', `${map}/b`, { body }),
      ({ status }) => status === 200,
    );
    expect(await call('GET', `${map}/a`)).toMatchObject(empty(204));
  });

  test('expired entries make room without being asked for', async () => {
    let now = 0;
    const { call } = await startTestMember(`${file}  map: { default: { time-to-live-seconds: 1 } }\n`, {
      now: () => now,
    });
    await call('POST', `${map}/a`, { body: 'x'.repeat(9000) });
    expect(await call('POST', `${map}/b`, { body })).toMatchObject(empty(503));
    now = 1000;
    await eventually(
      () => call('POST', `${map}/b`, { body }),
      ({ status }) => status === 200,
    );
  });
});

describe('a MIME type that is no header field is 400, and nothing is stored (S69)', () => {
  test.each([
    { name: 'over 256 bytes', field: `a/${'b'.repeat(255)}` },
    { name: 'bytes beyond ASCII', field: 'text/pl\xc3\xa4in' },
    { name: 'a bare LF and a field behind it', field: 'a/b\nSet-Cookie: s=1' },
    { name: 'a bare CR', field: 'a/b\rc' },
    { name: 'a folded line', field: 'a/b\r\n c' },
    { name: 'a NUL', field: 'a/b\0c' },
  ])('$name', async ({ field }) => {
    const { call, port } = await startTestMember();
    for (const path of [`${map}/k`, queue]) {
      const raw = await connectRaw(port);
      raw.send(`POST ${path} HTTP/1.1\r\nHost: m\r\nContent-Type: ${field}\r\nContent-Length: 1\r\n\r\nv`);
      expect(await raw.received((text) => text.includes('\r\n\r\n'))).toMatch(
        /^HTTP\/1\.1 400 .*\r\nContent-Length: 0\r\n/,
      );
    }
    expect(await call('GET', `${map}/k`)).toMatchObject(empty(204));
    expect(await call('GET', `${queue}/size`)).toMatchObject({ body: '0' });
  });

  test('256 bytes are stored', async () => {
    const { call } = await startTestMember();
    const type = `a/${'b'.repeat(254)}`;
    expect(await call('POST', `${map}/k`, { body: 'v', type })).toMatchObject(empty(200));
    expect(await call('GET', `${map}/k`)).toMatchObject({ type });
  });
});
