/**
 * Items that were taken out of queues, where several consoles share a store: each lies there before the next one is taken, so
 * that any console gives them to whoever fetches them, encrypted where there is an encryption key (S79).
 */
import type { ArtifactStore } from '../storage/storage.ts';
import {
  type ItemFile,
  type ItemFiles,
  type ItemFilesDeps,
  labelOf,
  lineOf,
  storedMs,
} from './item-files.ts';

export interface SharedItemFilesDeps extends Omit<ItemFilesDeps, 'dataDir'> {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'removeByGrant'>;
}

const fileKind = 'ItemFile';
const itemKind = 'ItemFileLine';
/** Of a drain that takes its time: nothing of it goes before the file does. */
const mostDrainSeconds = 86_400;

export function createSharedItemFiles({ artifacts, cipher, now }: SharedItemFilesDeps): ItemFiles {
  return {
    async begin(jobId) {
      await putFile(jobId);
      return appending(jobId);
    },
    async measure(jobId) {
      const size = { items: 0, bytes: 0 };
      if ((await endOf(jobId)) === undefined) return undefined;
      for await (const text of read(jobId)) {
        size.items++;
        size.bytes += Buffer.byteLength(text);
      }
      return size.items === 0 ? undefined : size;
    },
    endOf,
    read,
    async remove(jobId) {
      return (await artifacts.removeByGrant(jobId, [fileKind, itemKind])) > 0;
    },
    // They expire with the store.
    async sweep() {},
    startSweeping: () => () => {},
  };

  async function putFile(jobId: string): Promise<void> {
    const endsAt = now() + storedMs;
    const expiresAt = Math.floor(endsAt / 1000);
    await artifacts.put(fileKind, jobId, { payload: { endsAt }, grantId: jobId, expiresAt });
  }

  function appending(jobId: string): ItemFile {
    let [items, bytes] = [0, 0];
    return {
      async append(item) {
        const text = lineOf(item);
        const expiresAt = Math.floor((now() + storedMs) / 1000) + mostDrainSeconds;
        const payload = { line: cipher.encrypt(text, labelOf(jobId, items)) };
        await artifacts.put(itemKind, nameOf(jobId, items), { payload, grantId: jobId, expiresAt });
        items += 1;
        bytes += Buffer.byteLength(text) + 1;
      },
      size: () => ({ items, bytes }),
      // The time that they are there for begins with the last one.
      close: () => putFile(jobId),
    };
  }

  async function endOf(jobId: string): Promise<number | undefined> {
    const found = await artifacts.get(fileKind, jobId);
    return (found?.payload as { readonly endsAt: number } | undefined)?.endsAt;
  }

  async function* read(jobId: string): AsyncGenerator<string, void> {
    for (let line = 0; ; line++) {
      const found = await artifacts.get(itemKind, nameOf(jobId, line));
      if (!found) return;
      yield `${cipher.open((found.payload as { line: string }).line, labelOf(jobId, line))}\n`;
    }
  }
}

function nameOf(jobId: string, line: number): string {
  return `${jobId} ${line}`;
}
