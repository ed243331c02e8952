/** What was uploaded for a job: on the disk before the job is there, gone when it is over. */
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../platform/files/durable-file.ts';
import { JobFailure } from './job-kind.ts';

/** Bytes. */
const largestUpload = 1024 ** 3;

/**
 * @returns bytes that have reached the disk
 * @throws {JobFailure} `content_too_large`
 */
export async function storeUpload(
  dataDir: string,
  jobId: string,
  bytes: AsyncIterable<Buffer>,
  most = largestUpload,
): Promise<number> {
  const folder = folderOf(dataDir, jobId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, 'upload'), 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > most) throw new JobFailure('content_too_large', 'The body is larger than an import may be.');
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

/** Removes what came for jobs that never were: the process was gone before. @param known  ids of jobs that are not over */
export async function discardUploads(dataDir: string, known: ReadonlySet<string>): Promise<void> {
  const folder = join(dataDir, 'jobs');
  const names = await readdir(folder).catch(() => [] as string[]);
  const left = names.filter((name) => !known.has(name));
  await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}
