/**
 * `packaging/Containerfile`: what its reader says of it, and its commands as a container runs them: a user of no account, a
 * root file system that cannot be written, no capabilities. The base image comes from a network, so Debian's own files and
 * this machine's Node stand in for it.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { clientSecret, followed, freePort, machineToken, waitFor } from '../helpers/console.ts';
import { askShared } from '../once/ask.ts';

const run = promisify(execFile);
const file = resolve(import.meta.dirname, '../../packaging/Containerfile');
const text = await readFile(file, 'utf8');
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const hadolint = join(cache, 'cluster-console/hadolint-2.15.1/venv/bin/hadolint');

/** The last image of the file: what it says, by instruction, with lines joined. */
const image = text
  .slice(text.lastIndexOf('\nFROM '))
  .replace(/\\\n/g, ' ')
  .split('\n')
  .map((line) => /^([A-Z]+) +(.*)$/.exec(line))
  .flatMap((match) => (match ? [{ name: match[1]!, value: match[2]! }] : []));
const one = (name: string) => image.find((each) => each.name === name)!.value;

test.skipIf(!existsSync(hadolint))(
  'its reader finds nothing wrong (skipped where not set up: test/peers/set-up-hadolint.sh)',
  () => {
    const said = spawnSync(hadolint, ['--failure-threshold', 'style', file], { encoding: 'utf8' });
    expect([said.status, said.stdout, said.stderr]).toEqual([0, '', '']);
  },
);

test('the image is made from the package alone, on a base of one tag, for a user that is not root', async () => {
  const ignored = await readFile(resolve(dirname(file), '../.containerignore'), 'utf8');
  expect(ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    '*',
    '!cluster-console-*.tgz',
  ]);
  expect(text).toMatch(/^ARG NODE_TAG=\d+\.\d+\.\d+-bookworm-slim$/m);
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toEqual(Array(2).fill(`docker.io/library/node:\${NODE_TAG}`));
  expect(one('USER')).toBe('10001:10001');
  expect(one('STOPSIGNAL')).toBe('SIGTERM');
  expect(one('VOLUME').split(' ')).toContain('/var/lib/cluster-console');
  expect(text).toContain('install -d -o 10001 -g 10001 -m 0700 /var/lib/cluster-console ');
});

/** Whether this machine lets us have name spaces of our own. */
const canIsolate = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

test.skipIf(!canIsolate)(
  'its entry point starts in a file system that cannot be written, is healthy, and ends by its signal (needs bwrap)',
  async () => {
    const { folder } = await askShared('package');
    const volume = await mkdtemp(join(tmpdir(), 'container-volume-'));
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const settings = {
      CONSOLE_URL: url,
      CONSOLE_HOST: '127.0.0.1',
      CONSOLE_PORT: `${port}`,
      MEMBER_PORT: '0',
    };
    const env = { ...settings, CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret };
    const inside = (command: readonly string[]) => [...isolation(folder, volume, env), ...command];
    onTestFinished(() => rm(volume, { recursive: true, force: true }));
    await mkdir(volume, { recursive: true });

    const health = JSON.parse(/CMD (\[.*\])$/.exec(one('HEALTHCHECK'))![1]!) as string[];
    const before = await run('bwrap', inside(health)).catch((error) => error);
    expect([before.code, before.stderr]).toEqual([1, expect.stringContaining('No console runs')]);

    const started = followed(
      spawn('bwrap', inside(JSON.parse(one('ENTRYPOINT'))), { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    onTestFinished(() => void started.child.kill('SIGKILL'));
    await waitFor(() => started.stdout().includes('console ready at'), 'console ready', 60_000);
    expect((await run('bwrap', inside(health))).stdout).toBe('The console is ready.\n');
    expect((await machineToken({ url })).split('.')).toHaveLength(3);

    const pid = await processIn(started.child.pid!);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    const written = await run('bwrap', inside(['sh', '-c', 'id -u; touch /opt/x /usr/x /x'])).catch(
      (error) => error,
    );
    expect([written.stdout, written.stderr.match(/Read-only file system/g)]).toEqual([
      '10001\n',
      Array(3).fill(expect.anything()),
    ]);

    process.kill(pid, one('STOPSIGNAL'));
    expect(await started.exited, started.stderr()).toBe(0);
  },
);

/** What podman does with `--read-only --cap-drop all`, as far as bwrap can: without the network's name space. */
function isolation(folder: string, volume: string, settings: Readonly<Record<string, string>>): string[] {
  const data = '/var/lib/cluster-console';
  const [uid, gid] = one('USER').split(':') as [string, string];
  const node = dirname(dirname(process.execPath));
  const own = Object.fromEntries(
    one('ENV')
      .split(/ +/)
      .map((word) => word.split(/=(.*)/s).slice(0, 2)),
  );
  const path = own.PATH.replace('$PATH', `${node}/bin:/usr/bin:/bin`);
  const env = Object.entries<string>({ ...own, PATH: path, ...settings });
  return [
    ['--unshare-all', '--share-net', '--uid', uid, '--gid', gid, '--cap-drop', 'ALL', '--die-with-parent'],
    ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ['--symlink', 'usr/lib64', '/lib64', '--ro-bind', node, node, '--ro-bind', '/etc/hosts', '/etc/hosts'],
    ['--ro-bind', folder, '/opt/cluster-console', '--bind', volume, data, '--tmpfs', '/tmp'],
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/', '--chdir', one('WORKDIR'), '--clearenv'],
    ...env.map(([name, value]) => ['--setenv', name, value]),
    ['--'],
  ].flat();
}

/** The console itself: bwrap has a process before it, the first of the new name space. */
async function processIn(bwrap: number): Promise<number> {
  let pid = bwrap;
  for (;;) {
    const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
    if (child === undefined) return pid;
    pid = Number(child);
  }
}
