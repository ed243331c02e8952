import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy, startRawMember, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
/** Which connection each request came by. */
const cameBy: string[] = [];
let connections = 0;
let member: Awaited<ReturnType<typeof startRawMember>>;
let proxy: TestProxy;
let headers: Record<string, string>;

beforeAll(async () => {
  member = await startRawMember((socket) => {
    connections += 1;
    const name = `connection ${connections}`;
    let tail = '';
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (/^(GET|POST) /.test(text)) cameBy.push(`${text.slice(0, text.indexOf(' '))} by ${name}`);
      tail = (tail + text).slice(-5);
      const isChunksEnd = tail === '0\r\n\r\n';
      // What the real engine says to the blank line comes some time after the reply (docs/member-surface.md#on-the-wire).
      if (isChunksEnd) setTimeout(() => socket.write('ERROR\r\n'), 200);
      if (isChunksEnd || text.startsWith('GET ')) socket.write(reply);
    });
  });
  proxy = await startProxy({ members: [member.address] });
  headers = { authorization: `Bearer ${await tokenFor(proxy.key, 'Admin')}` };
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});

test('a connection that carried a request in chunks is not used again, even before the stray bytes come (S63)', async () => {
  const block = new Uint8Array(64 * 1024).fill(120);
  let left = 40;
  const body = new ReadableStream({
    pull(controller) {
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(block);
    },
  });
  const path = `${proxy.address}/svc/rest/maps/m/k`;
  const sent = await fetch(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  expect(sent.status).toBe(200);
  expect((await fetch(path, { headers })).status).toBe(200);
  expect(cameBy).toEqual(['POST by connection 1', 'GET by connection 2']);
});
