/** What was uploaded for a job: on the disk before the job is there, gone when it is over. */

import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { problems } from '../../platform/errors.ts';
import { syncDirectory } from '../../platform/files/durable-file.ts';
import { JobFailure } from './job-kind.ts';

export interface Uploads {
  /**
   * @returns bytes that have reached the disk
   * @throws {JobFailure} `content_too_large`
   */
  store(jobId: string, bytes: AsyncIterable<Buffer>, most?: number): Promise<number>;
  /** Meanwhile nobody takes what lies there for left over: its job comes yet. */
  whileTakenIn<T>(jobId: string, work: () => Promise<T>): Promise<T>;
  /** Removes what came for jobs that never were: the process was gone before. @param isOpen  whether a job is not over */
  discard(isOpen: (jobId: string) => boolean): Promise<void>;
}

/** Bytes. */
const largestUpload = 1024 ** 3;

export function createUploads(dataDir: string): Uploads {
  const takenIn = new Set<string>();

  return {
    whileTakenIn,
    store: (jobId, bytes, most = largestUpload) =>
      whileTakenIn(jobId, () => storeIn(folderOf(dataDir, jobId), bytes, most)),
    async discard(isOpen) {
      const folder = join(dataDir, 'jobs');
      const names = await readdir(folder).catch(() => [] as string[]);
      const left = names.filter((name) => !isOpen(name) && !takenIn.has(name));
      await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
    },
  };

  async function whileTakenIn<T>(jobId: string, work: () => Promise<T>): Promise<T> {
    const isOuter = !takenIn.has(jobId);
    takenIn.add(jobId);
    try {
      return await work();
    } finally {
      if (isOuter) takenIn.delete(jobId);
    }
  }
}

async function storeIn(folder: string, bytes: AsyncIterable<Buffer>, most: number): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, 'upload'), 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > most)
        throw new JobFailure(problems.contentTooLarge, 'The body is larger than an import may be.');
      await file.appendFile(chunk);
    }
    await file.sync();
    await syncDirectory(folder);
    return size;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await file.close();
  }
}

export function folderOf(dataDir: string, jobId: string): string {
  return join(dataDir, 'jobs', jobId);
}
