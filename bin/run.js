// Runs a program that is built; in a fresh clone, builds it first.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @param {string} program  its path in `dist/` */
export async function run(program) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const file = new URL(`../dist/${program}`, import.meta.url);

  if (!existsSync(file)) {
    // Its output goes to standard error: standard output belongs to the program.
    spawnSync('npm', ['run', '--silent', 'build'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
  }
  if (existsSync(file)) {
    await import(file.href);
  } else {
    process.stderr.write(
      `The console is not built, and building it failed. In ${root}: npm ci && npm run build\n`,
    );
    process.exitCode = 1;
  }
}
