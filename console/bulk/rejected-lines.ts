/** Lines that are left out: the first one ends an import, or all go to a file with their reasons. */
import { open } from 'node:fs/promises';
import type { Fields } from './sources/source.ts';
import { createTextWriter } from './spool.ts';

export interface Rejected {
  readonly line: number;
  readonly reason: string;
  /** As far as it could be read. */
  readonly fields?: Fields | undefined;
}

/** The first line that cannot be imported. */
export class RejectedLineError extends Error {
  override readonly name = 'RejectedLineError';
  readonly line: number;

  constructor({ line, reason }: Rejected) {
    super(`Line ${line}: ${reason}${/[.?]$/.test(reason) ? '' : '.'}`);
    this.line = line;
  }
}

export interface RejectedLines {
  /** @throws {RejectedLineError} when nothing may be left out */
  add(rejected: Rejected): Promise<void>;
  count(): number;
  close(): Promise<void>;
}

export const noRejectedLines: RejectedLines = {
  add: async (rejected) => {
    throw new RejectedLineError(rejected);
  },
  count: () => 0,
  close: async () => {},
};

/** @param path  must not exist: what was rejected before is worth something. @throws {Error} `EEXIST` */
export async function createRejectedLines(path: string): Promise<RejectedLines> {
  // It holds hashes.
  const writer = createTextWriter(await open(path, 'wx', 0o600));
  let count = 0;
  return {
    async add({ line, reason, fields }) {
      count++;
      await writer.write(`${JSON.stringify({ line, reason, record: fields })}\n`);
    },
    count: () => count,
    close: () => writer.close(),
  };
}
