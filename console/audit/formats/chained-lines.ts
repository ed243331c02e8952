/**
 * An export whose chain can still be checked: entries as they are stored, and of those that were left out `e`. Each
 * writer begins where a segment does, with the `c` of the entry before.
 */
import { entryHash, hashText } from '../chain.ts';

export interface LeftOut {
  readonly writer: string;
  /** Of the first. */
  seq: number;
  readonly e: string[];
}

const mostLeftOut = 64;

/** @param previous  full `c` of the entry before `seq` */
export function chainHead(writer: string, seq: number, previous: Buffer): string {
  return `${JSON.stringify({ v: 1, export: { writer, seq, previous: hashText(previous) } })}\n`;
}

export function createChainedLines(writer: string) {
  let text = '';
  let leftOut: LeftOut | undefined;

  return {
    add(line: string) {
      flush();
      text += `${line}\n`;
    },
    /**
     * @param line  of an entry that was not asked for
     * @param e     of one that was erased
     */
    leaveOut(seq: number, line: Buffer, e: Buffer = entryHash(line)) {
      leftOut ??= { writer, seq, e: [] };
      leftOut.e.push(hashText(e));
      if (leftOut.e.length === mostLeftOut) flush();
    },
    text() {
      flush();
      return text;
    },
  };

  function flush(): void {
    if (leftOut) text += `${JSON.stringify({ v: 1, leftOut })}\n`;
    leftOut = undefined;
  }
}
