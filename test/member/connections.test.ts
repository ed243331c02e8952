import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { connectRaw, empty, pollRequest, startTestMember, waitingPoll } from './support.ts';

const map = '/svc/rest/maps/m';
const get = (key: string) => `GET ${map}/${key} HTTP/1.1\r\nHost: m\r\n\r\n`;
const put = (key: string, body: string) =>
  `POST ${map}/${key} HTTP/1.1\r\nHost: m\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('a connection', () => {
  test('may have many requests in flight, which are run and answered in their order', async () => {
    const { port } = await startTestMember();
    const raw = await connectRaw(port);
    for (let i = 0; i < 100; i += 1) raw.send(put('k', `<${i}>`) + get('k'));
    const text = await raw.received((received) => received.endsWith('<99>'));
    expect(text.match(/<\d+>/g)).toEqual(Array.from({ length: 100 }, (_, i) => `<${i}>`));
  });

  test('may come byte by byte', async () => {
    const { port } = await startTestMember();
    const raw = await connectRaw(port);
    raw.socket.setNoDelay(true);
    for (const byte of put('k', 'v') + get('k')) raw.send(byte);
    expect(await raw.received((text) => text.endsWith('v'))).toMatch(/\r\n\r\nv$/);
  });

  test('takes chunked bodies', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(
      `POST ${map}/k HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n${get('k')}`,
    );
    expect(await raw.received((text) => text.endsWith('onetwo'))).toContain('Content-Length: 6');
    expect(await call('GET', `${map}/k`)).toMatchObject({ body: 'onetwo' });
  });

  test('gets its 100 Continue when the body is wanted, and none when it is not', async () => {
    const { port, call } = await startTestMember();
    const wanted = await connectRaw(port);
    wanted.send(`POST ${map}/k HTTP/1.1\r\nHost: m\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n`);
    expect(await wanted.received((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    wanted.send('v');
    expect(await wanted.closed()).toContain('HTTP/1.1 200 OK');
    expect(await call('GET', `${map}/k`)).toMatchObject({ body: 'v' });

    const refused = await connectRaw(port);
    refused.send(
      `POST ${map}/other HTTP/1.1\r\nHost: m\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n`,
    );
    const text = await refused.closed();
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('Connection: close');
    expect(await call('GET', `${map}/other`)).toMatchObject(empty(204));
  });

  test('gets lean replies: no Date, no Server', async () => {
    const { port } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(put('k', 'v') + get('k'));
    const text = await raw.received((received) => received.endsWith('v'));
    expect(text).not.toMatch(/^(date|server|x-powered-by|transfer-encoding):/im);
  });

  test.each([
    { name: 'no HTTP', sent: 'hello\r\n\r\n' },
    { name: 'a TLS hello', sent: '\x16\x03\x01\x02\x00\x01\x00\x01' },
    { name: 'a lower-case method', sent: `get ${map}/k HTTP/1.1\r\nHost: m\r\n\r\n` },
    { name: 'raw bytes beyond ASCII in the path', sent: get('gr\xc3\xbc') },
    {
      name: 'a signed Content-Length',
      sent: `POST ${map}/k HTTP/1.1\r\nHost: m\r\nContent-Length: -1\r\n\r\n`,
    },
    {
      name: 'Content-Length and chunked',
      sent: `POST ${map}/k HTTP/1.1\r\nHost: m\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nv\r\n0\r\n\r\n`,
    },
    {
      name: 'a bad chunk size',
      sent: `POST ${map}/k HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nv\r\n0\r\n\r\n`,
    },
  ])('that carries $name is answered 400 with an empty body and closed', async ({ sent }) => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(sent);
    expect(await raw.closed()).toBe(
      'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(await call('GET', `${map}/k`)).toMatchObject(empty(204));
  });

  const badRequest = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

  test.each([
    ['a write', put('k', 'v'), 1],
    [
      'a chunked write',
      `POST ${map}/k HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nv\r\n0\r\n\r\n`,
      1,
    ],
    ['two writes', put('k', 'u') + put('k', 'v'), 2],
    ['a write and a read', put('k', 'v') + get('k'), 2],
  ])(
    '%s with garbage behind it in the same packet is carried out and answered, then the garbage (D2)',
    async (_name, sent, count) => {
      for (const garbage of ['garbage\r\n\r\n', '\0', '\x16\x03\x01', 'GET', ' x'.repeat(50_000)]) {
        const { port, call } = await startTestMember();
        const raw = await connectRaw(port);
        raw.send(sent + garbage);
        if (garbage === 'GET') raw.socket.end();
        const text = await raw.closed();
        const statuses = text.match(/HTTP\/1\.1 \d+/g);
        expect([garbage.slice(0, 9), statuses]).toEqual([
          garbage.slice(0, 9),
          [...Array(count).fill('HTTP/1.1 200'), 'HTTP/1.1 400'],
        ]);
        expect(text.endsWith(badRequest)).toBe(true);
        expect(await call('GET', `${map}/k`)).toMatchObject({ status: 200, body: 'v' });
      }
    },
  );

  test('a poll that waits with garbage behind it is answered when its item comes (D2)', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(`${get('k')}${pollRequest('q', 20)}garbage\r\n\r\n`);
    await raw.received((text) => text.includes('204'));
    for (let i = 0; i < 20; i += 1) raw.send('more garbage\r\n');
    await call('POST', '/svc/rest/queues/q', { body: 'item' });
    const text = await raw.closed();
    expect(text).toContain('item');
    expect(text.endsWith(`item${badRequest}`)).toBe(true);
  });

  test('a write whose own body goes wrong is not carried out (D2)', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(
      put('k', 'v').replace('Content-Length: 1', 'Transfer-Encoding: chunked').replace(/v$/, '1\r\nvv\r\n'),
    );
    expect(await raw.closed()).toBe(badRequest);
    expect(await call('GET', `${map}/k`)).toMatchObject(empty(204));
  });

  test('is read no further when it lines up more behind a waiting poll than a client would (S92)', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send('DELETE /svc/rest/queues/q/60 HTTP/1.1\r\nHost: m\r\n\r\n');
    const requests = get('k').repeat(10_000);
    const isBlocked = () => raw.socket.writableLength > 4_000_000;
    while (!isBlocked()) {
      raw.send(requests);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await call('POST', '/svc/rest/queues/q', { body: 'v' });
    const text = await raw.received((received) => received.split('HTTP/1.1 204').length > 100);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nvHTTP\/1\.1 204/);
  });
});

describe('closing a member', () => {
  test('turns ready to 503, ends waiting polls with 204 and takes no item', async () => {
    const member = await startTestMember();
    const requester = await connectRaw(member.port);
    requester.send('GET /svc/health/ready HTTP/1.1\r\nHost: m\r\n\r\nGET /svc/health/ready HTTP/1.1\r\n');
    await requester.received((text) => text.includes('\r\n\r\n'));
    const polling = await waitingPoll(member.port, 'q', 60);

    const closed = member.close();
    expect(await polling.closed()).toContain('HTTP/1.1 204 No Content');
    requester.send('Host: m\r\n\r\n');
    const text = await requester.closed();
    expect(text).toMatch(
      /HTTP\/1\.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n$/,
    );
    await closed;
    await expect(member.call('GET', '/svc/health/ready')).rejects.toThrow();
  });

  test('cuts no reply that a slow client is still reading', async () => {
    const member = await startTestMember();
    const body = Buffer.alloc(8_000_000, 'x');
    await member.call('POST', `${map}/k`, { body });
    const reply = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request(`${member.address}${map}/k`, resolve).on('error', reject).end();
    });
    const closed = member.close();
    let length = 0;
    for await (const chunk of reply) {
      length += (chunk as Buffer).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(length).toBe(body.length);
    await closed;
  });

  test('takes 5 s at most, whatever a client does', async () => {
    const member = await startTestMember();
    const stuck = await connectRaw(member.port);
    stuck.send(`POST ${map}/k HTTP/1.1\r\nHost: m\r\nContent-Length: 2\r\n\r\nv`);
    await member.call('GET', '/svc/health/ready');
    const started = performance.now();
    await Promise.all([member.close(), member.close()]);
    expect(performance.now() - started).toBeLessThan(6_000);
  });
});

test('what stands behind the last request of a connection is not carried out: nobody would hear of it', async () => {
  const { port, call } = await startTestMember();
  for (let i = 0; i < 20; i += 1) {
    const raw = await connectRaw(port);
    raw.send(
      `POST ${map}/k HTTP/1.1\r\nHost: m\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nv${put('behind', 'x')}`,
    );
    expect((await raw.closed()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
  }
  expect(await call('GET', `${map}/behind`)).toMatchObject(empty(204));
});
