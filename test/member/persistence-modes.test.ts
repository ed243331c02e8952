import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test, vi } from 'vitest';
import { addressIn, type PersistentMember, persistentMember, startProcess } from './member-process.ts';
import { call, eventually } from './support.ts';

vi.setConfig({ testTimeout: 240_000 }); // several starts, on a machine that others use too

const management = 'rest/management/cluster';
/** The first one of a member. */
const log = '0000000001.log';

/** Path and mode of everything that others may reach; the directory itself is `.`. */
function openIn(directory: string): string[] {
  const names = ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })];
  return names.flatMap((name) => {
    const stats = statSync(join(directory, name));
    const mode = (stats.mode & 0o777).toString(8);
    return mode === (stats.isDirectory() ? '700' : '600') ? [] : [`${name || '.'} ${mode}`];
  });
}

async function backUp(member: PersistentMember): Promise<string> {
  expect((await member.call('POST', `${management}/backup`, 'dev&')).status).toBe(200);
  const backups = () => readdirSync(member.backupDir).filter((name) => /^backup-\d+$/.test(name));
  const [name] = await eventually(
    async () => backups(),
    ({ length }) => length > 0,
  );
  return join(member.backupDir, name!);
}

test.skipIf(process.platform === 'win32')(
  'state, logs, backup and what is moved aside are not open to others, whatever the umask (S79)',
  async () => {
    const umask = process.umask(0);
    try {
      const member = persistentMember({ durability: 'periodic' });
      await member.start();
      await member.call('POST', 'rest/maps/m/k', 'v');
      expect(readdirSync(await backUp(member), { recursive: true })).toContain(`data/${log}`);
      expect(readdirSync(join(member.baseDir, 'data'))).toContain(log);
      expect(openIn(member.backupDir)).toEqual([]);
      expect(openIn(member.baseDir)).toEqual([]);
      await member.stop();

      truncateSync(join(member.baseDir, 'data', log), 40);
      expect(await member.start()).toContain('waits');
      await member.call('POST', `${management}/partialStart`, 'dev&');
      await eventually(
        () => member.call('POST', 'rest/maps/m/new', 'v'),
        ({ status }) => status === 200,
      );
      expect(readdirSync(join(member.baseDir, 'set-aside'), { recursive: true }).join()).toContain(log);
      expect(openIn(member.baseDir)).toEqual([]);
      await member.stop();
    } finally {
      process.umask(umask);
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'data of a former version that is open to others is tightened at the start, with a warning (S79)',
  async () => {
    const member = persistentMember({ durability: 'sync' });
    await member.start();
    await member.call('POST', 'rest/maps/m/k', 'v');
    await backUp(member);
    await member.stop();
    execFileSync('chmod', ['-R', 'a+rX', member.baseDir, member.backupDir]);
    chmodSync(member.dir, 0o755); // not the member's
    expect(openIn(member.baseDir)).toContain(`data/${log} 644`);

    const started = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: join(member.dir, 'member.yaml') });
    const read = () => call(`${addressIn(started.ready)}/svc/rest/maps/m/k`, 'GET');
    expect(await eventually(read, ({ status }) => status !== 503)).toMatchObject({ status: 200, body: 'v' });
    expect(openIn(member.baseDir)).toEqual([]);
    const [backup] = readdirSync(member.backupDir);
    expect(openIn(join(member.backupDir, backup!))).toEqual([]);
    expect(statSync(member.dir).mode & 0o777).toBe(0o755);
    expect(await started.stop('SIGTERM')).toBe(0);
    const lines = started.errors().split('\n');
    const reported = lines
      .filter((line) => line.includes('permissions tightened'))
      .map((line) => JSON.parse(line));
    expect(reported.map(({ level }) => level)).toEqual([40, 40]);
    const [data, backups] = reported.map(({ paths }) =>
      paths.map((path: string) => relative(member.dir, path)),
    );
    expect(data).toEqual(expect.arrayContaining(['data', `data/data/${log}`, 'data/instance']));
    expect(backups).toContain(`backups/${backup}/data/${log}`);
    expect(reported.map(({ count }) => count)).toEqual([data.length, backups.length]);
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'a member does not start on the data of another user, and changes nothing of it (skipped unless root) (S79)',
  async () => {
    const member = persistentMember({ durability: 'sync' });
    await member.start();
    await member.stop();
    const file = join(member.baseDir, 'data', log);
    chmodSync(file, 0o644);
    chownSync(file, 12_345, 12_345);
    expect(await member.start()).toContain(
      `${file} belongs to user id 12345, but this process runs as user id 0`,
    );
    expect(await member.stop()).toBe(78);
    expect(statSync(file).mode & 0o777).toBe(0o644);

    chownSync(file, 0, 0);
    const backup = join(member.backupDir, 'backup-1'); // another member's, in a place for both
    mkdirSync(backup, { recursive: true });
    chmodSync(backup, 0o755);
    chownSync(backup, 12_345, 12_345);
    expect(await member.start()).toContain('ready');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(backup).mode & 0o777).toBe(0o755);
  },
);
