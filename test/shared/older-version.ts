/** An older version of this project, built from its commit by its own builder, with the libraries that are installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

export interface OlderVersion {
  /** Its programs. */
  readonly console: string;
  readonly proxy: string;
  remove(): Promise<void>;
}

/** Behind the name of what is skipped; undefined when this clone has them all. */
export function whyNotBuilt(commits: readonly string[]): string | undefined {
  const isThere = (commit: string) =>
    spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0;
  const gone = commits.find((commit) => !isThere(commit));
  return gone === undefined ? undefined : ` (skipped: this clone has no commit ${gone.slice(0, 8)})`;
}

/** @throws {Error} with what the builder wrote */
export async function buildOlderVersion(commit: string): Promise<OlderVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'console-older-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await run(process.execPath, ['build.js'], { cwd: folder });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    console: join(folder, 'dist/console/main.js'),
    proxy: join(folder, 'dist/console/proxy/main.js'),
    remove,
  };
}
