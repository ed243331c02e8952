/**
 * Files of jobs where several consoles share a store: in parts that lie there, since whoever works on a job, or fetches its
 * file, need not be who has taken it in.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '../storage/storage.ts';
import { folderOf, type Uploads } from './uploads.ts';

export interface SharedFilesDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'removeByGrant'>;
  readonly uploads: Uploads;
  readonly dataDir: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface SharedFiles {
  /** @returns bytes, when all consoles can read them. @throws {JobFailure} `content_too_large` @throws {StorageUnavailableError} */
  store(jobId: string, bytes: AsyncIterable<Buffer>): Promise<number>;
  /** On the disk of this console from now on, where it was stored at all. @throws {StorageUnavailableError} */
  fetch(jobId: string): Promise<void>;
  /** From all of them. @throws {StorageUnavailableError} */
  remove(jobId: string): Promise<void>;
}

const kind = 'JobUploadPart';
/** A job that nobody has come to by then is not worked on any more. */
const storedSeconds = 7 * 86_400;

export function createSharedFiles({ artifacts, uploads, dataDir, now }: SharedFilesDeps): SharedFiles {
  return {
    store: (jobId, bytes) => uploads.whileTakenIn(jobId, () => storeAndShare(jobId, bytes)),
    async fetch(jobId) {
      const folder = folderOf(dataDir, jobId);
      const path = join(folder, 'upload');
      const isHere = await stat(path).then(
        () => true,
        () => false,
      );
      const first = isHere ? undefined : await artifacts.get(kind, nameOf(jobId, 0));
      if (!first) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Whole at once: what a kill has left half-way is written anew.
      await rm(`${path}.part`, { force: true });
      const file = await open(`${path}.part`, 'wx', 0o600);
      try {
        for (let n = 0, part = first; part; n++) {
          await file.appendFile(Buffer.from((part.payload as { bytes: string }).bytes, 'base64'));
          part = (await artifacts.get(kind, nameOf(jobId, n + 1)))!;
        }
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
    },
    async remove(jobId) {
      await artifacts.removeByGrant(jobId, [kind]);
    },
  };

  async function storeAndShare(jobId: string, bytes: AsyncIterable<Buffer>): Promise<number> {
    const size = await uploads.store(jobId, bytes);
    const folder = folderOf(dataDir, jobId);
    try {
      await share(jobId, join(folder, 'upload'));
      return size;
    } catch (error) {
      await artifacts.removeByGrant(jobId, [kind]).catch(() => {});
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function share(jobId: string, path: string): Promise<void> {
    const expiresAt = Math.floor(now() / 1000) + storedSeconds;
    let n = 0;
    for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
      const payload = { bytes: part.toString('base64') };
      await artifacts.put(kind, nameOf(jobId, n++), { payload, grantId: jobId, expiresAt });
    }
  }
}

function nameOf(jobId: string, part: number): string {
  return `${jobId} ${part}`;
}
