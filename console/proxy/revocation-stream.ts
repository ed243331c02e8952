/** Reads the console's revocation stream, and starts anew whenever it ends, breaks off or falls silent. */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type RevocationEvent,
  readRevocationEvent,
  revocationEventsVersion,
} from '../tokens/revocation-stream/revocation-event.ts';

export interface RevocationStreamDeps {
  /** Opens the stream from its beginning; `signal` ends it. @throws {Error} when there is none to be had */
  readonly open: (signal: AbortSignal) => Promise<Readable>;
  /** Everything that holds. */
  readonly onState: (events: readonly RevocationEvent[]) => void;
  /** What has changed since. */
  readonly onEvents: (events: readonly RevocationEvent[]) => void;
  /** @param error  why there is none now; the next try follows by itself */
  readonly onLost: (error: unknown) => void;
}

/** Pause after a try that brought nothing, milliseconds; doubled up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Silence after which the connection counts as broken, milliseconds. */
const silenceMs = 3_000;
/** Characters; the longest line lists the permissions of a custom role. */
const longestLine = 1024 * 1024;

/** @returns a function that ends it */
export function followRevocations({ open, onState, onEvents, onLost }: RevocationStreamDeps): () => void {
  const closed = new AbortController();
  void run();
  return () => closed.abort();

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!closed.signal.aborted) {
      const broken = new AbortController();
      try {
        for await (const portion of await read(broken)) {
          pauseMs = firstPauseMs;
          if (portion.isState) onState(portion.entries);
          else onEvents(portion.entries);
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
  readonly entries: readonly RevocationEvent[];
}

/** Events as they come, those up to `complete` in one. @param stop  ends a stream that has fallen silent */
async function* portions(stream: Readable, stop: () => void): AsyncGenerator<Portion> {
  let state: RevocationEvent[] | undefined = [];
  let isFirst = true;
  for await (const lines of linesOf(stream, stop)) {
    if (isFirst) checkVersion(lines[0]!);
    isFirst = false;
    let entries = lines.map(readRevocationEvent).filter((entry) => entry !== undefined);
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

/** Read as another version, the lines would say something else than they mean. */
function checkVersion(line: string): void {
  const event = readRevocationEvent(line);
  if (event?.type === 'start' && event.version === revocationEventsVersion) return;
  throw new Error(
    `the console tells revocation events of another version than ${revocationEventsVersion}, which this proxy reads`,
  );
}

async function* linesOf(stream: Readable, stop: () => void): AsyncGenerator<string[]> {
  let rest = '';
  let silence = setTimeout(stop, silenceMs);
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop()!;
      if (rest.length > longestLine) throw new Error('a line of the revocation stream is too long');
      if (lines.length > 0) yield lines;
    }
  } finally {
    clearTimeout(silence);
  }
}
