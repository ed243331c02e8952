import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, writeTemporary } from '../../platform/durable-file.ts';
import { marks, type Operation } from './operations.ts';

/** What is written at once: some hundred microseconds of work, between which calls are answered. */
const pieceBytes = 64 * 1024;

/**
 * Writes a file of operations; it has its name when it is whole and on the disk.
 *
 * @returns its bytes
 */
export async function writeOperations(path: string, operations: Iterable<Operation>): Promise<number> {
  let bytes = 0;
  function* counted(): Generator<Buffer> {
    for (const piece of piecesOf(operations)) {
      bytes += piece.length;
      yield piece;
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

function* piecesOf(operations: Iterable<Operation>): Generator<Buffer> {
  let piece: Operation[] = [marks.begin];
  let bytes = 0;
  for (const operation of operations) {
    piece.push(operation);
    bytes += operation.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(piece);
    piece = [];
    bytes = 0;
  }
  yield Buffer.concat([...piece, marks.end]);
}
