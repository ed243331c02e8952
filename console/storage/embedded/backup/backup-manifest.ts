/** `backup.json`: what a backup must hold, so that a damaged one is noticed before it replaces anything. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { StorageRejectedError } from '../../storage.ts';

const formatVersion = 1;

/** The files of a backup: they lie as they do in a data directory. */
export const backupFiles = { registry: 'registry.json', artifacts: 'artifacts/data.mdb' } as const;
export const manifestFile = 'backup.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const manifest = z.object({
  version: z.literal(formatVersion),
  createdAt: z.iso.datetime(),
  sha256: z.object({ [backupFiles.registry]: sha256, [backupFiles.artifacts]: sha256 }),
});

/** @param createdAt  epoch milliseconds */
export async function formatManifest(directory: string, createdAt: number): Promise<string> {
  const content: z.infer<typeof manifest> = {
    version: formatVersion,
    createdAt: new Date(createdAt).toISOString(),
    sha256: {
      [backupFiles.registry]: await hashFile(join(directory, backupFiles.registry)),
      [backupFiles.artifacts]: await hashFile(join(directory, backupFiles.artifacts)),
    },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/**
 * Checks that `directory` is a backup and complete.
 *
 * @throws {StorageRejectedError} `corrupt` or `newer`
 */
export async function checkManifest(directory: string): Promise<void> {
  const { sha256: wanted } = readManifest(directory);
  for (const name of Object.values(backupFiles)) {
    const file = join(directory, name);
    if (!existsSync(file)) throw damaged(directory, `${name} is missing`);
    if ((await hashFile(file)) !== wanted[name]) throw damaged(directory, `${name} was changed since`);
  }
}

/** @returns the sum of the registry in a backup, if it is one */
export function registrySumOf(directory: string): string | undefined {
  const parsed = manifest.safeParse(parseIfPossible(join(directory, manifestFile)));
  return parsed.data?.sha256[backupFiles.registry];
}

function readManifest(directory: string): z.infer<typeof manifest> {
  if (!existsSync(directory)) throw damaged(directory, 'there is nothing of this name');
  const content = parseIfPossible(join(directory, manifestFile));
  const { version } = z.object({ version: z.number() }).catch({ version: 0 }).parse(content);
  if (version > formatVersion) {
    throw new StorageRejectedError('newer', `${directory} was written by a newer console`);
  }
  const parsed = manifest.safeParse(content);
  if (!parsed.success) throw damaged(directory, `it has no valid ${manifestFile}`, parsed.error);
  return parsed.data;
}

function parseIfPossible(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function damaged(directory: string, what: string, cause?: unknown): StorageRejectedError {
  return new StorageRejectedError('corrupt', `${directory} is no complete backup: ${what}`, { cause });
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
