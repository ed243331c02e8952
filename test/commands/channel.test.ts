/** Commands beside a running console: they go through it, since nobody else may open the store that it has. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { channelProtocol } from '../../console/commands/channel/messages.ts';
import { ownStore } from '../../console/storage/embedded/lmdb/store-owner.ts';
import {
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
  waitFor,
} from '../helpers/console.ts';
import { type Outcome, program, run, runTool, temporaryDirectory, toolDone, trailOf } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const password = 'unrelated-walnut-ferry-17';
const socketOf = (dataDir: string) => join(dataDir, 'console.sock');

describe('a command that finds a running console (B12)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test.skipIf(!canTrace)(
    'does not open its store, however slowly, while four callers make it commit (needs strace)',
    async () => {
      const trace = join(temporaryDirectory(), 'trace');
      const files = ['data.mdb', 'lock.mdb'].map((name) => join(console.dataDir, 'artifacts', name));
      const watched = files.flatMap((file) => ['-P', file]);
      const slowly = ['-f', '-o', trace, ...watched, '-e', 'trace=openat,mmap'];
      let isOver = false;
      const revoking = Array.from({ length: 4 }, async () => {
        while (!isOver) await revoke(console, await machineToken(console));
      });
      for (let n = 0; n < 6; n++) {
        const inject = ['-e', 'inject=mmap:delay_exit=50000'];
        const args = [...slowly, ...inject, process.execPath, program, 'session', 'list'];
        const { code, stderr } = await run('strace', args, { dataDir: console.dataDir });
        expect([code, stderr]).toEqual([0, '']);
        expect(readFileSync(trace, 'utf8')).not.toContain('.mdb');
      }
      isOver = true;
      await Promise.all(revoking);
      expect([console.child.exitCode, console.child.signalCode]).toEqual([null, null]);
    },
  );

  test('is carried out with the settings that the console has, not with those of its own shell (C8)', async () => {
    const { dataDir } = console;
    const { stdout } = await toolDone(['client', 'list'], { dataDir });
    expect(stdout).toContain('application-client');
    const misspelt = { CONSOLE_MEMBRES: 'x' };
    expect((await runTool(['client', 'list'], { dataDir, env: misspelt })).stdout).toBe(stdout);
  });

  test('reads secrets and files where it was typed, tells everything as without a console, and is audited', async () => {
    const { dataDir } = console;
    const add = ['user', 'add', 'grace', '--role', 'Viewer', '--password-file', '-', '--json'];
    const added = (await toolDone(add, { dataDir, stdin: password })).json();
    expect(added).toMatchObject({ id: 'grace', roles: ['Viewer'] });
    const last = (outcome: string) =>
      waitFor(() => {
        const line = trailOf(dataDir).at(-1);
        return line?.outcome === outcome && line;
      }, `a line of ${outcome}`);
    expect(await last('success')).toMatchObject({
      event: 'user.added',
      target: 'grace',
      actor: expect.stringMatching(/^local:/),
      via: 'cli',
      source: 'command line',
    });

    const again = await runTool(add, { dataDir, stdin: password });
    expect([again.code, again.json().error]).toEqual([1, 'already_exists']);
    expect(await last('denied')).toMatchObject({ event: 'user.added', reason: 'already_exists' });
    const empty = await runTool(add, { dataDir, stdin: '' });
    expect([empty.code, empty.json().message]).toEqual([1, 'Standard input is empty.']);
    const wrong = await runTool(['user', 'roles', 'grace', '--role', 'Nobody'], { dataDir });
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);

    const directory = temporaryDirectory();
    await toolDone(['backup', 'copy'], { dataDir, cwd: directory });
    expect(existsSync(join(directory, 'copy', 'backup.json'))).toBe(true);
  });

  test('gets at it by the permissions of the file and of the directory alone', () => {
    expect(statSync(socketOf(console.dataDir)).mode & 0o777).toBe(0o600);
    expect(statSync(console.dataDir).mode & 0o777).toBe(0o700);
  });

  test('many at once: each is carried out', async () => {
    const { dataDir } = console;
    const names = Array.from({ length: 6 }, (_, n) => `many-${n}`);
    await Promise.all(names.map((name) => toolDone(['client', 'add', name], { dataDir })));
    const { stdout } = await toolDone(['client', 'list'], { dataDir });
    for (const name of names) expect(stdout).toContain(name);
  });

  test('and a caller that says nothing, or nonsense, keeps nobody from it', async () => {
    const script = `const s = require('node:net').connect(process.argv[1]);
      s.on('connect', () => { s.write(process.argv[2]); process.stdout.write('connected'); });
      s.on('close', () => process.exit()); s.on('error', () => process.exit());`;
    const path = socketOf(console.dataDir);
    const nonsense = spawnSync(process.execPath, ['-e', script, path, 'no JSON\n'], { timeout: 10_000 });
    expect(String(nonsense.stdout)).toBe('connected');
    await toolDone(['user', 'list'], { dataDir: console.dataDir });
  });
});

test('a data directory whose path is longer than the address of a socket may be (B12)', async () => {
  const dataDir = join(temporaryDirectory(), 'x'.repeat(120), 'data');
  const console = await startConsole({ dataDir });
  onTestFinished(async () => void (await console.stop()));
  expect((await toolDone(['client', 'list'], { dataDir })).stdout).toContain('application-client');
});

describe('where no console runs (B12)', () => {
  test('commands that are typed at once take turns at the store, and a console that starts waits for them', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const add = async (name: string) => {
      const tool = () => runTool(['user', 'add', name, '--password-file', '-'], { dataDir, stdin: password });
      // Seldom the locks go in the moment in which they are wanted, which it says (test/storage/owners-at-once.test.ts).
      const isOther = ({ code, stderr }: Outcome) =>
        code !== 0 && stderr.includes('at this moment: try again');
      const first = await tool();
      const { code, stderr } = isOther(first) ? await tool() : first;
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    };
    await add('ada');
    await Promise.all([add('grace'), add('alan')]);

    const release = await ownStore(dataDir, 'tool');
    const starting = startConsole({ dataDir });
    onTestFinished(async () => void (await (await starting).stop()));
    const owner = join(dataDir, 'lock', 'owner');
    const isHeld = JSON.parse(readFileSync(owner, 'utf8')).pid === process.pid;
    expect(isHeld).toBe(true);
    await release();
    const console = await starting;
    expect(JSON.parse(readFileSync(owner, 'utf8'))).toMatchObject({
      pid: console.child.pid,
      kind: 'console',
    });
    expect((await toolDone(['user', 'list'], { dataDir })).stdout).toContain('alan');
  });

  test('a console that was killed leaves nothing behind that a command would wait for', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const killed = await startConsole({ dataDir });
    killed.child.kill('SIGKILL');
    await waitFor(() => killed.child.signalCode !== null, 'the end of the console');
    expect(existsSync(socketOf(dataDir))).toBe(true);
    expect((await toolDone(['user', 'list'], { dataDir })).stdout).toContain('ada');
    const next = await startConsole({ dataDir });
    expect((await toolDone(['user', 'list'], { dataDir })).stdout).toContain('ada');
    expect(await next.stop()).toBe(0);
    expect(existsSync(socketOf(dataDir))).toBe(false);
  });

  test.each([
    { name: 'another protocol', says: /version 9\.9\.9.*does not understand/, protocol: 99 },
    { name: 'another version', says: /version 9\.9\.9, this command line/, protocol: channelProtocol },
  ])('a console of $name is told', async ({ says, protocol }) => {
    const dataDir = join(temporaryDirectory(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const hello = { kind: 'hello', protocol, version: '9.9.9', pid: process.pid };
    const reply = { kind: 'reply', reply: { text: 'done there', json: {} }, hasRest: false };
    const server = createServer((socket) => {
      socket.write(`${JSON.stringify(hello)}\n`);
      socket.on('error', () => {}).once('data', () => socket.end(`${JSON.stringify(reply)}\n`));
    });
    await new Promise<void>((resolve) => server.listen(socketOf(dataDir), resolve));
    onTestFinished(() => void server.close());
    const { code, stdout, stderr } = await runTool(['backup', 'copy'], { dataDir });
    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual(protocol === channelProtocol ? [0, 'done there\n'] : [1, '']);
  });
});

async function revoke({ url }: RunningConsole, token: string): Promise<void> {
  const reply = await fetch(`${url}/oauth2/revoke`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    body: new URLSearchParams({ token }),
  });
  expect(reply.status).toBe(200);
}
