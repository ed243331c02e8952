import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { coarseForm, fineForm } from '../../console/metrics/history/files.ts';
import { openRingWriter, type RingForm, rowsOf } from '../../console/metrics/history/ring-file.ts';

const form: RingForm = { slotSeconds: 5, slots: 10, values: 2 };
const rowBytes = 16 + 8;

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ring-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'a.ring');
}

async function written(slots: readonly number[], path = newPath(), of = form): Promise<string> {
  const ring = await openRingWriter(path, of);
  for (const slot of slots) await ring.write(slot, Float32Array.of(slot, Number.NaN));
  await ring.close();
  return path;
}

async function read(path: string, from: number, until: number, of = form): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const { slot, row } of rowsOf(path, of, from, until)) rows.push([slot, ...row]);
  return rows;
}

const row = (slot: number) => [slot, slot, Number.NaN];

test('rows come back in order, with holes where there are none', async () => {
  const path = await written([3, 4, 7]);
  expect(await read(path, 0, 9)).toEqual([row(3), row(4), row(7)]);
  expect(await read(path, 4, 4)).toEqual([row(4)]);
  expect(await read(path, 8, 9)).toEqual([]);
});

test('a new row takes the place of the oldest, across the end of the file', async () => {
  const path = await written([1, 8, 9, 10, 11, 12]);
  expect(await read(path, 0, 12)).toEqual([row(8), row(9), row(10), row(11), row(12)]);
  expect(await read(path, 1, 1)).toEqual([]);
});

test('a row goes on where the file was, after it was closed', async () => {
  const path = await written([1, 2]);
  await written([3], path);
  expect(await read(path, 0, 5)).toEqual([row(1), row(2), row(3)]);
});

test('a row of which a part was written is a hole, and the next ones are there', async () => {
  const path = await written([1, 2, 3]);
  const file = await open(path, 'r+');
  await file.write(Buffer.from([1, 2, 3]), 0, 3, 64 + 2 * rowBytes + 18);
  await file.close();
  expect(await read(path, 0, 5)).toEqual([row(1), row(3)]);
});

test.each([
  { name: 'other slots', of: { ...form, slots: 11 } },
  { name: 'other values', of: { ...form, values: 3 } },
  { name: 'other seconds', of: { ...form, slotSeconds: 6 } },
])('a file of another form ($name) is begun anew, and read as empty', async ({ of }) => {
  const path = await written([1, 2]);
  expect(await read(path, 0, 5, of)).toEqual([]);
  const ring = await openRingWriter(path, of);
  await ring.close();
  expect(await read(path, 0, 5)).toEqual([]);
});

test('what is no such file, or none, has no rows', async () => {
  const path = newPath();
  expect(await read(path, 0, 5)).toEqual([]);
  writeFileSync(path, 'something else');
  expect(await read(path, 0, 5)).toEqual([]);
});

test('both files together take at most 50 MB, and what was never written takes no room', async () => {
  const sizes = [];
  for (const of of [fineForm, coarseForm]) {
    const path = newPath();
    const ring = await openRingWriter(path, of);
    await ring.write(1, new Float32Array(of.values));
    await ring.close();
    const { size, blocks } = statSync(path);
    sizes.push(size);
    expect(blocks * 512).toBeLessThan(64 * 1024);
  }
  expect(sizes[0]! + sizes[1]!).toBeLessThan(50e6);
});
