/** `packaging/cluster-console.service`: what systemd says of it, and its command where it may call what the unit allows. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientSecret, followed, freePort, logIn, machineToken, waitFor } from '../helpers/console.ts';
import { askShared } from '../once/ask.ts';

const unit = resolve(import.meta.dirname, '../../packaging/cluster-console.service');
const text = await readFile(unit, 'utf8');
const has = (program: string) => spawnSync(program, ['--version']).status === 0;
const hasSystemd = has('systemd-analyze');
const hasStrace = hasSystemd && has('strace');
/** Of all that an unit may leave open, 0 is none and 10 all. */
const mostExposed = 1.5;

function valuesOf(name: string): string[] {
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
}

describe.skipIf(!hasSystemd)('systemd (needs systemd-analyze)', () => {
  test('knows every line of the unit', async () => {
    const { folder } = await askShared('package');
    const directory = await mkdtemp(join(tmpdir(), 'service-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const here = join(directory, 'cluster-console.service');
    await writeFile(here, text.replaceAll('/opt/cluster-console/', `${folder}/`));
    const said = spawnSync('systemd-analyze', ['verify', here], { encoding: 'utf8' });
    expect([said.status, said.stdout, said.stderr]).toEqual([0, '', '']);
  });

  test(`finds it exposed by ${mostExposed} at most, and open in what it says`, () => {
    const args = ['security', '--offline=true', `--threshold=${mostExposed * 10}`, unit];
    const said = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(said.status, said.stdout).toBe(0);
    const open = [...said.stdout.matchAll(/^✗ (\S+)/gm)].map(([, name]) => name);
    expect(open.sort()).toEqual([
      'DeviceAllow=',
      'IPAddressDeny=',
      'MemoryDenyWriteExecute=',
      'PrivateNetwork=',
      'ProcSubset=',
      'RestrictAddressFamilies=~AF_(INET|INET6)',
      'RestrictAddressFamilies=~AF_UNIX',
      'RootDirectory=/RootImage=',
    ]);
  });
});

test('a console that dies is back within two seconds, and one with wrong settings is not started again', () => {
  expect(valuesOf('Restart')).toEqual(['on-failure']);
  expect(valuesOf('RestartSec')).toEqual(['200ms']);
  expect(valuesOf('StartLimitIntervalSec')).toEqual(['0']);
  expect(valuesOf('RestartPreventExitStatus')).toEqual(['78']);
  // CONSOLE_SHUTDOWN_DELAY at its most, and the 30 s that a console has from then on.
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(60 + 30);
});

test.skipIf(!hasStrace)(
  'its command starts, gives a token and ends by SIGTERM with the unit’s settings, secrets and system calls (needs strace)',
  async () => {
    const { folder } = await askShared('package');
    const state = await mkdtemp(join(tmpdir(), 'service-state-'));
    onTestFinished(() => rm(state, { recursive: true, force: true }));
    const credentials = join(state, 'credentials');
    await mkdir(credentials, { mode: 0o700 });
    await writeFile(join(credentials, 'application-client-secret'), `${clientSecret}\n`);
    // As SetCredential= leaves what is not there.
    await writeFile(join(credentials, 'encryption-key'), '\n');

    const port = await freePort();
    const url = `http://localhost:${port}`;
    const [command] = valuesOf('ExecStart');
    const denied = deniedCalls();
    expect(denied).toEqual(expect.arrayContaining(['ptrace', 'mount', 'setuid', 'sched_setaffinity']));
    const started = followed(
      spawn(
        'strace',
        [
          '--quiet=all',
          '--follow-forks',
          '--seccomp-bpf',
          `--output=${join(state, 'trace')}`,
          // What strace does not know by name it passes over.
          `--trace=${denied.map((call) => `?${call}`).join(',')}`,
          `--inject=${denied.map((call) => `?${call}`).join(',')}:error=EPERM`,
          command!.replace('/opt/cluster-console', folder),
        ],
        {
          cwd: '/',
          env: {
            PATH: process.env.PATH,
            CONSOLE_URL: url,
            MEMBER_PORT: '0',
            ...environmentOf({ '%S': state, '%d': credentials }),
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ),
    );
    onTestFinished(() => void started.child.kill('SIGKILL'));
    await waitFor(() => started.stdout().includes('console ready at'), 'console ready', 60_000);
    expect((await machineToken({ url })).split('.')).toHaveLength(3);
    const dataDir = join(state, 'cluster-console');
    expect(existsSync(join(dataDir, 'registry.json'))).toBe(true);
    // What is denied to it, it can do without: protection keys for the memory of compiled code.
    const calls = (await readFile(join(state, 'trace'), 'utf8')).match(/\b\w+(?=\()/g) ?? [];
    expect([...new Set(calls)].filter((call) => call !== 'pkey_alloc')).toEqual([]);
    process.kill(
      Number(execFileSync('pgrep', ['-P', `${started.child.pid}`], { encoding: 'utf8' })),
      'SIGTERM',
    );
    expect(await started.exited, started.stderr()).toBe(0);
    expect(logIn(started.stderr()).at(-1)).toMatchObject({ msg: 'stopped' });
  },
);

/** What the unit sets, with systemd's specifiers filled in. */
function environmentOf(specifiers: Readonly<Record<string, string>>): Record<string, string> {
  const words = valuesOf('Environment').flatMap((line) => line.split(' '));
  const filled = words.map((word) =>
    Object.entries(specifiers).reduce((filling, [name, value]) => filling.replaceAll(name, value), word),
  );
  return Object.fromEntries(filled.map((word) => word.split(/=(.*)/s).slice(0, 2)));
}

/** The system calls that the unit's filter lets nobody make. */
function deniedCalls(): string[] {
  const allowed = new Set<string>();
  for (const line of valuesOf('SystemCallFilter')) {
    const isDenied = line.startsWith('~');
    for (const call of line.replace('~', '').split(' ').flatMap(callsOf)) {
      if (isDenied) allowed.delete(call);
      else allowed.add(call);
    }
  }
  return callsOf('@known').filter((call) => !allowed.has(call));
}

/** @param name  of a call, or of a group, which may have groups in it */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const listed = execFileSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' });
  const names = listed.split('\n').map((line) => line.trim());
  return names.filter((each) => /^@?\w/.test(each) && each !== name).flatMap(callsOf);
}
