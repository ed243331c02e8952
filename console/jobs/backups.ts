/** Backups in the data directory, made by a running console: each whole, or not there. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '../storage/storage.ts';
import type { JobKind } from './job-kind.ts';

export interface Backup {
  readonly id: string;
  readonly createdAt: number;
  readonly bytes: number;
}

export interface BackupsDeps {
  readonly dataDir: string;
  readonly storage: Pick<Storage, 'backup'>;
}

const idPattern = /^bak_[0-9a-f]{32}$/;
/** It is written last. */
const manifest = 'backup.json';

export type Backups = ReturnType<typeof createBackups>;

export function createBackups({ dataDir, storage }: BackupsDeps) {
  const folder = join(dataDir, 'backups');
  return {
    /** By id, the oldest first. */
    async list(): Promise<readonly Backup[]> {
      const names = await readdir(folder).catch(() => [] as string[]);
      const found = await Promise.all(names.filter((name) => idPattern.test(name)).map(read));
      return found.filter((backup) => backup !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    find: (id: string): Promise<Backup | undefined> => read(id),
    kind: {
      event: 'store.backed_up',
      /** A copy cannot be broken off: who cancels it meanwhile is too late. */
      async run({ job, report }) {
        const id = idOf(job.id);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        report({ done: 0, total: 1, step: 'copying the store' });
        await storage.backup(join(folder, id));
        report({ done: 1, total: 1, step: 'done' });
        return { backup: id };
      },
      async discard(job) {
        const id = idOf(job.id);
        const names = await readdir(folder).catch(() => [] as string[]);
        const left = names.filter((name) => name.startsWith(`${id}.`));
        await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
      },
    } satisfies JobKind,
  };

  async function read(id: string): Promise<Backup | undefined> {
    const path = join(folder, id);
    if (!idPattern.test(id) || !existsSync(join(path, manifest))) return undefined;
    const files = ['registry.json', join('artifacts', 'data.mdb'), manifest].map((name) => join(path, name));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    const { mtimeMs } = await stat(join(path, manifest));
    return { id, createdAt: Math.floor(mtimeMs), bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }
}

/** The backup that a job makes. */
export function idOf(jobId: string): string {
  return jobId.replace(/^job_/, 'bak_');
}
