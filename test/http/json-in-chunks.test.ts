/** What is large becomes the same text by and by, and others come in between. */
import { expect, test } from 'vitest';
import { stringifyInChunks } from '../../platform/async/json-in-chunks.ts';

const many = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`id "${i}"`, { at: i, says: ['ü', null, {}] }]),
  );

test.each<[string, object]>([
  ['nothing', {}],
  ['an empty list', []],
  ['what is not there', { a: undefined, b: [undefined, null], c: { d: undefined }, e: '' }],
  ['few objects by their ids', { document: { clients: many(3) }, options: { prune: false } }],
  ['many objects by their ids', { document: { clients: many(200) }, touched: 'x' }],
  ['a long list', { id: 'pln', counts: { create: 60 }, steps: Object.values(many(60)) }],
  ['lists in lists', [[[[1, [2]], []]], Object.values(many(70))]],
])('%s', async (_name, value) => {
  expect(await stringifyInChunks(value)).toBe(JSON.stringify(value));
});

test('somebody else is served before a large one is done', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    await stringifyInChunks({ clients: many(50_000) });
  } finally {
    clearImmediate(next);
  }
  expect(turns).toBeGreaterThan(5);
});
