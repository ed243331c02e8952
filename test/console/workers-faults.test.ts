/** What a worker that dies takes along, what the owner of the store takes along, and what both leave behind. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { storedEvents } from '../helpers/audit.ts';
import {
  clientSecret,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  untilReady,
  usedDataDir,
  waitFor,
} from '../helpers/console.ts';
import { authorize, redeem, refresh } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { childrenOf } from '../proxy/support.ts';
import { openConnection } from './raw-connection.ts';
import { connectToAll } from './worker-connections.ts';

vi.setConfig({ testTimeout: 120_000 });

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const rounds = Number(process.env.WORKER_KILLS ?? 2);
const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;

let console: RunningConsole;
afterEach(async () => {
  await console.stop();
});

const start = (count: number) => startConsole({ env: { CONSOLE_WORKERS: String(count) } });
const owner = () => console.child.pid!;

describe('a worker that is killed', () => {
  test('costs its own calls alone: of codes that are exchanged meanwhile nothing is accepted twice, and nothing acknowledged is lost', async () => {
    console = await start(3);
    const agent = createUserAgent(console.url);
    const issued = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const codes: string[] = [];
      for (let i = 0; i < 6; i++) codes.push((await authorize(agent)).get('code')!);
      const [victim] = await childrenOf(owner());
      const answers = codes.map((code) => exchange(code));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
      process.kill(victim!, 'SIGKILL');
      const first = await Promise.all(answers);
      await waitFor(() => replacements() === round + 1, 'its end');
      const again = await Promise.all(codes.map((code) => exchange(code)));
      for (const [i, answer] of again.entries()) {
        expect(answer, 'whoever lost an answer gets it by asking once more').toBeDefined();
        if (first[i]) expect(answer).toBe(first[i]);
        expect(issued.has(answer!), 'a token for each code').toBe(false);
        issued.add(answer!);
      }
      for (const worker of await connectToAll(console.url, 3)) worker.close();
    }
    const renewed = await Promise.all([...issued].map((token) => refresh(console, token)));
    expect(renewed.map(({ status }) => status)).toEqual(renewed.map(() => 200));
    expect([console.child.exitCode, console.child.signalCode]).toEqual([null, null]);
  });

  test('takes nothing away from the sums of /metrics', async () => {
    console = await start(2);
    const issued = async () => {
      const text = await (await fetch(`${console.url}/metrics`)).text();
      const lines = [...text.matchAll(/^console_tokens_issued_total\{[^}]*\} (\d+)$/gm)];
      return lines.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const workers = await connectToAll(console.url, 2);
    const form = { grant_type: 'client_credentials' };
    for (let round = 0; round < 3; round++) {
      for (const worker of workers) await worker.post('/oauth2/token', form, { authorization: basic });
    }
    expect(await issued()).toBe(6);
    for (const [kill, victim] of (await childrenOf(owner())).entries()) {
      process.kill(victim, 'SIGKILL');
      await waitFor(() => replacements() === kill + 1, 'its end');
      expect(await issued()).toBe(6);
      for (const worker of await connectToAll(console.url, 2)) worker.close();
    }
    await machineToken(console);
    expect(await issued()).toBe(7);
    expect(await issued()).toBe(7);
  });

  test('is replaced by one that knows what happened before and meanwhile, while the others are ready', async () => {
    console = await start(2);
    const before = await machineToken(console);
    await revoke(before);
    const [victim] = await childrenOf(owner());
    process.kill(victim!, 'SIGKILL');
    await waitFor(() => console.log().some(({ msg }) => String(msg).startsWith('worker ended')), 'its end');
    const meanwhile = await machineToken(console);
    expect(await revoke(meanwhile)).toBe(200);
    await untilReady(console.url);
    const workers = await connectToAll(console.url, 2);
    for (const token of [before, meanwhile]) {
      for (const worker of workers) {
        const authorization = `Bearer ${token}`;
        expect((await worker.get('/svc/rest/cluster', { authorization })).status).toBe(401);
      }
    }
    for (const worker of workers) worker.close();
  });

  test.skipIf(!canTrace)(
    'may be replaced while the store commits, however slowly the new one opens it (B12; needs strace)',
    async () => {
      console = await start(4);
      const trace = await stretchOpening();
      let isOver = false;
      const revoked: string[] = [];
      const revoking = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const token = await machineToken(console).catch(() => undefined);
          if (token && (await revoke(token)) === 200) revoked.push(token);
        }
      });
      for (let kills = 1; kills <= 8; kills++) {
        const [victim] = await childrenOfOwner();
        process.kill(victim!, 'SIGKILL');
        await waitFor(() => opened(trace.text()) >= kills, 'another worker to open the store', 30_000);
      }
      isOver = true;
      await Promise.all(revoking);
      await trace.end();
      expect([console.child.exitCode, console.child.signalCode]).toEqual([null, null]);
      const active = await Promise.all(revoked.map(isActive));
      expect(revoked.length).toBeGreaterThan(8);
      expect(active.filter(Boolean)).toEqual([]);
    },
  );
});

describe('the owner of the store', () => {
  test('that is killed: what needs no write is answered, what needs one is not done, the workers end, and another start goes on', async () => {
    const dataDir = await usedDataDir();
    const port = await freePort();
    console = await startConsole({ dataDir, port, env: { CONSOLE_WORKERS: '2' } });
    const revoked = await machineToken(console);
    expect(await revoke(revoked)).toBe(200);
    const asks = await beginRequest('/oauth2/token', 'grant_type=client_credentials');
    const writes = await beginRequest('/oauth2/revoke', `token=${await machineToken(console)}`);
    await untilRead(2);
    const workers = await childrenOf(owner());
    const killedAt = performance.now();
    console.child.kill('SIGKILL');
    await waitFor(() => !isAlive(owner()), 'its end');
    expect(await asks.finish()).toMatchObject({ status: 200, body: expect.stringContaining('access_token') });
    expect(await writes.finish()).toMatchObject({
      status: 503,
      body: expect.stringContaining('temporarily_unavailable'),
    });
    await waitFor(() => !workers.some(isAlive), 'the end of the workers', 15_000);
    expect(performance.now() - killedAt).toBeLessThan(10_000);
    await console.stop();
    expect(storedEvents(dataDir).map(({ event }) => event)).toContain('token.issued');

    console = await startConsole({ dataDir, port, env: { CONSOLE_WORKERS: '2' } });
    expect(await isActive(revoked)).toBe(false);
    await console.stop();
    await rm(dataDir, { recursive: true });
  });

  test('that hangs: tokens are issued, what it has to write is 503, and nothing is reported as done', async () => {
    console = await start(2);
    const token = await machineToken(console);
    process.kill(owner(), 'SIGSTOP');
    try {
      expect(await isActive(await machineToken(console))).toBe(true);
      expect(await revoke(token)).toBe(503);
    } finally {
      process.kill(owner(), 'SIGCONT');
    }
    expect(await revoke(token)).toBe(200);
    expect(await isActive(token)).toBe(false);
  });

  test('that is told to stop lets each worker finish, and leaves no process behind (S81)', async () => {
    console = await start(2);
    const pending = await Promise.all(
      Array.from({ length: 6 }, () => beginRequest('/oauth2/token', 'grant_type=client_credentials')),
    );
    await untilRead(2);
    const workers = await childrenOf(owner());
    const stopped = console.stop();
    await waitFor(() => console.log().some(({ msg }) => msg === 'stopping'), 'the stop');
    for (const one of pending) expect((await one.finish()).status).toBe(200);
    expect(await stopped).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

/** @returns its refresh token; undefined when no answer came */
async function exchange(code: string): Promise<string | undefined> {
  const reply = await redeem(console, code).catch(() => undefined);
  if (reply?.status === 503) return undefined;
  if (reply) expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply?.body.refresh_token;
}

function replacements(): number {
  return console.log().filter(({ msg }) => String(msg).startsWith('worker ended')).length;
}

async function revoke(token: string): Promise<number | undefined> {
  const reply = await post('/oauth2/revoke', { token }).catch(() => undefined);
  return reply?.status;
}

async function isActive(token: string): Promise<boolean> {
  const reply = await post('/oauth2/introspect', { token });
  return ((await reply.json()) as { active: boolean }).active;
}

function post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const headers = { authorization: basic };
  return fetch(`${console.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
}

/** All but the last byte. */
async function beginRequest(path: string, body: string) {
  const connection = await openConnection(console.port);
  await connection.get('/live');
  const type = 'Content-Type: application/x-www-form-urlencoded';
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${console.port}\r\nAuthorization: ${basic}\r\n${type}\r\n`;
  connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
  return {
    finish() {
      connection.send(body.slice(-1));
      return connection.next();
    },
  };
}

/** Each worker has answered somebody who came later. */
async function untilRead(count: number): Promise<void> {
  const workers = await connectToAll(console.url, count);
  for (const worker of workers) {
    await worker.get('/live');
    worker.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return state !== 'Z';
  } catch {
    return false;
  }
}

async function childrenOfOwner(): Promise<number[]> {
  for (;;) {
    const found = await childrenOf(owner());
    if (found.length > 0) return found;
  }
}

/** Each mapping of the store's files, by whichever process of the console, takes 50 ms longer. */
async function stretchOpening() {
  const file = join(temporaryDirectory(), 'trace');
  const watched = ['data.mdb', 'lock.mdb'].flatMap((name) => [
    '-P',
    join(console.dataDir, 'artifacts', name),
  ]);
  const stretch = ['-e', 'trace=mmap', '-e', 'inject=mmap:delay_exit=50000'];
  const args = ['-f', '-p', String(owner()), '-o', file, ...watched, ...stretch];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await waitFor(() => said.includes('attached'), 'strace');
  return {
    text: () => readFileSync(file, 'utf8'),
    end() {
      const ended = new Promise((resolve) => strace.once('exit', resolve));
      strace.kill('SIGINT');
      return ended;
    },
  };
}

/** How often the store has been opened: it maps its lock table once. */
function opened(trace: string): number {
  return (
    trace.split('\n').filter((line) => line.includes('MAP_SHARED') && line.includes('DELAYED')).length / 2
  );
}
