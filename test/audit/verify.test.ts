import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEntryBody } from '../../console/audit/entry.ts';
import { readAnchors } from '../../console/audit/verify/anchors.ts';
import { ForgedAnchorError } from '../../console/audit/verify/verify.ts';
import { openWriter } from '../../console/audit/writer.ts';
import { edit, fileOf, forgeries, key, otherKey, verify, write, writer } from './forgeries.ts';
import { newAuditDirectory, signedIn, start } from './support.ts';

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
  test.each(forgeries)('$name', async ({ forge, found }) => {
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
