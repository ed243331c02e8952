import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { EntryIndex } from '../../member/data/entry-index.ts';
import { createKeyHash, type KeyHash } from '../../member/data/key-hash.ts';
import { costOf } from '../../member/data/memory.ts';
import { PackedEntries } from '../../member/data/packed-entries.ts';
import { release, type StoredValue } from '../../member/data/values.ts';

const seeded = createKeyHash(Buffer.from('0001020304050607', 'hex'));
/** As if somebody had found keys that collide: four hashes for all of them. */
const colliding: KeyHash = (key) => (seeded(key) & 3) * 0x3fff_ffff;
/** All at the end of the range, so that look-ups go round. */
const wrapping: KeyHash = (key) => (0xffff_fff0 | (seeded(key) & 15)) >>> 0;

describe('packed entries are as a Map is', () => {
  test.each([
    { name: 'scattered hashes', hashOf: seeded, keys: 400, steps: 30_000 },
    { name: 'many keys', hashOf: seeded, keys: 20_000, steps: 60_000 },
    { name: 'hashes that collide', hashOf: colliding, keys: 150, steps: 20_000 },
    { name: 'hashes at the end of the range', hashOf: wrapping, keys: 150, steps: 20_000 },
  ])('after random writes, with $name', ({ hashOf, keys, steps }) => {
    const random = randomFrom(42);
    const entries = new PackedEntries(hashOf);
    const oracle = new Map<string, StoredValue>();
    for (let step = 0; step < steps; step += 1) {
      const key = keyNamed(random(keys));
      const kind = random(100);
      if (kind < 55) {
        const value = anyValue(random);
        entries.set(key, value);
        oracle.set(key, value);
      } else if (kind < 99 || random(40) > 0) {
        if (entries.delete(key) !== oracle.delete(key)) throw new Error(`delete of ${key}`);
      } else {
        entries.clear();
        oracle.clear();
      }
      if (step % 10 === 0) expectEntry(entries, keyNamed(random(keys)), oracle);
      if (entries.size !== oracle.size) throw new Error(`${entries.size} entries, not ${oracle.size}`);
    }
    expect(contentsOf(entries)).toEqual(new Map(oracle));
    for (const key of oracle.keys()) entries.delete(key);
    expect(entries.size).toBe(0);
    expect([...entries.entries()]).toEqual([]);
  });

  test.each([
    { name: 'no character', key: '' },
    { name: 'latin1', key: 'caf\u00e9\u00ff' },
    { name: 'other scripts', key: 'ключ-\u{1f511}' },
    { name: 'half a pair', key: 'a\ud83d' },
    { name: 'a null', key: 'a\0b' },
    { name: 'sixteen thousand characters', key: 'k'.repeat(16_000) },
    { name: 'more than a slab holds', key: 'ж'.repeat(300_000) },
  ])('a key of $name is found as it is, and no other', ({ key }) => {
    const entries = new PackedEntries(() => 7);
    entries.set('other', valueFrom('other'));
    entries.set(key, valueFrom('mine'));
    entries.set(`${key}x`, valueFrom('longer'));
    expect(textOf(entries, key)).toBe('mine');
    expect(textOf(entries, `${key}y`)).toBeUndefined();
    expect(contentsOf(entries).has(key)).toBe(true);
    expect(entries.delete(key)).toBe(true);
    expect(textOf(entries, key)).toBeUndefined();
    expect(textOf(entries, `${key}x`)).toBe('longer');
  });

  test('a latin1 key is no other for having the same bytes as a wide one', () => {
    const entries = new PackedEntries(() => 7);
    entries.set('\u3041', valueFrom('wide'));
    expect(textOf(entries, 'A0')).toBeUndefined();
    entries.set('A0', valueFrom('narrow'));
    expect(textOf(entries, '\u3041')).toBe('wide');
  });

  test('values of each size and MIME type come back, one type too many as well', () => {
    const entries = new PackedEntries(seeded);
    for (const bytes of [0, 1, 2047, 2048, 2049, 70_000]) {
      for (const contentType of [undefined, '', 'text/plain', 'x/y; z="\u00e9"']) {
        const value = { bytes: randomBytes(bytes), contentType };
        entries.set('k', value);
        expect(release(entries.get('k')!)).toEqual(value);
        expect(entries.costAt('k')).toBe(costOf('k', entries.get('k')!));
      }
    }
    for (let i = 0; i < 1200; i += 1) {
      entries.set(`t${i}`, { bytes: Buffer.from(`${i}`), contentType: `test/kind-${i}` });
    }
    for (let i = 0; i < 1200; i += 1) {
      const stored = { bytes: Buffer.from(`${i}`), contentType: `test/kind-${i}` };
      expect(release(entries.get(`t${i}`)!)).toEqual(stored);
    }
  });
});

describe('going through the entries while they change', () => {
  test.each([
    { name: 'growing', before: 300, added: 5000 },
    { name: 'shrinking', before: 5000, added: 0 },
  ])('meets what stays exactly once, $name meanwhile', ({ before, added }) => {
    const random = randomFrom(7);
    const entries = new PackedEntries(seeded);
    for (let i = 0; i < before; i += 1) entries.set(`k${i}`, anyValue(random));
    const stays = (i: number) => i % 10 === 0;
    const met: string[] = [];
    let next = 0;
    for (const [key] of entries.entries()) {
      met.push(key);
      for (let write = 0; write < 20; write += 1, next += 1) {
        if (next < added) entries.set(`new${next}`, anyValue(random));
        const i = next % before;
        if (stays(i)) entries.set(`k${i}`, anyValue(random));
        else entries.delete(`k${i}`);
      }
    }
    expect(new Set(met).size).toBe(met.length);
    const staying = Array.from({ length: before }, (_, i) => i).filter(stays);
    expect(met).toEqual(expect.arrayContaining(staying.map((i) => `k${i}`)));
  });

  test('ends when all are removed', () => {
    const entries = new PackedEntries(seeded);
    for (let i = 0; i < 1000; i += 1) entries.set(`k${i}`, valueFrom('v'));
    const steps = entries.entries()[Symbol.iterator]();
    steps.next();
    entries.clear();
    expect(steps.next().done).toBe(true);
  });
});

describe('memory', () => {
  test('keys and values that come and go for long do not make it grow', async () => {
    const random = randomFrom(3);
    const entries = new PackedEntries(seeded);
    const lasting = 2000;
    const turn = (from: number): void => {
      for (let i = from; i < from + 100_000; i += 1) {
        entries.set(`k${i}`, { bytes: Buffer.alloc(random(2000)), contentType: undefined });
        if (i >= lasting) entries.delete(`k${i - lasting + (random(8) === 0 ? 1 : 0)}`);
        if (i % 1000 === 0) entries.set('always', valueFrom('v'.repeat(random(2000))));
      }
      for (let i = 0; i < from + 98_000; i += 1) entries.delete(`k${i}`);
    };
    turn(0);
    const early = await heldMegabytes();
    for (const from of [100_000, 200_000, 300_000]) turn(from);
    expect((await heldMegabytes()) - early).toBeLessThan(5);
    expect(entries.size).toBe(2001);
  });

  test('is given back when entries are removed one by one', async () => {
    const entries = new PackedEntries(seeded);
    const empty = await heldMegabytes();
    for (let i = 0; i < 200_000; i += 1) entries.set(`key-${i}`, valueFrom('v'.repeat(200)));
    expect((await heldMegabytes()) - empty).toBeGreaterThan(45);
    for (let i = 0; i < 200_000; i += 1) if (i % 20 > 0) entries.delete(`key-${i}`);
    expect((await heldMegabytes()) - empty).toBeLessThan(10);
    expect(textOf(entries, 'key-199980')).toBe('v'.repeat(200));
  });

  test('a map of one entry takes no more than two thousand bytes or so', async () => {
    const before = await heldMegabytes();
    const maps = Array.from({ length: 5000 }, () => new PackedEntries(seeded));
    for (const entries of maps) entries.set('k', valueFrom('v'));
    expect((await heldMegabytes()) - before).toBeLessThan(10);
    expect(maps).toHaveLength(5000);
  });
});

describe('key hash', () => {
  test('depends on its seed, so that nobody can prepare keys that collide', () => {
    const hashes = Array.from({ length: 100 }, () => createKeyHash(randomBytes(8))('key'));
    expect(new Set(hashes).size).toBeGreaterThan(95);
  });

  test.each([
    { name: 'keys that are counted', keyOf: (i: number) => `key-${String(i).padStart(8, '0')}` },
    { name: 'keys that differ at the end', keyOf: (i: number) => `${'x'.repeat(100)}${i}` },
    { name: 'keys that differ at the start', keyOf: (i: number) => `${i}${'x'.repeat(101)}` },
    {
      name: 'keys of one character many times',
      keyOf: (i: number) => 'x'.repeat(i % 3000) + (i >= 3000 ? 'y' : ''),
    },
  ])('spreads $name over the whole range', ({ keyOf }) => {
    const keys = [...new Set(Array.from({ length: 6000 }, (_, i) => keyOf(i)))];
    const hashes = keys.map(seeded);
    expect(new Set(hashes).size).toBeGreaterThan(keys.length - 5);
    const perPart = new Array<number>(64).fill(0);
    for (const hash of hashes) perPart[hash >>> 26]! += 1;
    expect(Math.max(...perPart)).toBeLessThan((2 * keys.length) / 64);
    expect(Math.min(...perPart)).toBeGreaterThan(keys.length / 64 / 2);
  });

  test('takes in the last of an odd number of characters, and how many there are', () => {
    expect(
      new Set(['', '\0', '\0\0', '\0\0\0', 'a', 'ab', 'abc', 'abd', 'bbc', 'acb'].map(seeded)).size,
    ).toBe(10);
  });
});

test('the index of entries visits each of a range of hashes once, whatever the range', () => {
  const hashes = new Map<number, number>();
  const index = new EntryIndex(() => false);
  const random = randomFrom(9);
  for (let position = 0; position < 500; position += 1) {
    const hash = position < 40 ? 0xffff_fff0 + (position % 16) : random(2 ** 32);
    hashes.set(position, hash);
    index.add(hash, position);
  }
  for (const [from, to] of [
    [0, 1],
    [0, 2 ** 32],
    [2 ** 31 - 5, 2 ** 31 + 2 ** 28],
    [2 ** 32 - 12, 2 ** 32],
  ] as const) {
    const met: number[] = [];
    index.visit(from, to, (position) => met.push(position));
    const expected = [...hashes]
      .filter(([, hash]) => hash >= from && hash < to)
      .map(([position]) => position);
    expect(met.sort((a, b) => a - b)).toEqual(expected);
  }
});

function expectEntry(entries: PackedEntries, key: string, oracle: ReadonlyMap<string, StoredValue>): void {
  const held = entries.get(key);
  const expected = oracle.get(key);
  expect(held && release(held)).toEqual(expected);
  expect(entries.costAt(key)).toBe(held === undefined ? 0 : costOf(key, held));
}

function contentsOf(entries: PackedEntries): Map<string, StoredValue> {
  const all = [...entries.entries()].map(([key, held]) => [key, release(held)] as const);
  expect(new Set(all.map(([key]) => key)).size).toBe(all.length);
  return new Map(all);
}

function textOf(entries: PackedEntries, key: string): string | undefined {
  const held = entries.get(key);
  return held && release(held).bytes.toString('latin1');
}

function valueFrom(text: string): StoredValue {
  return { bytes: Buffer.from(text, 'latin1'), contentType: undefined };
}

function keyNamed(i: number): string {
  const kinds = [`k${i}`, `a longer key, of number ${i}`, `clé ${i}`, `ключ ${i}`];
  return kinds[i % kinds.length]!;
}

/** Mostly small; some are too large to be packed. */
function anyValue(random: (below: number) => number): StoredValue {
  const length = random(20) === 0 ? 2000 + random(3000) : random(300);
  return {
    bytes: Buffer.alloc(length, random(256)),
    contentType: [undefined, 'text/plain', 'a/b'][random(3)],
  };
}

/** Numbers that are the same in each run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Array buffers are freed some time after the collection that finds them unused. */
async function heldMegabytes(): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i += 1) {
    collectGarbage();
    await wait(20);
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    least = Math.min(least, (arrayBuffers + heapUsed) / 1e6);
  }
  return least;
}
