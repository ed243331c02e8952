/** What is in a directory of configuration: descriptions at its top, and secrets beside them or in folders below. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface DirectoryFiles {
  /** Descriptions, by name. */
  readonly files: readonly string[];
  /** Descriptions and secrets, each folder in the order of names. */
  readonly all: readonly string[];
  /** The same as long as all of them are, secrets included. */
  readonly version: string;
}

const mostFiles = 2_000;
const deepest = 3;
const isDescription = (name: string) => /\.(?:ya?ml|json)$/.test(name);

/**
 * Follows links, by which mounted volumes are exchanged as a whole; what begins with a dot is passed over.
 *
 * @throws {Error} of the system
 */
export async function listDirectory(directory: string): Promise<DirectoryFiles> {
  const files: string[] = [];
  const all: string[] = [];
  const versions: string[] = [];

  async function list(folder: string, depth: number): Promise<void> {
    for (const name of (await readdir(folder)).sort()) {
      if (name.startsWith('.')) continue;
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      // Gone meanwhile, or a link to nothing: who names it says so.
      if (!found) continue;
      if (found.isDirectory()) {
        if (depth < deepest) await list(path, depth + 1);
        continue;
      }
      if (versions.length >= mostFiles) throw new Error(`there are more than ${mostFiles} files`);
      versions.push(`${path} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`);
      all.push(path);
      if (depth === 0 && isDescription(name)) files.push(path);
    }
  }

  await list(directory, 0);
  return { files, all, version: versions.join('\n') };
}
