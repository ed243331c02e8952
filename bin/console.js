#!/usr/bin/env node
// `npx console …`: runs the compiled tool, and compiles it first in a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = new URL('../dist/console/cli.js', import.meta.url);

if (!existsSync(tool)) {
  // Its output goes to standard error: standard output belongs to the command.
  spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}
if (existsSync(tool)) {
  await import(tool.href);
} else {
  process.stderr.write(
    `The console is not built, and building it failed. In ${root}: npm ci && npm run build\n`,
  );
  process.exitCode = 1;
}
