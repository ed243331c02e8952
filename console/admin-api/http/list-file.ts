/** A whole list as one file, whatever its length: a page of it is read when the one before has gone out. */
import type { z } from 'zod';
import { createPauses } from '../../../platform/async/pauses.ts';
import { itemOf, mostItems } from '../../operations/lists.ts';
import type { Answer, Operation } from '../../operations/operation.ts';
import { csvTable, csvType } from './csv.ts';

export const listFormats = ['json', 'csv'] as const;
export type ListFormat = (typeof listFormats)[number];

export interface ListFile {
  /** Media type. */
  readonly type: string;
  /** Throws what a later page is answered with, or {@link ListBrokenOffError}: the file ends in the middle then. */
  readonly text: AsyncIterable<string>;
}

export interface ListReading {
  /** Parameters of the list, without where it begins. */
  readonly query: Readonly<Record<string, string>>;
  readonly format: ListFormat;
  /** Asked before each page but the first: whoever reads may read no more. */
  readonly goesOn: () => Promise<boolean>;
}

/** Whoever reads the list may do so no longer. */
export class ListBrokenOffError extends Error {
  override readonly name = 'ListBrokenOffError';
}

interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

/** To the socket at once, characters. */
const chunkLength = 32_768;
const sliceMs = 0.5;

/**
 * @param ask  one page of the list
 * @returns once there is a first page
 * @throws what that is answered with
 */
export async function listFile(
  { id, answer }: Pick<Operation<never>, 'id' | 'answer'>,
  { query, format, goesOn }: ListReading,
  ask: (query: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<ListFile> {
  const item = itemOf(answer);
  if (!item) throw new Error(`${id} is no list`);
  const page = async (cursor?: string) => {
    const place = { limit: String(mostItems), ...(cursor !== undefined && { cursor }) };
    return (await ask({ ...query, ...place })).body as Page;
  };
  const first = await page();
  const form = format === 'csv' ? asCsv(item) : asJson();
  const pages = pagesFrom(first, page, goesOn);
  return { type: form.type, text: inChunks(form.lines(pages)) };
}

async function* pagesFrom(
  first: Page,
  page: (cursor: string) => Promise<Page>,
  goesOn: () => Promise<boolean>,
): AsyncGenerator<Page, void> {
  let here = first;
  for (;;) {
    yield here;
    if (here.next === null) return;
    if (!(await goesOn())) throw new ListBrokenOffError('who reads the list may read it no longer');
    here = await page(here.next);
  }
}

interface FileForm {
  readonly type: string;
  lines(pages: AsyncIterable<Page>): AsyncGenerator<string, void>;
}

function asCsv(item: z.ZodType): FileForm {
  const { head, lineOf } = csvTable(item);
  return {
    type: `${csvType}; charset=utf-8; header=present`,
    async *lines(pages) {
      yield head;
      for await (const { items } of pages) for (const row of items) yield lineOf(row);
    },
  };
}

/** As the API answers that has all of it on one page. */
function asJson(): FileForm {
  return {
    type: 'application/json',
    async *lines(pages) {
      let count = 0;
      for await (const { items } of pages) {
        for (const row of items) yield `${count++ === 0 ? '{"items":[' : ','}\n${JSON.stringify(row)}`;
      }
      const counted = JSON.stringify({ value: count, isExact: true });
      yield `${count === 0 ? '{"items":[' : '\n'}],"next":null,"count":${counted}}\n`;
    },
  };
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  const pause = createPauses(sliceMs);
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length >= chunkLength) {
      yield text;
      text = '';
    }
    await pause();
  }
  if (text !== '') yield text;
}
