import { createPublicKey } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createChain } from '../../console/audit/chain.ts';
import { type SigningKey, signingKey } from '../../console/audit/checkpoint.ts';
import { createEntryBody } from '../../console/audit/entry.ts';
import { closeSegment } from '../../console/audit/segment-closing.ts';
import { entriesOfSegment, type Segment } from '../../console/audit/segment-reader.ts';
import { readAnchors } from '../../console/audit/verify/anchors.ts';
import { ForgedAnchorError, verifyAudit } from '../../console/audit/verify/verify.ts';
import { openWriter, writerLimits } from '../../console/audit/writer.ts';
import { newAuditDirectory, signedIn, start } from './support.ts';

const key = signingKey(Buffer.alloc(32, 7).toString('base64url'));
const otherKey = signingKey(Buffer.alloc(32, 8).toString('base64url'));
const writer = 'w7k2';

/** Entries with a check-point behind every 20. @returns the check-points, as they were sent elsewhere */
async function write(
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

function verify(directory: string, { anchors = [], by = key }: Verifying = {}) {
  return verifyAudit({
    directory,
    publicKey: createPublicKey(by.privateKey),
    anchors: readAnchors(anchors.join('\n')),
  });
}

const fileOf = (directory: string, number = 1) => join(directory, writer, `0000000${number}.log`);

/** Changes the lines of the open file; the first is its header, so that line n is entry n. */
function edit(directory: string, change: (lines: string[]) => void): void {
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

describe('a store that is as it was written', () => {
  test.each([
    ['in one file', {}],
    ['in closed files', { segmentBytes: 8_000 }],
  ])('is ok, %s', async (_name, given) => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 200, given);
    expect(verify(directory, { anchors })).toMatchObject({
      isGood: true,
      writers: [{ writer, verdict: 'ok', unsigned: 0 }],
    });
    expect(verify(directory, { anchors }).writers[0]!.entries).toBe(200 + anchors.length);
  });

  test('is ok over several starts and several writers', async () => {
    const directory = await newAuditDirectory();
    const anchors = [
      ...(await write(directory, 30)),
      ...(await write(directory, 30, { name: 'other' })),
      ...(await write(directory, 30)),
    ];
    expect(verify(directory, { anchors }).writers.map(({ verdict }) => verdict)).toEqual(['ok', 'ok']);
  });

  test('of which the last second is not signed says so, and of which something had no room', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 50);
    edit(directory, (lines) => lines.splice(-3));
    expect(verify(directory)).toMatchObject({
      isGood: true,
      writers: [{ verdict: 'unsigned_tail', seq: 43, unsigned: 8 }],
    });
    const gap = await newAuditDirectory();
    const bodyOf = createEntryBody();
    const open = openWriter({ directory: gap, writer, now: () => start, onCheckpoint() {}, onFull() {} });
    open.useKey(key);
    open.add(bodyOf(signedIn(1), start));
    open.add(bodyOf({ event: 'audit.gap', outcome: 'failure', detail: { entries: 12 } }, start));
    open.close();
    expect(verify(gap)).toMatchObject({ isGood: true, writers: [{ verdict: 'gap', seq: 2, gaps: 12 }] });
  });
});

describe('what was done to a file is called by its name, with the first entry', () => {
  test.each<{ name: string; forge: (lines: string[]) => void; found: object }>([
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
  ])('$name', async ({ forge, found }) => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 100);
    edit(directory, forge);
    for (const kept of [[], anchors]) {
      const { isGood, writers } = verify(directory, { anchors: kept });
      expect(isGood).toBe(false);
      expect(writers).toMatchObject([{ writer, ...found }]);
    }
  });

  test('a file removed, and a block of a closed one damaged', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 200, { segmentBytes: 8_000 });
    const copy = `${directory}/copy`;
    cpSync(join(directory, writer), join(copy, writer), { recursive: true });
    const file = `${fileOf(copy, 2)}.gz`;
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 0xff;
    writeFileSync(file, bytes);
    expect(verify(copy)).toMatchObject({ isGood: false, writers: [{ verdict: 'changed' }] });
    rmSync(file);
    const { firstSeq } = JSON.parse(
      readFileSync(fileOf(directory, readdirSync(join(directory, writer)).length), 'utf8').split('\n')[0]!,
    ).segment;
    expect(firstSeq).toBeGreaterThan(100);
    expect(verify(copy)).toMatchObject({ isGood: false, writers: [{ verdict: 'removed' }] });
  });

  test('the first file removed, although nobody says that its time had come', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 200, { segmentBytes: 8_000 });
    rmSync(`${fileOf(directory)}.gz`);
    expect(verify(directory)).toMatchObject({ isGood: false, writers: [{ verdict: 'removed', seq: 1 }] });
  });
});

describe('what only a check-point that was kept elsewhere shows', () => {
  test('an end that was cut off, also where the whole writer is gone', async () => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 100);
    edit(directory, (lines) => lines.splice(60));
    expect(verify(directory)).toMatchObject({ isGood: true });
    expect(verify(directory, { anchors })).toMatchObject({
      isGood: false,
      writers: [{ verdict: 'cut', seq: 60, last: 105 }],
    });
    renameSync(join(directory, writer), join(directory, 'away'));
    rmSync(join(directory, 'away'), { recursive: true });
    expect(verify(directory, { anchors })).toMatchObject({
      isGood: false,
      writers: [{ verdict: 'cut', seq: 1 }],
    });
  });

  test('an older copy put in its place, that was written on since', async () => {
    const directory = await newAuditDirectory();
    const before = await write(directory, 40);
    cpSync(join(directory, writer), join(directory, 'before'), { recursive: true });
    const anchors = [...before, ...(await write(directory, 60))];
    rmSync(join(directory, writer), { recursive: true });
    renameSync(join(directory, 'before'), join(directory, writer));
    await write(directory, 30, { time: start + 1e6 });
    expect(verify(directory)).toMatchObject({ isGood: true });
    expect(verify(directory, { anchors })).toMatchObject({
      isGood: false,
      writers: [{ verdict: 'rolled_back', seq: 43 }],
    });
    await write(directory, 200, { time: start + 2e6 });
    expect(verify(directory, { anchors })).toMatchObject({
      isGood: false,
      writers: [{ verdict: 'rolled_back', seq: 43 }],
    });
  });

  test('another writer has seen more than there is', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 30, { name: 'other' });
    await write(directory, 10);
    const file = join(directory, 'other', '00000001.log');
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 20).join('\n').concat('\n'));
    expect(verify(directory)).toMatchObject({
      isGood: false,
      writers: [
        { writer: 'other', verdict: 'cut', seq: 20, last: 32 },
        { writer, verdict: 'ok' },
      ],
    });
  });
});

describe('keys', () => {
  test('a store signed with another key is not what was written', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 100, { key: otherKey });
    expect(verify(directory)).toMatchObject({
      isGood: false,
      writers: [{ verdict: 'changed', seq: 1, last: 21 }],
    });
    expect(verify(directory, { by: otherKey })).toMatchObject({ isGood: true });
  });

  test('a check-point that is not signed with the key is no anchor', async () => {
    const directory = await newAuditDirectory();
    const anchors = await write(directory, 100, { key: otherKey });
    expect(() => verify(directory, { anchors })).toThrow(ForgedAnchorError);
  });

  test('anchors are taken as they stand in the log, in the files, or bare', async () => {
    const directory = await newAuditDirectory();
    const [line] = await write(directory, 20);
    const log = JSON.stringify({ level: 'info', audit: true, event: 'audit.checkpoint', checkpoint: line });
    appendFileSync(join(directory, 'log'), '');
    for (const text of [line!, line!.slice(17), log, `Nov 23 host console: ${log}`])
      expect(readAnchors(`noise\n${text}\n`)).toMatchObject([{ writer, seq: 21 }]);
    expect(readAnchors('{"event":"audit.checkpoint"}\naudit.checkpoint\n')).toEqual([]);
  });
});
