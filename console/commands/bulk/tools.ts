import type { Readable, Writable } from 'node:stream';
import { createProgress } from '../../bulk/progress.ts';
import type { Bulk } from '../runner/command.ts';

/** Standard input, output and error of this process. */
interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

export function createBulkTools(
  { stdin, stdout, stderr }: Streams,
  { target, dataDir }: Pick<Bulk, 'target' | 'dataDir'>,
): Bulk {
  const write = (text: string) => void stderr.write(text);
  return {
    target,
    dataDir,
    stdin,
    stdout,
    progress: createProgress({ write, isTerminal: stderr.isTTY === true, steady: () => performance.now() }),
    say: (line) => write(`${line}\n`),
  };
}
