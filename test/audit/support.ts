import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createChain } from '../../console/audit/chain.ts';
import { createEntryBody, type EntryFields, entryLine } from '../../console/audit/entry.ts';
import { headerLine, segmentFile } from '../../console/audit/segments/segment-form.ts';

export async function newAuditDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'audit-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export const start = Date.parse('2026-11-22T09:03:11.402Z');

export function signedIn(i: number): EntryFields {
  return {
    event: 'login',
    outcome: i % 3 === 0 ? 'denied' : 'success',
    actor: { kind: 'user', id: `person-${i % 100}`, via: 'page' },
    source: '10.3.0.7',
    requestId: `rq_${i}`,
  };
}

/** An open segment, as a writer writes it. @returns `c` of its last entry */
export function writeSegment(
  directory: string,
  writer: string,
  {
    number = 1,
    firstSeq = 1,
    previous = Buffer.alloc(32) as Buffer,
    count = 10,
    fields = signedIn,
    timeOf = (seq: number) => start + seq,
  } = {},
): Buffer {
  const bodyOf = createEntryBody();
  const chain = createChain(previous);
  let text = headerLine({ writer, number, previous, firstSeq, time: start });
  for (let seq = firstSeq; seq < firstSeq + count; seq++) {
    const line = Buffer.from(` ${entryLine(writer, seq, bodyOf(fields(seq), timeOf(seq)))}`);
    chain.add(line, 1, line.length);
    text += `${chain.linkText()}${line}\n`;
  }
  mkdirSync(join(directory, writer), { recursive: true });
  writeFileSync(join(directory, writer, segmentFile(number)), text);
  return chain.head();
}
