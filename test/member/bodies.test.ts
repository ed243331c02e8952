import { describe, expect, test } from 'vitest';
import { connectRaw, empty, eventually, memberFile, startTestMember } from './support.ts';

const map = '/svc/rest/maps/m';

function post(key: string, length: number): string {
  return `POST ${map}/${key} HTTP/1.1\r\nHost: m\r\nContent-Length: ${length}\r\n\r\n`;
}

describe('a body with a declared length', () => {
  test('may come in any number of pieces', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    const chunks = ['in ', 'three ', 'pieces'];
    raw.send(post('k', chunks.join('').length));
    for (const [sent, chunk] of chunks.entries()) {
      expect(await call('GET', `${map}/k`)).toMatchObject(empty(204)); // a turn for what was sent so far
      raw.send(chunk);
      if (sent === chunks.length - 1) await raw.received((text) => text.includes('HTTP/1.1 200'));
    }
    expect(await call('GET', `${map}/k`)).toMatchObject({ status: 200, body: 'in three pieces' });
  });

  test.each([1, 1999, 2048, 2049, 16_384, 65_536, 300_000])(
    'of %i bytes comes back as it was',
    async (length) => {
      const { address, call } = await startTestMember();
      const body = Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 251));
      expect(await call('POST', `${map}/k`, { body, type: 'a/b' })).toMatchObject(empty(200));
      const res = await fetch(`${address}${map}/k`);
      expect(res.headers.get('Content-Type')).toBe('a/b');
      expect(Buffer.from(await res.arrayBuffer()).equals(body)).toBe(true);
    },
  );

  test('ends where it is full: what follows is the next request', async () => {
    const { port } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(`${post('a', 3)}one${post('b', 0)}${post('c', 5)}threeGET ${map}/c HTTP/1.1\r\nHost: m\r\n\r\n`);
    const text = await raw.received((received) => received.endsWith('three'));
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
  });

  test('of a client that goes away in the middle takes no memory any more (S73)', async () => {
    const { port, call } = await startTestMember(memberFile('limits: { memory-bytes: 10000 }'));
    const body = 'x'.repeat(4500);
    for (let i = 0; i < 5; i += 1) {
      const raw = await connectRaw(port);
      raw.send(`${post('gone', 9000)}${'x'.repeat(5000)}`);
      const status = (wanted: number) =>
        eventually(
          () => call('POST', `${map}/k`, { body }),
          (reply) => reply.status === wanted,
        );
      await call('DELETE', `${map}/k`);
      await status(503); // what has arrived, the entry and what comes are too much together
      raw.socket.destroy();
      await status(200);
    }
    expect(await call('GET', `${map}/gone`)).toMatchObject(empty(204));
  });
});
