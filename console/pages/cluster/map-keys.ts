/** Keys of a map as a page takes them, and the entries of a few, read while the page is made. */
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { FoundEntry } from '../../../views/management/cluster/found-entries.tsx';
import { saidIn } from '../../../views/texts/text.ts';
import { noEntry } from '../../admin-api/cluster/no-entry.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import type { StoredValue } from './values.ts';

/** Name and number of an entry in a range: `order-[1-50]`. */
const range = /^(.*)\[(\d{1,9})-(\d{1,9})\](.*)$/s;

/** Of a page; more are asked for by a program. */
export const mostKeys = 100;

/** So many are read while the page is made. */
const mostAtOnce = 20;
/** An address may have 16 KiB with all the headers beside it. */
const longestKeys = 6000;

/** Whether a job reads them. */
export function isForJob(keys: readonly string[]): boolean {
  return keys.length > mostAtOnce || encodeURIComponent(keys.join('\n')).length > longestKeys;
}

/** For an address: as it was typed, unless that is too much of nothing. */
export function keysText(typed: string, keys: readonly string[]): string {
  return encodeURIComponent(typed).length > longestKeys ? keys.join('\n') : typed;
}

/** @returns the keys that are meant, in their order; undefined when they are more than {@link mostKeys} */
export function keysIn(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '') continue;
    const [, before, from, to, after] = range.exec(line) ?? [];
    if (before === undefined) keys.push(line);
    else if (Number(to) - Number(from) >= mostKeys) return undefined;
    else for (let at = Number(from); at <= Number(to); at++) keys.push(`${before}${at}${after}`);
    if (keys.length > mostKeys) return undefined;
  }
  return [...new Set(keys)];
}

/** At the same time: a page of keys is not to crowd out who else asks members. */
const atOnce = 8;
/** Many keys take the calls of more than a second, of which each person has so many: the rest waits for the next one. */
const rateMs = 1000;
const mostTries = 10;

type FindEntries = (ctx: PageContext, map: string, keys: readonly string[]) => Promise<readonly FoundEntry[]>;

export function createFindEntries(tools: PageTools): FindEntries {
  return async (ctx, map, keys) => {
    const found: FoundEntry[] = [];
    for (let at = 0; at < keys.length; at += atOnce) {
      const some = keys.slice(at, at + atOnce);
      found.push(...(await Promise.all(some.map((key) => findOne(ctx, map, key)))));
    }
    return found;
  };

  async function findOne(ctx: PageContext, map: string, key: string): Promise<FoundEntry> {
    for (let tries = 1; ; tries++) {
      try {
        const request = { params: { map, key }, query: { first: '0' } };
        const { body } = await tools.run<StoredValue>(ctx, 'readMapEntry', request);
        return { key, type: body.type, bytes: body.bytes };
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (error.problem === problems.tooManyRequests && tries < mostTries) await delay(rateMs);
        else return { key, type: null, bytes: null, problem: problemOf(ctx, error) };
      }
    }
  }

  function problemOf(ctx: PageContext, error: ProblemError): string | undefined {
    if (isNoEntry(error)) return undefined;
    return saidIn(textFor(ctx).language, error.message) ?? error.message;
  }
}

/** What no key can be is another thing. */
export function isNoEntry(error: unknown): boolean {
  return error instanceof ProblemError && error.problem === problems.notFound && error.message === noEntry;
}
