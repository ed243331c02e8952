import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ProxyOptions,
  sendRaw,
  startProxy,
  startRawMember,
  startRecorder,
  type TestProxy,
  until,
  unusedAddress,
} from './servers.ts';
import { tokenFor } from './tokens.ts';

const closers: (() => Promise<void>)[] = [];
let proxy: TestProxy;
let token: string;

afterEach(async () => {
  for (const close of closers.splice(0)) {
    await close();
  }
});

async function open(members: readonly string[], options: ProxyOptions = {}): Promise<void> {
  proxy = await startProxy({ members, ...options });
  closers.unshift(proxy.close);
  token = await tokenFor(proxy.key, 'Admin');
}

async function rawMember(serve: (socket: Socket) => void) {
  const member = await startRawMember(serve);
  closers.push(member.close);
  return member;
}

async function recorder(...args: Parameters<typeof startRecorder>) {
  const member = await startRecorder(...args);
  closers.push(member.close);
  return member;
}

const call = (method: string, path: string, init: RequestInit = {}) =>
  fetch(proxy.address + path, { method, headers: { authorization: `Bearer ${token}` }, ...init });

const head = (method: string, path: string, fields = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\n${fields}\r\n`;

function connectTo(address: string): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

describe('when a member does not answer', () => {
  test('refused connections are 503 no_member with Retry-After (S65)', async () => {
    await open([await unusedAddress()]);
    const reply = await call('GET', '/svc/rest/cluster');
    expect(reply.status).toBe(503);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await reply.json()).toMatchObject({ code: 'no_member' });
  });

  test('no member at all is 503 no_member (S65)', async () => {
    await open([]);
    expect((await call('GET', '/svc/rest/cluster')).status).toBe(503);
  });

  test('a connection that is not accepted in time is 504 (S65)', async () => {
    const stopped = await stoppedMember();
    closers.push(stopped.close);
    await open([stopped.address], { limits: { connectMs: 200 } });
    const reply = await call('GET', '/svc/rest/cluster');
    expect(reply.status).toBe(504);
    expect(await reply.json()).toMatchObject({ code: 'upstream_timeout' });
  });

  test('a reply that does not come in time is 504, and its connection is not used again (S65)', async () => {
    const member = await rawMember(() => undefined);
    await open([member.address], { limits: { replyMs: 200 } });
    const reply = await call('POST', '/svc/rest/maps/m/k', { body: 'x' });
    expect(reply.status).toBe(504);
    await until(() => member.closed() === 1, 'the connection to the member is closed');
  });

  test('a poll may take the seconds it asks for, and the grace (S65)', async () => {
    const answered = (socket: Socket) =>
      socket.once('data', () => {
        const reply = () => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n');
        setTimeout(reply, 1_500);
      });
    const member = await rawMember(answered);
    await open([member.address], { limits: { replyMs: 100, pollGraceMs: 1_000 } });
    expect((await call('DELETE', '/svc/rest/queues/q/2')).status).toBe(204);
    expect((await call('GET', '/svc/rest/maps/m/k')).status).toBe(504);
  });

  test.each([
    ['closes without a byte', ''],
    ['answers with something else', 'CLIENT_ERROR Invalid command\r\n\r\n'],
    ['breaks off within the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('a member that %s is 502 bad_gateway (S65)', async (_, bytes) => {
    const member = await rawMember((socket) => socket.once('data', () => socket.end(bytes)));
    await open([member.address]);
    const reply = await call('POST', '/svc/rest/maps/m/k', { body: 'x' });
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({ code: 'bad_gateway' });
    expect(proxy.logged).toHaveLength(1);
    expect(JSON.stringify(proxy.logged)).not.toContain(token);
  });

  test('a reply that breaks off is not passed on as if it were whole', async () => {
    const member = await rawMember((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')),
    );
    await open([member.address]);
    const reply = await call('GET', '/svc/rest/cluster');
    await expect(reply.text()).rejects.toThrow();
    await until(() => proxy.records.length === 1, 'the call is recorded');
    expect(proxy.records[0]).toMatchObject({ status: 200, decision: 'bad_gateway' });
  });
});

describe('retries (S66)', () => {
  /** Closes the first connections when a request comes in, and answers on later ones. */
  async function flaky(failures: number) {
    const requests: string[] = [];
    const member = await rawMember((socket) =>
      socket.on('data', (bytes) => {
        requests.push(bytes.toString('latin1').split(' HTTP')[0]!);
        if (requests.length <= failures) {
          socket.destroy();
        } else {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        }
      }),
    );
    return { ...member, requests };
  }

  test('a safe GET is sent once more (S66)', async () => {
    const member = await flaky(1);
    await open([member.address]);
    expect((await call('GET', '/svc/rest/maps/m/k')).status).toBe(200);
    expect(member.requests).toHaveLength(2);
  });

  test('but not twice more (S66)', async () => {
    const member = await flaky(2);
    await open([member.address]);
    expect((await call('GET', '/svc/rest/maps/m/k')).status).toBe(502);
    expect(member.requests).toHaveLength(2);
  });

  test.each([
    ['POST', '/svc/rest/maps/m/k'],
    ['POST', '/svc/rest/management/cluster/state', '&'],
    ['DELETE', '/svc/rest/maps/m/k'],
    ['GET', '/svc/rest/queues/q/1'],
    ['GET', '/svc/rest/queues/q/'],
    ['DELETE', '/svc/rest/queues/q/1'],
  ])('%s %s reaches a member once only (S66)', async (method, path, body?: string) => {
    const member = await flaky(1);
    await open([member.address]);
    expect((await call(method, path, body === undefined ? {} : { body })).status).toBe(502);
    expect(member.requests).toEqual([`${method} ${path}`]);
  });

  test.each(['x', 'x'.repeat(300_000)])(
    'a write goes to the next member when no byte of it was sent (S66)',
    async (body) => {
      const member = await recorder();
      await open([await unusedAddress(), member.address]);
      for (let i = 0; i < 4; i += 1) {
        expect((await call('POST', '/svc/rest/maps/m/k', { body })).status).toBe(200);
      }
      expect(member.seen.map((seen) => seen.body.length)).toEqual(Array(4).fill(body.length));
    },
  );
});

describe('a caller who leaves (S70)', () => {
  test('leaves his poll at the member, which would give an item to it all the same (S94)', async () => {
    const sockets: Socket[] = [];
    const member = await rawMember((socket) => socket.on('data', () => sockets.push(socket)));
    await open([member.address]);
    const caller = connectTo(proxy.address);
    caller.write(head('DELETE', '/svc/rest/queues/q/60').repeat(3));
    await until(() => sockets.length === 1, 'the first poll waits at the member');
    caller.destroy();
    await until(() => proxy.records.length === 1, 'the call is recorded');
    expect(proxy.records[0]).toMatchObject({ status: 0, decision: 'forwarded' });
    sockets[0]!.write('HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 4\r\n\r\nitem');
    await until(() => sockets.length === 2, 'the item is offered back');
    sockets[1]!.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    expect(member.closed()).toBe(0);
    expect(proxy.records).toHaveLength(1);
  });

  test('ends his poll at a member that then says whether it had an item for it (S94)', async () => {
    const member = await rawMember(() => undefined);
    await open([member.address], { canWithdraw: true });
    const caller = connectTo(proxy.address);
    caller.write(head('DELETE', '/svc/rest/queues/q/60'));
    await until(() => member.opened() === 1, 'the poll waits at the member');
    caller.destroy();
    await until(() => member.closed() === 1, 'the poll is ended');
  });

  test('takes a half-read reply down (S70)', async () => {
    const member = await rawMember((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')),
    );
    await open([member.address]);
    const caller = connectTo(proxy.address);
    caller.write(head('GET', '/svc/rest/cluster'));
    await once(caller, 'data');
    caller.destroy();
    await until(() => member.closed() === 1, 'the exchange is broken off');
  });

  test('takes a half-sent body down (S70)', async () => {
    const member = await rawMember((socket) => socket.resume());
    await open([member.address]);
    const caller = connectTo(proxy.address);
    caller.write(head('POST', '/svc/rest/maps/m/k', 'Content-Length: 200000\r\n') + 'x'.repeat(100_000));
    await until(() => member.opened() === 1, 'the body is on its way');
    caller.destroy();
    await until(() => member.closed() === 1, 'the exchange is broken off');
  });

  test('leaves before the call was sent, and no member hears of it (S70)', async () => {
    const sockets: string[] = [];
    const member = await rawMember((socket) => socket.on('data', (bytes) => sockets.push(bytes.toString())));
    const arrived: string[] = [];
    const requestIdOf = (req: IncomingMessage) => {
      arrived.push(req.url!);
      return 'request-1';
    };
    await open([member.address], { limits: { memberPolls: 1 }, requestIdOf });
    const first = connectTo(proxy.address);
    first.write(head('DELETE', '/svc/rest/queues/q/60'));
    await until(() => sockets.length === 1, 'the first poll waits');
    const second = connectTo(proxy.address);
    second.write(head('DELETE', '/svc/rest/queues/q/61'));
    await until(() => arrived.length === 2, 'the second poll has come');
    second.destroy();
    await until(() => proxy.records.length === 1, 'the second call is over');
    first.destroy();
    await until(() => proxy.records.length === 2, 'the first call is over too');
    expect(sockets.join('')).not.toContain('/61');
  });
});

describe('back-pressure (S65)', () => {
  const size = 64 * 1024 * 1024;
  /** `UPLOADS=1000` for as many as it takes to be sure. */
  const uploads = Number(process.env.UPLOADS ?? 80);
  const uploadsAtATime = 8;

  test('a reply is read from the member no faster than the caller takes it (S65)', async () => {
    let sent = 0;
    const block = Buffer.alloc(64 * 1024);
    const member = await rawMember((socket) => {
      const fill = () => {
        while (sent < size && socket.write(block)) {
          sent += block.length;
        }
        sent += block.length;
      };
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        fill();
      });
      socket.on('drain', fill);
    });
    await open([member.address]);
    const caller = connectTo(proxy.address);
    caller.pause();
    caller.write(head('GET', '/svc/rest/maps/m/k', 'Connection: close\r\n'));
    await settled(() => sent);
    expect(sent).toBeLessThan(size / 2);
    let received = 0;
    caller.on('data', (bytes) => {
      received += bytes.length;
    });
    caller.resume();
    await until(() => received >= size, 'the whole reply arrives');
    caller.destroy();
  });

  test('a body is read from the caller no faster than the member takes it (S65)', async () => {
    const member = await rawMember((socket) => socket.pause());
    await open([member.address], { limits: { bodyBytes: size } });
    const caller = connectTo(proxy.address);
    caller.write(head('POST', '/svc/rest/maps/m/k', `Content-Length: ${size}\r\n`));
    const block = Buffer.alloc(64 * 1024);
    let sent = 0;
    const fill = () => {
      while (sent < size && caller.write(block)) {
        sent += block.length;
      }
      sent += block.length;
    };
    caller.on('drain', fill);
    fill();
    await settled(() => sent);
    expect(sent).toBeLessThan(size / 2);
    caller.destroy();
  });

  test(`of ${uploads} uploads to members that soon take no more, none is read to its end (B11)`, async () => {
    let begun = 0;
    const member = await rawMember((socket) => {
      // Each piece that it takes lets the proxy go on, and stop again.
      let left = [3, 4, 12][begun++ % 3]!;
      socket.on('data', () => {
        socket.pause();
        left -= 1;
        if (left > 0) setTimeout(() => socket.resume(), 1);
      });
    });
    await open([member.address], { limits: { bodyBytes: size } });
    for (let i = 0; i < uploads; i += uploadsAtATime) {
      await Promise.all(Array.from({ length: Math.min(uploadsAtATime, uploads - i) }, uploadInVain));
    }
  });

  /** With a token that has not been seen before, so that the body comes while it is checked. */
  async function uploadInVain(): Promise<void> {
    const own = await tokenFor(proxy.key, 'Admin');
    const caller = connectTo(proxy.address);
    const block = Buffer.alloc(64 * 1024);
    let sent = 0;
    const fill = () => {
      while (sent < size && caller.write(block)) sent += block.length;
      sent += block.length;
    };
    caller.on('drain', fill);
    caller.write(head('POST', '/svc/rest/maps/m/k', `Content-Length: ${size}\r\n`).replace(token, own));
    fill();
    await settled(() => sent);
    expect(sent).toBeLessThan(size / 2);
    caller.destroy();
  }
});

test('a connection on which a member answers too early is not used again (S63)', async () => {
  const member = await rawMember((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')),
  );
  await open([member.address]);
  const caller = connectTo(proxy.address);
  caller.write(head('POST', '/svc/rest/maps/m/k', 'Content-Length: 200000\r\n') + 'x'.repeat(100_000));
  const [reply] = await once(caller, 'data');
  expect(String(reply)).toContain('HTTP/1.1 503');
  await until(() => member.closed() === 1, 'the connection to the member is closed');
  caller.destroy();
});

test('an error of ours is a bare 500, logged, and the next call is answered (S86)', async () => {
  const member = await recorder();
  let isBroken = true;
  const good = await startProxy({ members: [member.address] });
  closers.push(good.close);
  await open([member.address], {
    bearer: {
      isStillGood: () => true,
      inspect: () => Promise.reject(new Error('nobody asks')),
      check() {
        if (isBroken) {
          throw new Error('secret detail');
        }
        return {
          subject: 's',
          clientId: 'c',
          roles: ['Admin'],
          scopes: [],
          jti: 'j',
          expiresAt: 0,
          claims: {},
        };
      },
    },
  });
  const reply = await call('GET', '/svc/rest/cluster');
  expect(reply.status).toBe(500);
  const body = await reply.text();
  expect(JSON.parse(body)).toMatchObject({ code: 'server_error' });
  expect(body).not.toContain('secret detail');
  expect(proxy.logged).toHaveLength(1);
  expect(member.seen).toEqual([]);
  isBroken = false;
  expect((await call('GET', '/svc/rest/cluster')).status).toBe(200);
});

test.each([
  ['falls silent', (caller: Socket) => caller],
  ['leaves', (caller: Socket) => caller.destroy()],
])('a sender of a large body that no member takes, and who then %s, harms no one (S86)', async (_, then) => {
  await open([await unusedAddress()], { limits: { bodyStallMs: 100 } });
  const caller = connectTo(proxy.address);
  caller.write(head('POST', '/svc/rest/maps/m/k', 'Content-Length: 200000\r\n') + 'x'.repeat(100_000));
  const [reply] = await once(caller, 'data');
  expect(String(reply)).toContain('HTTP/1.1 503');
  then(caller);
  await until(() => proxy.records.length === 1, 'the call is over');
  await settled(() => proxy.records.length);
  expect((await call('GET', '/svc/rest/cluster')).status).toBe(503);
  caller.destroy();
});

test('each call is recorded once, with what was decided', async () => {
  const member = await recorder();
  await open([member.address], { addressOf: (req) => req.socket.remoteAddress! });
  const viewer = await tokenFor(proxy.key, 'Viewer');
  await call('GET', '/svc/rest/maps/m/k');
  const denied = await call('DELETE', '/svc/rest/maps/m/k', {
    headers: { authorization: `Bearer ${viewer}` },
  });
  await sendRaw(proxy.address, 'GET /svc/rest/cluster HTTP/1.1\r\nHost: p\r\n\r\n');
  await until(() => proxy.records.length === 3, 'three calls are recorded');
  const { decision_id: decisionId } = (await denied.json()) as { decision_id: string };
  expect(proxy.records).toMatchObject([
    {
      method: 'GET',
      route: '/svc/rest/maps/{mapName}/{key...}',
      status: 200,
      decision: 'forwarded',
      decisionId: undefined,
      subject: 'user-1',
      clientId: 'client-1',
      member: member.address,
      requestId: 'request-1',
      source: '127.0.0.1',
    },
    { method: 'DELETE', status: 403, decision: 'insufficient_scope', decisionId, member: undefined },
    { method: 'GET', route: undefined, status: 401, decision: 'unauthorized', subject: undefined },
  ]);
  expect(proxy.records.every(({ durationMs }) => durationMs >= 0)).toBe(true);
});

/** A process that listens but never accepts, with a full queue of connections before it. */
async function stoppedMember() {
  const script =
    "const s=require('net').createServer();s.listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const address = `http://127.0.0.1:${Number(port)}`;
  child.kill('SIGSTOP');
  const waiting = Array.from({ length: 8 }, () => connectTo(address));
  await Promise.race([...waiting.map((socket) => once(socket, 'connect'))]);
  return {
    address,
    async close() {
      for (const socket of waiting) {
        socket.destroy();
      }
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits until a figure has stopped growing. */
async function settled(figure: () => number): Promise<void> {
  let last = -1;
  while (figure() !== last) {
    last = figure();
    await new Promise((done) => setTimeout(done, 200));
  }
}
