/** What callers may hold of a console that is started as one starts it (S92). */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
  waitFor,
} from '../helpers/console.ts';
import { exchangeRaw } from '../helpers/wire.ts';

const consoles: RunningConsole[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const console of consoles.splice(0)) await console.stop();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningConsole> {
  const console = await startConsole({ env });
  consoles.push(console);
  return console;
}

/** @param from  an address of loopback: each is another source */
async function open({ port }: RunningConsole, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

function received(socket: Socket): () => string {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  return () => text;
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;

const origin = ({ port }: RunningConsole) => `http://127.0.0.1:${port}`;

async function number(console: RunningConsole, name: string): Promise<number> {
  const text = await (await fetch(`${origin(console)}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );
}

const cutOff = (console: RunningConsole, reason: string) =>
  number(console, `console_http_cut_off_total{reason="${reason}"}`);

const memoryOf = ({ child }: RunningConsole) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Asks again and again until it is told to stop. @returns the longest time that an answer took, milliseconds */
function askUntil(isOver: () => boolean, ask: () => Promise<Response>): Promise<number> {
  return (async () => {
    let longest = 0;
    while (!isOver()) {
      const at = performance.now();
      const reply = await ask();
      await reply.arrayBuffer();
      longest = Math.max(longest, performance.now() - at);
      expect(reply.status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return longest;
  })();
}

describe('requests that are sent ahead while nobody reads the replies (A1, S92)', () => {
  test('hold up neither probes nor callers, and take no memory', async () => {
    const console = await start({ CONSOLE_PROXY_REPLY_STALL: '60' });
    const token = await machineToken(console);
    const value = `${origin(console)}/svc/rest/maps/m/k`;
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(value, { method: 'POST', headers, body: 'v' });
    for (let i = 0; i < 20; i += 1) await (await fetch(`${origin(console)}/login`)).text();
    const before = memoryOf(console);

    const requests = get('/login').repeat(8_000);
    let isOver = false;
    const answered = Promise.all([
      askUntil(
        () => isOver,
        () => fetch(`${origin(console)}/live`),
      ),
      askUntil(
        () => isOver,
        () => fetch(`${origin(console)}/ready`),
      ),
      askUntil(
        () => isOver,
        () => fetch(value, { headers }),
      ),
    ]);
    for (let i = 0; i < 40; i += 1) {
      const socket = await open(console);
      socket.pause();
      socket.write(requests);
    }
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    isOver = true;
    const [live, ready] = await answered;
    expect(memoryOf(console) - before).toBeLessThan(64);
    // 250 ms on a machine that does nothing else (`npm run bench -- overload`); this one may be busy.
    expect(Math.max(live, ready)).toBeLessThan(1_000);
    // One that reads beside them is served like any other.
    expect((await fetch(`${origin(console)}/login`)).status).toBe(200);
  });

  test('are cut off at last, which is audited, counted and explained', async () => {
    const console = await start({ CONSOLE_PROXY_REPLY_STALL: '1' });
    const socket = await open(console);
    socket.pause();
    // Its replies are long: the buffers of both sides are soon full.
    socket.write(get('/metrics').repeat(5_000));
    const line = await waitFor(
      () => console.log().find(({ reason }) => reason === 'reply_stalled'),
      'the audit line',
      50_000,
    );
    expect(line).toMatchObject({
      event: 'request.refused',
      outcome: 'denied',
      method: 'GET',
      path: '/metrics',
      source: '127.0.0.1',
    });
    expect(await cutOff(console, 'unread_reply')).toBe(1);
    const explained = await fetch(`${origin(console)}/api/v1/access/explain?decision=${line.decisionId}`, {
      headers: { Authorization: `Bearer ${await apiToken(console)}` },
    });
    expect(await explained.json()).toMatchObject({ code: 'reply_stalled', path: '/metrics' });
  }, 60_000);
});

test('a call on a connection that was served before does not wait for all that come on new ones (A1, S92)', async () => {
  const console = await start();
  const fields = `Authorization: Bearer ${await machineToken(console)}\r\n`;
  const call = get('/svc/rest/maps/m/k', fields);
  const served = await open(console);
  const reply = received(served);
  served.write(call);
  await waitFor(() => reply() !== '', 'the first reply');

  const many = 600;
  const newOnes: Socket[] = [];
  while (newOnes.length < many) newOnes.push(await open(console));
  let answered = 0;
  const allAnswered = new Promise<void>((resolve) => {
    for (const socket of newOnes) socket.once('data', () => ++answered === many && resolve());
  });
  const before = new Promise<number>((resolve) => served.once('data', () => resolve(answered)));
  for (const socket of newOnes) socket.write(call);
  served.write(call);
  expect(await before).toBeLessThan(many - 50);
  await allAnswered;
});

test('requests that are sent ahead to pages are all answered, in order (S92)', async () => {
  const console = await start();
  const paths = ['/live', '/oauth2/jwks', '/none', '/.well-known/openid-configuration', '/ready', '/login'];
  const replies = await exchangeRaw(origin(console), [paths.map((path) => get(path)).join('')], paths.length);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 200]);
});

describe('a good request behind one that is refused with Connection: close (D3)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  const form = (fields: string, body: string) =>
    `POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const good = form(
    `Authorization: Basic ${btoa(`application-client:${clientSecret}`)}\r\n`,
    'grant_type=client_credentials',
  );
  const issued = () => console.log().filter(({ event }) => event === 'token.issued');

  test.each([
    { name: 'a form that is too large', refused: form('', 'a'.repeat(70_000)), status: 413 },
    { name: 'two Host fields', refused: get('/svc/rest/cluster', 'Host: other\r\n'), status: 400 },
    {
      name: 'a GET with a body',
      refused: `${get('/svc/rest/cluster', 'Content-Length: 1\r\n')}x`,
      status: 400,
    },
  ])('is not carried out: $name (D3)', async ({ refused, status }) => {
    const before = issued().length;
    const socket = await open(console);
    const text = received(socket);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(refused + good);
    await closed;
    expect(text().match(/HTTP\/1\.1 \d+|connection: \w+/gi)).toEqual([
      `HTTP/1.1 ${status}`,
      'Connection: close',
    ]);
    // What came first is told first: the line of a token that was asked for stands alone.
    const { jti } = decodeJwt(await machineToken(console));
    await console.waitFor(
      () => issued().some((line) => line.jti === jti),
      'the line of a token that was asked for',
    );
    expect(issued().slice(before)).toHaveLength(1);
  });
});

describe('heads and bodies that come too slowly (S92)', () => {
  test.each([
    { name: 'a head', sent: 'GET /login HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' },
    {
      name: 'a form of the sign-in',
      sent: 'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n',
    },
    {
      name: 'a token request in chunks',
      sent: 'POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n',
    },
    {
      name: 'a large body for the admin API',
      sent: 'POST /api/v1/clients HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n',
    },
    {
      name: 'a value',
      sent: 'POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: localhost\r\nTOKENContent-Length: 500000\r\n\r\n',
    },
  ])('$name, a byte at a time, is ended, and the connection with it', async ({ sent }) => {
    const console = await start({ CONSOLE_HTTP_HEAD_TIMEOUT: '1', CONSOLE_HTTP_BODY_TIMEOUT: '1' });
    const socket = await open(console);
    const text = received(socket);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(sent.replace('TOKEN', `Authorization: Bearer ${await machineToken(console)}\r\n`));
    const timer = setInterval(() => socket.write('a'), 100);
    await closed;
    clearInterval(timer);
    expect(text()).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test('are told so, audited and counted', async () => {
    const console = await start({ CONSOLE_HTTP_BODY_TIMEOUT: '1' });
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\na=';
    const head = `POST /login HTTP/1.1\r\nHost: localhost\r\n${form}`;
    const [reply] = await exchangeRaw(origin(console), [head], 1);
    expect(reply).toMatchObject({ status: 408 });
    const { code, decision_id: decisionId } = JSON.parse(reply!.body);
    expect(code).toBe('request_timeout');
    await console.waitFor(
      () => console.log().find((line) => line.decisionId === decisionId && line.path === '/login'),
      'the audit line',
    );
    expect(await cutOff(console, 'slow_body')).toBe(1);
  });

  test('a body that comes at a fair pace is taken, however long it takes', async () => {
    const console = await start({ CONSOLE_HTTP_BODY_TIMEOUT: '1' });
    const token = await machineToken(console);
    const socket = await open(console);
    const text = received(socket);
    const chunks = 30;
    socket.write(
      `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${chunks * 500}\r\n\r\n`,
    );
    for (let i = 0; i < chunks; i += 1) {
      socket.write('x'.repeat(500));
      await new Promise((resolve) => setTimeout(resolve, 100)); // the pace is what is tested
    }
    await console.waitFor(() => text().startsWith('HTTP/1.1 200 '), 'the reply');
  });
});

const mostKept =
  process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;
const atOnce = 1_500;

test.skipIf(mostKept < atOnce)(
  `${atOnce} connections that come at once while the process is busy are all kept for it (skipped where the system keeps fewer) (A1, S92)`,
  async () => {
    const console = await start();
    console.child.kill('SIGSTOP');
    let opened = 0;
    for (let i = 0; i < atOnce; i += 1) void open(console).then(() => opened++);
    try {
      await waitFor(() => opened === atOnce, 'all of them are open', 20_000);
    } finally {
      console.child.kill('SIGCONT');
    }
    expect((await fetch(`${origin(console)}/live`)).status).toBe(200);
  },
);

describe('connections beyond the limits (S92)', () => {
  const limits = { CONSOLE_HTTP_CONNECTIONS: '16', CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '10' };

  test('of one address are refused, and others are not', async () => {
    const console = await start(limits);
    for (let i = 0; i < 10; i += 1) await open(console, '127.0.0.2');
    const rejected = await open(console, '127.0.0.2');
    const text = received(rejected);
    rejected.write(get('/login'));
    await console.waitFor(() => text().includes('"busy"'), 'the error');
    expect(text()).toMatch(/^HTTP\/1\.1 503 /);
    expect((await fetch(`${origin(console)}/login`)).status).toBe(200);
    expect(await cutOff(console, 'connections')).toBe(1);
    expect(
      console.log().find(({ reason, source }) => reason === 'busy' && source === '127.0.0.2'),
    ).toMatchObject({ event: 'request.refused', method: 'GET', path: '/login' });
  });

  test('are answered when they ask for a probe, and for nothing else', async () => {
    const console = await start(limits);
    for (let i = 0; i < 16; i += 1) await open(console, `127.0.0.${i}`.replace(/\.0$/, '.1'));
    for (const path of ['/live', '/ready']) {
      const [reply] = await exchangeRaw(origin(console), [get(path)], 1);
      expect(reply).toMatchObject({ status: 200 });
      expect(reply!.head.toLowerCase()).toContain('connection: close');
    }
    for (const path of ['/login', '/svc/rest/cluster', '/oauth2/jwks']) {
      const [reply] = await exchangeRaw(origin(console), [get(path)], 1);
      expect(reply).toMatchObject({ status: 503 });
    }
    // Who says nothing does not keep the place of a probe either.
    const silent = await open(console);
    const text = received(silent);
    await console.waitFor(() => text().startsWith('HTTP/1.1 503 '), 'the error');
  });

  test('of a trusted proxy count in all only', async () => {
    const console = await start({ ...limits, CONSOLE_TRUSTED_PROXIES: '127.0.0.2' });
    for (let i = 0; i < 12; i += 1) await open(console, '127.0.0.2');
    const socket = await open(console, '127.0.0.2');
    const text = received(socket);
    socket.write(get('/login', 'X-Forwarded-For: 192.0.2.7\r\n'));
    await console.waitFor(() => text().startsWith('HTTP/1.1 200 '), 'the page');
  });
});
