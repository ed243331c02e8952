/** A list as a file: page after page, as they are read, and no further than whoever reads may. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ListBrokenOffError, type ListReading, listFile } from '../../console/admin-api/http/list-file.ts';
import { listOf } from '../../console/operations/lists.ts';

const list = { id: 'listThings', answer: listOf(z.strictObject({ id: z.string() })) };

/** Of so many pages, with what has been asked for. */
function things(pages: number) {
  const asked: Readonly<Record<string, string>>[] = [];
  const ask = async (query: Readonly<Record<string, string>>) => {
    asked.push(query);
    const n = Number(query.cursor ?? 0);
    const items = Array.from({ length: 500 }, (_, m) => ({ id: `${n}-${m} ${'x'.repeat(200)}` }));
    return { body: { items, next: n + 1 < pages ? String(n + 1) : null, count: null } };
  };
  return { asked, ask };
}

const reading = (fields: Partial<ListReading> = {}): ListReading => ({
  query: { q: 'x' },
  format: 'json',
  goesOn: async () => true,
  ...fields,
});

async function textOf(text: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of text) all += chunk;
  return all;
}

test('asks for each page with the same filter, and has all of them', async () => {
  const { asked, ask } = things(3);
  const { text } = await listFile(list, reading(), ask);
  expect(asked).toEqual([{ q: 'x', limit: '500' }]);
  const { items, count } = JSON.parse(await textOf(text)) as { items: object[]; count: object };
  expect([items.length, count]).toEqual([1500, { value: 1500, isExact: true }]);
  expect(asked.slice(1)).toEqual([
    { q: 'x', limit: '500', cursor: '1' },
    { q: 'x', limit: '500', cursor: '2' },
  ]);
});

test('asks for a page only when the one before has been taken', async () => {
  const { asked, ask } = things(1000);
  const { text } = await listFile(list, reading({ format: 'csv' }), ask);
  const chunks = text[Symbol.asyncIterator]();
  for (let n = 0; n < 4; n++) await chunks.next();
  // A page is some 100 KB, and a chunk a third of it.
  expect(asked.length).toBeLessThan(4);
  await chunks.return?.();
});

test('ends in the middle, and asks no further, when whoever reads may read no longer', async () => {
  const { asked, ask } = things(1000);
  let mayRead = 2;
  const { text } = await listFile(list, reading({ goesOn: async () => mayRead-- > 0 }), ask);
  await expect(textOf(text)).rejects.toThrow(ListBrokenOffError);
  expect(asked.length).toBe(3);
});

test('is none when the first page is refused', async () => {
  const refuse = async () => {
    throw new Error('refused');
  };
  await expect(listFile(list, reading(), refuse)).rejects.toThrow('refused');
});
