/** What a data directory may be, and what is left alone (S99). */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { strangerIn } from '../../console/storage/embedded/store-files.ts';
import { root } from '../commands/support.ts';
import { runTool } from '../helpers/commands.ts';
import { runFailing } from '../helpers/console.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const others = [
  {
    name: 'a directory of something else',
    make(at: string) {
      mkdirSync(at);
      chmodSync(at, 0o755);
      writeFileSync(join(at, 'thesis.tex'), 'years of work');
      return at;
    },
  },
  {
    name: 'a file',
    make(at: string) {
      writeFileSync(at, 'myhost\n');
      chmodSync(at, 0o644);
      return at;
    },
  },
  {
    name: 'a path below a file',
    make(at: string) {
      writeFileSync(at, 'myhost\n');
      chmodSync(at, 0o644);
      return join(at, 'data');
    },
  },
];

describe('what is none of the console is left as it is, with exit 78 and what to do (B10)', () => {
  test.each(others)('$name', async ({ make }) => {
    const at = join(temporaryDirectory(), 'theirs');
    const dataDir = make(at);
    const before = snapshotOf(at);
    const rejected = await runFailing({ dataDir });
    expect([rejected.code, rejected.stdout]).toEqual([78, '']);
    expect(rejected.stderr).toMatch(/cannot be the data directory.*Nothing was changed.*CONSOLE_DATA_DIR/);
    expect(snapshotOf(at)).toEqual(before);

    const args = ['user', 'add', 'ada', '--password-file', '-', '--json'];
    const reported = await runTool(args, { dataDir, stdin: 'correct-staple-battery-9' });
    expect([reported.code, reported.json().error]).toEqual([78, 'storage_foreign']);
    expect(snapshotOf(at)).toEqual(before);
  });

  test.skipIf(process.platform !== 'linux')('a path below /proc, where nothing can be made', async () => {
    const rejected = await runFailing({ dataDir: '/proc/console/data' });
    expect(rejected.code).toBe(78);
    expect(rejected.stderr).toContain('it cannot be made');
  });

  test('a directory that is empty, that has console.yaml, or a new volume with lost+found, is taken', async () => {
    for (const name of ['', 'console.yaml', 'lost+found']) {
      const dataDir = join(temporaryDirectory(), 'data');
      mkdirSync(dataDir, { mode: 0o755 });
      if (name === 'lost+found') mkdirSync(join(dataDir, name));
      else if (name) writeFileSync(join(dataDir, name), '');
      await (await openStorage({ dataDir, role: 'console' })).close();
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      // A second start finds what the first one made, and may find more: it is a store by now.
      writeFileSync(join(dataDir, 'notes.txt'), '');
      await (await openStorage({ dataDir, role: 'console' })).close();
    }
  });
});

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

describe.skipIf(!canMount)('a disk that takes no writes is not called damaged (needs mount) (D13)', () => {
  test.each([
    { name: 'read_only', of: '', shut: 'mount -o remount,ro "$0"', says: /mounted read-only.*not damaged/ },
    {
      name: 'full',
      of: '',
      shut: 'cat /dev/zero > "$0/zeros" 2>/dev/null; mv "$0/zeros" "$0/registry.json.zeros"',
      says: /no room left \(df -h\).*not damaged/,
    },
    {
      name: 'full',
      of: ' of inodes',
      shut: 'n=0; while touch "$0/lock/$n" 2>/dev/null; do n=$((n+1)); done',
      says: /no inode is left \(df -i\).*not damaged/,
    },
  ])('$name$of', async ({ name, shut, says }) => {
    const dataDir = join(temporaryDirectory(), 'data');
    const storage = await openStorage({ dataDir, role: 'console' });
    await storage.close();
    // A copy of the store on a disk of its own, that nobody else sees.
    const script = `cp -a "$0" "$0.copy" && mount -t tmpfs -o size=4m,nr_inodes=40,mode=0700 none "$0" && cp -a "$0.copy/." "$0" && ${shut}; exec "$@"`;
    const list = [process.execPath, 'bin/console.js', 'user', 'list', '--json', '--data-dir', dataDir];
    const { stdout } = spawnSync('unshare', ['-m', 'sh', '-c', script, dataDir, ...list], {
      encoding: 'utf8',
    });
    onTestFinished(() => rmSync(`${dataDir}.copy`, { recursive: true, force: true }));
    expect(JSON.parse(stdout)).toEqual({
      error: `storage_${name}`,
      message: expect.stringMatching(says),
    });
    expect(stdout).not.toMatch(/restore|backup/);
  });
});

function snapshotOf(at: string): unknown {
  const { mode, size, mtimeMs, uid } = statSync(at);
  return { mode, size, mtimeMs, uid, names: statSync(at).isDirectory() ? readdirSync(at) : [] };
}

test('what the console itself puts into a data directory shows no stranger, whether a store is there or elsewhere', () => {
  const files = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(root, 'console', file), 'utf8').matchAll(/\bjoin\(\s*dataDir,\s*'([^']+)'/g),
    ])
    .map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(['audit-index', 'jobs', 'queue-items', 'traffic']));
  expect(names.filter((name) => strangerIn([name]) !== undefined)).toEqual([]);
});
