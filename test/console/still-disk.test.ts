/** A disk that takes seconds to sync, and a reader of the log that reads no more: neither holds up the console. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writersOf } from '../../console/audit/segments/segment-reader.ts';
import { temporaryDirectory } from '../commands/support.ts';
import { storedEvents } from '../helpers/audit.ts';
import { toolDone } from '../helpers/commands.ts';
import { machineToken, nextKeysOf, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';

vi.setConfig({ testTimeout: 120_000 });

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const preload = pathToFileURL(join(import.meta.dirname, '../helpers/loop-delay.mjs')).href;

/** Besides what a process that does nothing sees; where more wants to run than can, nobody's share is even. */
const mostDelayMs = loadavg()[0]! > availableParallelism() ? 250 : 50;
const syncMs = 2000;
const writeMs = 1000;

describe.skipIf(!canTrace)('with an fsync of two seconds (needs strace)', () => {
  test('a role change, sign-ins and /ready hold up neither proxied calls nor the event loop (C4, S100)', async () => {
    const { console, watch } = await watchedConsole();
    const token = await machineToken(console, 'app:Viewer');
    await nextKeysOf(console);
    const slow = await slowDisk(console);
    await watch.restart();

    let isOver = false;
    let slowest = 0;
    const calling = (async () => {
      while (!isOver) {
        const from = performance.now();
        const reply = await fetch(`${console.url}/svc/rest/cluster`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        await reply.arrayBuffer();
        expect(reply.status).toBe(200);
        slowest = Math.max(slowest, performance.now() - from);
        await delay(20);
      }
    })();
    const requester = (async () => {
      while (!isOver) {
        await (await fetch(`${console.url}/ready`)).arrayBuffer();
        await delay(100);
      }
    })();
    const from = performance.now();
    await toolDone(['role', 'add', 'reader', '--scope', 'svc:map:a:read'], { dataDir: console.dataDir });
    const took = performance.now() - from;
    isOver = true;
    await Promise.all([calling, requester]);
    const { console: own, others } = await watch.read();
    const syncs = await slow.end();
    process.stdout.write(
      `C4: role add ${Math.round(took)} ms, slowest read ${Math.round(slowest)} ms, event loop ${Math.round(own)} ms (others here ${Math.round(others)} ms)\n`,
    );
    expect(took, 'the change waits for the disk').toBeGreaterThan(2 * syncMs);
    expect(own).toBeLessThan(mostDelayMs + others);
    expect(slowest).toBeLessThan(1000);
    expect(syncs.length).toBeGreaterThan(2);
    expect(syncs.filter((line) => line.startsWith(`${console.child.pid} `))).toEqual([]);
  });
});

describe.skipIf(!canTrace)('with a write of one second (needs strace)', () => {
  test('entries that the embedded member persists hold up neither probes nor the event loop (C4, S100)', async () => {
    const file = join(temporaryDirectory(), 'member.yaml');
    const dataOf = (name: string) => JSON.stringify(join(temporaryDirectory(), name));
    const persistence = `{ enabled: true, base-dir: ${dataOf('data')}, backup-dir: ${dataOf('backups')}, durability: periodic }`;
    const restApi = '{ enabled: true, endpoint-groups: { DATA: { enabled: true } } }';
    writeFileSync(file, `svc:\n  network: { rest-api: ${restApi} }\n  persistence: ${persistence}\n`);
    const { console, watch } = await watchedConsole({ MEMBER_CONFIG: file });
    const headers = { Authorization: `Bearer ${await machineToken(console)}` };
    await nextKeysOf(console);
    const slow = await traceOf(console, [
      '-e',
      'trace=pwrite64',
      '-e',
      `inject=pwrite64:delay_enter=${writeMs * 1000}`,
    ]);
    await watch.restart();
    const from = performance.now();
    for (let n = 0; n < 3; n++) {
      const reply = await fetch(`${console.url}/svc/rest/maps/kept/${n}`, {
        method: 'POST',
        headers,
        body: 'x',
      });
      expect(reply.status).toBe(200);
    }
    const took = performance.now() - from;
    const { console: own, others } = await watch.read();
    const lines = (await slow.end()).filter((line) => line.includes('pwrite64('));
    expect(took, 'each entry waits for its write').toBeGreaterThan(3 * writeMs);
    expect(own).toBeLessThan(mostDelayMs + others);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.filter((line) => line.startsWith(`${console.child.pid} `))).toEqual([]);
  });
});

describe('a log reader that stops reading (C3, S100)', () => {
  test('holds up nothing; lines are dropped and counted, audit is kept, and the console stops in time', async () => {
    const { console, watch } = await watchedConsole({ CONSOLE_LOG_LEVEL: 'debug' });
    console.child.stderr!.pause();
    await watch.restart();
    const path = `/svc/rest/maps/${'m'.repeat(200)}/${'k'.repeat(2000)}`;
    const token = await machineToken(console, 'app:Viewer');
    // Each is refused, with a line of some kilobytes: in all well above what may wait.
    const calls = 2000;
    let rejected = 0;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < calls / 4; n++) {
          const headers = { Authorization: `Bearer ${token}` };
          const reply = await fetch(console.url + path, { method: 'PUT', headers, body: 'x' });
          await reply.arrayBuffer();
          if (reply.status === 403) rejected++;
        }
      }),
    );
    expect(rejected).toBe(calls);
    const { console: own, others } = await watch.read();
    const dropped = await numberOf(console, 'console_log_lines_dropped_total');
    process.stdout.write(
      `C3: event loop ${Math.round(own)} ms (others here ${Math.round(others)} ms), ${dropped} lines dropped\n`,
    );
    expect(dropped).toBeGreaterThan(0);
    expect(await numberOf(console, 'console_audit_lines_lost_total')).toBe(0);
    const kept = () => storedEvents(console.dataDir).filter(({ outcome }) => outcome === 'denied').length;
    await waitFor(() => kept() === calls, 'every audit line');
    expect(statSync(join(console.dataDir, 'audit')).mode & 0o777).toBe(0o700);
    const [writer] = writersOf(join(console.dataDir, 'audit'));
    expect(statSync(join(console.dataDir, 'audit', writer!)).mode & 0o777).toBe(0o700);
    expect(statSync(join(console.dataDir, 'audit', writer!, '00000001.log')).mode & 0o777).toBe(0o600);

    const from = performance.now();
    console.child.kill('SIGTERM');
    const code = await new Promise((resolve) => console.child.once('exit', resolve));
    expect(code).toBe(0);
    expect(performance.now() - from).toBeLessThan(15_000);
    console.child.stderr!.resume();
  });

  test('is told how much it missed when it reads again', async () => {
    const { console } = await watchedConsole();
    console.child.stderr!.pause();
    const path = `/svc/rest/maps/${'m'.repeat(200)}/${'k'.repeat(2000)}`;
    const token = await machineToken(console, 'app:Viewer');
    const headers = { Authorization: `Bearer ${token}` };
    while ((await numberOf(console, 'console_log_lines_dropped_total')) === 0) {
      const calls = Array.from({ length: 200 }, () => fetch(console.url + path, { method: 'PUT', headers }));
      await Promise.all(calls.map(async (reply) => (await reply).arrayBuffer()));
    }
    console.child.stderr!.resume();
    const reported = () => /"lines":(\d+),"msg":"log lines were dropped/.exec(console.stderr());
    const line = await console.waitFor(() => reported() ?? undefined, 'a line about what was dropped');
    expect(Number(line[1])).toBeGreaterThan(0);
  });
});

interface Watch {
  restart(): Promise<void>;
  /** Longest hold-ups of the event loop: of the console, and of a process that does nothing. */
  read(): Promise<{ readonly console: number; readonly others: number }>;
}

async function watchedConsole(env: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const files = { console: join(directory, 'console'), others: join(directory, 'others') };
  const console = await startConsole({
    isFirstStart: true,
    env: { ...env, NODE_OPTIONS: `--import=${preload}`, LOOP_DELAY_FILE: files.console },
  });
  const idle = spawn(process.execPath, ['--import', preload, '-e', 'setInterval(() => {}, 1e6)'], {
    env: { ...process.env, LOOP_DELAY_FILE: files.others },
  });
  onTestFinished(async () => {
    idle.kill();
    if (console.child.exitCode === null) await console.stop();
  });

  async function readOne(child: ChildProcess, file: string): Promise<number> {
    rmSync(file, { force: true });
    // The handler is set up while the process starts; before that the signal would end it.
    await waitFor(() => handlesSigusr2(child), 'a process that handles the signal', 60_000);
    child.kill('SIGUSR2');
    await waitFor(() => existsSync(file) && readFileSync(file, 'utf8') !== '', 'the delay of an event loop');
    return Number(readFileSync(file, 'utf8'));
  }

  const watch: Watch = {
    async restart() {
      await delay(500);
      await watch.read();
    },
    async read() {
      const others = await readOne(idle, files.others);
      return { console: await readOne(console.child, files.console), others };
    },
  };
  return { console, watch };
}

function handlesSigusr2({ pid }: ChildProcess): boolean {
  const [, caught = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGUSR2 - 1))) !== 0n;
}

/** Each sync of the console takes two seconds from now on. */
async function slowDisk(console: RunningConsole) {
  const { end } = await traceOf(console, [
    '-e',
    'trace=fsync,fdatasync',
    '-e',
    `inject=fsync,fdatasync:delay_enter=${syncMs * 1000}`,
  ]);
  return { end: async () => (await end()).filter((line) => line.includes('sync')) };
}

/** @param calls  what strace is told of system calls */
async function traceOf({ child }: RunningConsole, calls: readonly string[]) {
  const trace = join(temporaryDirectory(), 'trace');
  const strace = spawn('strace', ['-f', '-p', String(child.pid), '-o', trace, ...calls], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  strace.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await waitFor(() => said.includes('attached'), 'strace');
  return {
    /** Each line begins with the thread that called. */
    async end(): Promise<string[]> {
      const ended = new Promise((resolve) => strace.once('exit', resolve));
      strace.kill('SIGINT');
      await ended;
      return readFileSync(trace, 'utf8').split('\n').filter(Boolean);
    },
  };
}

async function numberOf({ url }: RunningConsole, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}
