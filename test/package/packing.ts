/** Makes the package as people do, in a copy of the project: while npm packs, the manifest is not the project's own. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
/** What is no part of a commit, and what no package is made of. */
const left = ['.git', 'node_modules', 'dist', 'data', 'test', 'bench'];

/** @returns a folder with the sources, and the project's libraries behind a link */
export async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'package-project-'));
  const names = (await readdir(root)).filter(
    (name) => !left.includes(name) && !/\.(?:secret|tgz)$/.test(name),
  );
  await Promise.all(names.map((name) => cp(join(root, name), join(copy, name), { recursive: true })));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @returns the package's file */
export async function pack(project: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: project });
  return join(project, stdout.trim().split('\n').at(-1)!);
}

/** As an installation is made for a service, but for the libraries, which come from this project and not from a registry. */
export async function unpack(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'package-unpacked-'));
  await run('tar', ['xzf', file, '-C', folder, '--strip-components=1']);
  const { packages } = JSON.parse(await readFile(join(folder, 'npm-shrinkwrap.json'), 'utf8'));
  const paths = Object.keys(packages as object).filter((path) => path !== '');
  for (const path of paths) {
    // Binaries for other machines are in the list and not installed.
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { recursive: true }).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return folder;
}
