/** Programs of tests around modules of ours, built as those are that people start. */
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

/**
 * @param file  from the root
 * @returns the path of the built program; the next build of the project takes it away
 */
export function built(file: string): string {
  const outfile = join(root, 'dist/test', `${file.replace(/[/.]/g, '-')}-${process.pid}.js`);
  buildSync({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return outfile;
}
