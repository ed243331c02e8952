/** The package, and an installation of it: both are there once for all files that try them. */
import { rm } from 'node:fs/promises';
import { copyProject, pack, unpack } from '../package/packing.ts';

export async function makePackage() {
  const project = await copyProject();
  const file = await pack(project);
  const folder = await unpack(file);
  return {
    answer: { file, folder },
    async stop() {
      for (const made of [project, folder]) await rm(made, { recursive: true, force: true });
    },
  };
}
