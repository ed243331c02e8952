import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createChain, entryHash, hashText, readHash } from '../../console/audit/chain.ts';
import { closeSegment } from '../../console/audit/segments/segment-closing.ts';
import { DamagedBlockError } from '../../console/audit/segments/segment-parts.ts';
import {
  entriesOf,
  entriesOfSegment,
  lineOf,
  segmentsOf,
  writersOf,
} from '../../console/audit/segments/segment-reader.ts';
import { newAuditDirectory, writeSegment } from './support.ts';

const writer = 'w7k2';
const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

async function close(directory: string, number = 1): Promise<void> {
  const segment = segmentsOf(directory, writer).find((one) => one.number === number)!;
  const entries = entriesOfSegment(segment, writer, {});
  await closeSegment({ segment, header: segment.header!, entries });
}

const seqs = (directory: string, range = {}) =>
  [...entriesOf(directory, writer, range)].map(({ seq }) => seq);
const counting = (from: number, until: number) => Array.from({ length: until - from }, (_, i) => from + i);

describe('the chain', () => {
  test('is what decision 0036 says, over the bytes as written', async () => {
    const directory = await newAuditDirectory();
    const last = writeSegment(directory, writer, { count: 3 });
    let c: Buffer = Buffer.alloc(32);
    for (const entry of entriesOf(directory, writer)) {
      const line = Buffer.from(lineOf(entry));
      const e = sha256(Buffer.of(0), line);
      expect(entryHash(line)).toEqual(e);
      c = sha256(Buffer.of(1), c, e);
      expect(entry.stored.toString()).toBe(`${c.toString('base64url').slice(0, 16)} ${line}`);
    }
    expect(last).toEqual(c);
  });

  test('goes on where only the hash of an entry is left', () => {
    const [whole, partly] = [createChain(), createChain()];
    const bytes = Buffer.from(' one');
    whole.add(bytes, 1, bytes.length);
    partly.addHash(entryHash('one'));
    expect(partly.head()).toEqual(whole.head());
    expect(bytes.toString()).toBe(' one');
    expect(readHash(hashText(whole.head()))).toEqual(whole.head());
    expect(readHash(`${hashText(whole.head()).slice(0, -1)}B`)).toBeUndefined();
  });
});

describe.each([
  ['open', async () => {}],
  [
    'closed',
    async (directory: string) => {
      await close(directory, 1);
      await close(directory, 2);
    },
  ],
])('%s segments', (_state, after) => {
  async function written(): Promise<string> {
    const directory = await newAuditDirectory();
    const previous = writeSegment(directory, writer, { count: 1_000 });
    writeSegment(directory, writer, { number: 2, firstSeq: 1_001, previous, count: 500 });
    await after(directory);
    return directory;
  }

  test('give every entry, as it was written, from any on', async () => {
    const open = await newAuditDirectory();
    writeSegment(open, writer, { count: 1_000 });
    const directory = await written();
    expect(writersOf(directory)).toEqual([writer]);
    expect(seqs(directory)).toEqual(counting(1, 1_501));
    const texts = (from: string) => [...entriesOf(from, writer, { until: 1_001 })].map(lineOf);
    expect(texts(directory)).toEqual(texts(open));
    for (const from of [1, 2, 63, 64, 65, 999, 1_000, 1_001, 1_002, 1_088, 1_500, 1_501, 9_999])
      expect(seqs(directory, { from }), String(from)).toEqual(counting(from, Math.max(from, 1_501)));
    expect(seqs(directory, { from: 960, until: 1_024 })).toEqual(counting(960, 1_024));
  });

  test('say where each entry stands', async () => {
    const directory = await written();
    for (const { segment, offset, stored, seq } of entriesOf(directory, writer, {
      from: 995,
      until: 1_010,
    })) {
      expect(segment).toBe(seq <= 1_000 ? 1 : 2);
      if (_state === 'closed') continue;
      const file = readFileSync(join(directory, writer, `0000000${segment}.log`));
      expect(file.subarray(offset, offset + stored.length)).toEqual(stored);
    }
  });
});

describe('a closed segment', () => {
  test('is what `zcat` reads, byte for byte, and at most a third as large', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 1_000 });
    const file = join(directory, writer, '00000001.log');
    const before = readFileSync(file, 'utf8');
    await close(directory);
    expect(existsSync(file)).toBe(false);
    expect(execFileSync('zcat', [`${file}.gz`], { encoding: 'utf8' })).toBe(before);
    expect(statSync(`${file}.gz`).size * 3).toBeLessThan(before.length);
    expect(statSync(`${file}.gz`).mode & 0o777).toBe(0o600);
  });

  test('is read when somebody else has compressed it, too', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 200 });
    execFileSync('gzip', [join(directory, writer, '00000001.log')]);
    expect(seqs(directory, { from: 100 })).toEqual(counting(100, 201));
  });

  test('with a damaged block gives all others, and says so', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 1_000 });
    await close(directory);
    const file = join(directory, writer, '00000001.log.gz');
    const [entry] = entriesOf(directory, writer, { from: 128 });
    const bytes = readFileSync(file);
    bytes[entry!.offset + 40]! ^= 0xff;
    writeFileSync(file, bytes);
    expect(() => seqs(directory)).toThrow(DamagedBlockError);
    const damaged: number[] = [];
    expect(seqs(directory, { onDamage: ({ seq }: DamagedBlockError) => damaged.push(seq) })).toEqual([
      ...counting(1, 128),
      ...counting(192, 1_001),
    ]);
    expect(damaged).toEqual([128]);
  });
});

describe('what a killed process leaves', () => {
  test('half a line is no entry', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 100 });
    const file = join(directory, writer, '00000001.log');
    truncateSync(file, statSync(file).size - 20);
    expect(seqs(directory)).toEqual(counting(1, 100));
    expect(seqs(directory, { from: 99 })).toEqual([99]);
  });

  test('a closed segment beside the open one, and half a closed one', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 100 });
    const file = join(directory, writer, '00000001.log');
    const open = readFileSync(file);
    await close(directory);
    writeFileSync(file, open);
    writeFileSync(join(directory, writer, '00000002.log.gz.tmp'), 'half');
    expect(seqs(directory)).toEqual(counting(1, 101));
  });

  test('a segment with no entry yet', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 0 });
    expect(seqs(directory)).toEqual([]);
    expect(segmentsOf(directory, writer)[0]!.header).toMatchObject({ writer, number: 1, firstSeq: 1 });
  });

  test('a line that is none of this writer is given, and has no number', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, writer, { count: 1 });
    appendFileSync(
      join(directory, writer, '00000001.log'),
      'AAAAAAAAAAAAAAAA {"v":1,"writer":"else","seq":2}\n\n',
    );
    expect(seqs(directory)).toEqual([1, Number.NaN, Number.NaN]);
  });
});
