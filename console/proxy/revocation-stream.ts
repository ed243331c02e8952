/** Reads the console's news of tokens, and starts anew whenever they end, break off or fall silent. */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { readTokenNews, type TokenNews } from '../tokens/revocation-feed/revocation-event.ts';

export interface NewsFeedDeps {
  /** Asks for the news from their beginning; `signal` ends them. @throws {Error} when there are none to be had */
  readonly open: (signal: AbortSignal) => Promise<Readable>;
  /** Everything that holds. */
  readonly onState: (news: readonly TokenNews[]) => void;
  /** What has changed since. */
  readonly onNews: (news: readonly TokenNews[]) => void;
  /** @param error  why there are none now; the next try follows by itself */
  readonly onLost: (error: unknown) => void;
}

/** Pause after a try that brought nothing, milliseconds; doubled up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Silence after which the connection counts as broken, milliseconds. */
const silenceMs = 3_000;
/** Characters; the longest line lists the origins of all applications. */
const longestLine = 1024 * 1024;

/** @returns a function that ends it */
export function followNews({ open, onState, onNews, onLost }: NewsFeedDeps): () => void {
  const closed = new AbortController();
  void run();
  return () => closed.abort();

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!closed.signal.aborted) {
      const broken = new AbortController();
      try {
        for await (const news of await read(broken)) {
          pauseMs = firstPauseMs;
          if (news.isState) onState(news.entries);
          else onNews(news.entries);
        }
        // Its token has ended: the next one follows at once.
      } catch (error) {
        if (closed.signal.aborted) return;
        onLost(error);
      } finally {
        broken.abort();
      }
      await pause(pauseMs, undefined, { signal: closed.signal, ref: false }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  async function read(broken: AbortController) {
    const stream = await open(AbortSignal.any([closed.signal, broken.signal]));
    return portions(stream, () => stream.destroy(new Error('the console has fallen silent')));
  }
}

interface Portion {
  readonly isState: boolean;
  readonly entries: readonly TokenNews[];
}

/** News as they come, those up to `complete` in one. @param giveUp  ends a stream that has fallen silent */
async function* portions(stream: Readable, giveUp: () => void): AsyncGenerator<Portion> {
  let state: TokenNews[] | undefined = [];
  for await (const lines of linesOf(stream, giveUp)) {
    let entries = lines.map(readTokenNews).filter((entry) => entry !== undefined);
    const end = state ? entries.findIndex(({ type }) => type === 'complete') : -1;
    if (state && end < 0) {
      state.push(...entries);
      continue;
    }
    if (state) {
      yield { isState: true, entries: state.concat(entries.slice(0, end)) };
      state = undefined;
      entries = entries.slice(end + 1);
    }
    if (entries.length > 0) yield { isState: false, entries };
  }
}

async function* linesOf(stream: Readable, giveUp: () => void): AsyncGenerator<string[]> {
  let rest = '';
  let silence = setTimeout(giveUp, silenceMs);
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      clearTimeout(silence);
      silence = setTimeout(giveUp, silenceMs);
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop()!;
      if (rest.length > longestLine) throw new Error('a line of the news is too long');
      if (lines.length > 0) yield lines;
    }
  } finally {
    clearTimeout(silence);
  }
}
