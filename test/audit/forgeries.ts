/** Audits as they are written, and what can be done to them. */
import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChain } from '../../console/audit/chain.ts';
import { type SigningKey, signingKey } from '../../console/audit/checkpoint.ts';
import { createEntryBody } from '../../console/audit/entry.ts';
import { closeSegment } from '../../console/audit/segments/segment-closing.ts';
import type { Segment } from '../../console/audit/segments/segment-form.ts';
import { entriesOfSegment } from '../../console/audit/segments/segment-reader.ts';
import { readAnchors } from '../../console/audit/verify/anchors.ts';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { openWriter, writerLimits } from '../../console/audit/writer.ts';
import { signedIn, start } from './support.ts';

export const key = signingKey(Buffer.alloc(32, 7).toString('base64url'));
export const otherKey = signingKey(Buffer.alloc(32, 8).toString('base64url'));
export const writer = 'w7k2';

/** Entries with a check-point behind every 20. @returns the check-points, as they were sent elsewhere */
export async function write(
  directory: string,
  count: number,
  given: { key?: SigningKey; segmentBytes?: number; name?: string; time?: number } = {},
): Promise<string[]> {
  const anchors: string[] = [];
  const full: Segment[] = [];
  const bodyOf = createEntryBody();
  const open = openWriter({
    directory,
    writer: given.name ?? writer,
    now: () => given.time ?? start,
    limits: { ...writerLimits, checkpointEntries: 20, segmentBytes: given.segmentBytes ?? 1e9 },
    onCheckpoint: (line) => anchors.push(line),
    onFull: (segment) => full.push(segment),
  });
  open.useKey(given.key ?? key);
  for (let i = 0; i < count; i++) {
    open.add(bodyOf(signedIn(i), (given.time ?? start) + i));
    open.write();
  }
  open.close();
  for (const segment of full) {
    if (existsSync(segment.path))
      await closeSegment({
        segment,
        header: segment.header!,
        entries: entriesOfSegment(segment, given.name ?? writer, {}),
      });
  }
  return anchors;
}

interface Verifying {
  readonly anchors?: readonly string[];
  readonly by?: SigningKey;
}

export function verify(directory: string, { anchors = [], by = key }: Verifying = {}) {
  return verifyAudit({
    directory,
    publicKey: createPublicKey(by.privateKey),
    anchors: readAnchors(anchors.join('\n')),
  });
}

export const fileOf = (directory: string, number = 1) => join(directory, writer, `0000000${number}.log`);

/** Changes the lines of the open file; the first is its header, so that line n is entry n. */
export function edit(directory: string, change: (lines: string[]) => void): void {
  const lines = readFileSync(fileOf(directory), 'utf8').trimEnd().split('\n');
  change(lines);
  writeFileSync(fileOf(directory), `${lines.join('\n')}\n`);
}

/** Computes the short hashes anew, as whoever can write the file can. */
function relink(lines: string[]): void {
  const chain = createChain();
  for (let i = 1; i < lines.length; i++) {
    const line = Buffer.from(lines[i]!);
    chain.add(line, 17, line.length);
    lines[i] = chain.linkText() + line.toString('utf8', 16);
  }
}

interface Forgery {
  readonly name: string;
  /** Line n is entry n. */
  readonly forge: (lines: string[]) => void;
  readonly found: object;
}

export const forgeries: readonly Forgery[] = [
  {
    name: 'a word changed',
    forge: (lines) => {
      lines[50] = lines[50]!.replace('person-', 'person+');
    },
    found: { verdict: 'changed', seq: 50 },
  },
  {
    name: 'one byte of a link changed',
    forge: (lines) => {
      lines[50] = `${lines[50]![0] === 'A' ? 'B' : 'A'}${lines[50]!.slice(1)}`;
    },
    found: { verdict: 'changed', seq: 50 },
  },
  {
    name: 'one entry removed',
    forge: (lines) => void lines.splice(50, 1),
    found: { verdict: 'removed', seq: 50, last: 50 },
  },
  {
    name: 'ten removed',
    forge: (lines) => void lines.splice(50, 10),
    found: { verdict: 'removed', seq: 50, last: 59 },
  },
  {
    name: 'the first removed',
    forge: (lines) => void lines.splice(1, 1),
    found: { verdict: 'removed', seq: 1 },
  },
  {
    name: 'one put in',
    forge: (lines) => void lines.splice(50, 0, lines[50]!.replace('person-', 'person+')),
    found: { verdict: 'inserted', seq: 50 },
  },
  {
    name: 'a line of something else put in',
    forge: (lines) => void lines.splice(50, 0, 'nothing of ours'),
    found: { verdict: 'inserted', seq: 50 },
  },
  {
    name: 'two neighbours swapped',
    forge: (lines) => void lines.splice(50, 2, lines[51]!, lines[50]!),
    found: { verdict: 'swapped', seq: 50, last: 51 },
  },
  {
    name: 'two swapped that are apart',
    forge: (lines) => {
      [lines[50], lines[70]] = [lines[70]!, lines[50]!];
    },
    found: { verdict: 'swapped', seq: 50, last: 70 },
  },
  {
    name: 'one repeated',
    forge: (lines) => void lines.splice(51, 0, lines[50]!),
    found: { verdict: 'repeated', seq: 51 },
  },
  {
    name: 'an earlier one repeated',
    forge: (lines) => void lines.splice(81, 0, lines[10]!),
    found: { verdict: 'repeated', seq: 81 },
  },
  {
    name: 'a word changed, and all short hashes computed anew: the interval between check-points',
    forge: (lines) => {
      lines[50] = lines[50]!.replace('person-', 'person+');
      relink(lines);
    },
    found: { verdict: 'changed', seq: 43, last: 63 },
  },
  {
    name: 'a check-point changed, with hashes computed anew',
    forge: (lines) => {
      lines[63] = lines[63]!.replace('"time":"2026', '"time":"2025');
      relink(lines);
    },
    found: { verdict: 'changed', seq: 43, last: 63 },
  },
  {
    name: 'an entry erased by whoever does not say so',
    forge: (lines) => {
      const e = 'A'.repeat(43);
      lines[50] = `${lines[50]!.slice(0, 17)}{"v":1,"writer":"${writer}","seq":50,"erased":{"e":"${e}"}}`;
    },
    found: { verdict: 'changed', seq: 50 },
  },
];
