import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataDirectory } from './directory.ts';
import { type Operation, wholeOperations } from './operations.ts';
import { makePrivateDirectory } from './private-files.ts';
import { writeOperations } from './state.ts';

/** Copies what is whole of damaged files into a log of its own. @returns how many changes */
export async function salvage(directory: DataDirectory): Promise<number> {
  let changes = 0;
  function* whole(): Generator<Operation> {
    for (const { path } of directory.files()) {
      for (const operation of wholeOperations(readFileSync(path))) {
        changes += 1;
        yield operation;
      }
    }
  }
  makePrivateDirectory(directory.renewed);
  await writeOperations(join(directory.renewed, basename(directory.log(1))), whole());
  return changes;
}
