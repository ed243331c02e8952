/**
 * What is in a directory of configuration, so that consoles can compare theirs: by digests under a key that they share,
 * since secrets are among the files. What files name of the environment is not in it.
 */
import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { relative } from 'node:path';
import { listDirectory } from './directory-files.ts';

export interface FilesDigest {
  /** Of all of them; null: they cannot be read. */
  readonly digest: string | null;
  /** By their names in the directory; empty where there are more than are told one by one. */
  readonly files: readonly (readonly [name: string, digest: string])[];
}

const mostReported = 200;
const digestCharacters = 16;

/** @returns reads what has changed since it was asked last */
export function createFilesDigest(
  directory: string,
  readKey: () => Promise<Buffer>,
): () => Promise<FilesDigest> {
  let last: { readonly version: string; readonly read: FilesDigest } | undefined;
  return async () => {
    const key = await readKey();
    try {
      const { all, version } = await listDirectory(directory);
      if (last?.version !== version) last = { version, read: await digestOf(directory, all, key) };
      return last.read;
    } catch {
      return { digest: null, files: [] };
    }
  };
}

async function digestOf(directory: string, paths: readonly string[], key: Buffer): Promise<FilesDigest> {
  const files: (readonly [string, string])[] = [];
  for (const path of paths) {
    const name = relative(directory, path);
    const hash = createHmac('sha256', key).update(`${name}\0`);
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
    files.push([name, shortened(hash.digest('base64url'))]);
  }
  const all = createHmac('sha256', key).update(JSON.stringify(files)).digest('base64url');
  return { digest: shortened(all), files: files.length > mostReported ? [] : files };
}

function shortened(digest: string): string {
  return digest.slice(0, digestCharacters);
}
