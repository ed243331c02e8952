import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, writeTemporary } from '../../platform/files/durable-file.ts';
import { bounds, type Operation } from './operations.ts';

/** What is written at once: some hundred microseconds of work, between which calls are answered. */
const chunkBytes = 64 * 1024;

/**
 * Writes a file of operations; it has its name when it is whole and on the disk.
 *
 * @returns its bytes
 */
export async function writeOperations(path: string, operations: Iterable<Operation>): Promise<number> {
  let bytes = 0;
  function* counted(): Generator<Buffer> {
    for (const chunk of chunksOf(operations)) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const temporary = await writeTemporary(path, counted());
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
  return bytes;
}

function* chunksOf(operations: Iterable<Operation>): Generator<Buffer> {
  let chunk: Operation[] = [bounds.begin];
  let bytes = 0;
  for (const operation of operations) {
    chunk.push(operation);
    bytes += operation.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    bytes = 0;
  }
  yield Buffer.concat([...chunk, bounds.end]);
}
