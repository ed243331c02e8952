/**
 * Streams of bytes to servers with their fast path and to the same ones without. What is answered, and what is carried
 * out, must be the same. A stream is tried again where it was not: what depends on how bytes happen to come together at a
 * server is no difference unless neither side ever does what the other does.
 */
import { connect } from 'node:net';
import { createRandom } from './random.ts';
import { shrink } from './shrink.ts';
import { makeStream, type Stream } from './streams.ts';
import { type Pair, startPairs, type Target } from './targets.ts';

export interface FuzzLimits {
  readonly seed: number;
  /** Whichever comes first ends it. */
  readonly streams: number;
  readonly seconds: number;
}

export interface FuzzReport {
  readonly streams: number;
  readonly difference?: {
    readonly pair: string;
    readonly stream: Stream;
    readonly outcomes: readonly string[];
  };
}

const workers = 24;

interface Pauses {
  /** Between two pieces: whether a body has come in full when its call is refused hangs on it. */
  readonly chunkMs: number;
  /** For how long nothing may have come before a stream is ended: replies under way are cut off by its end. */
  readonly quietMs: number;
}

/** A little longer each time that the two sides did not do the same. */
const pauses: readonly Pauses[] = [12, 25, 50, 100, 200, 400].map((quietMs) => ({
  quietMs,
  chunkMs: Math.max(2, quietMs / 10),
}));

export async function fuzzHttp({ seed, streams, seconds }: FuzzLimits): Promise<FuzzReport> {
  const deadline = performance.now() + seconds * 1_000;
  let next = 0;
  let difference: FuzzReport['difference'];

  await Promise.all(Array.from({ length: workers }, work));
  return { streams: next, ...(difference && { difference }) };

  /** Each stream follows from the seed and its number, whichever worker takes it. */
  async function work(): Promise<void> {
    const pairs = await startPairs();
    try {
      while (difference === undefined && next < streams && performance.now() < deadline) {
        const number = next;
        next += 1;
        const stream = makeStream(createRandom(seed * 1_000_003 + number));
        const pair = pairs[number % pairs.length]!;
        const outcomes = await compare(pair, stream);
        if (outcomes === undefined || difference !== undefined) continue;
        difference = { pair: pair.name, stream, outcomes };
        const smallest = await shrink(stream, async (one) => (await compare(pair, one)) !== undefined);
        difference = {
          pair: pair.name,
          stream: smallest,
          outcomes: (await compare(pair, smallest)) ?? outcomes,
        };
      }
    } finally {
      await Promise.all(pairs.flatMap(({ targets }) => targets.map((target) => target.close())));
    }
  }

  /** @returns what the two did, where that was never the same */
  async function compare({ targets }: Pair, stream: Stream): Promise<readonly string[] | undefined> {
    const done: [Set<string>, Set<string>] = [new Set(), new Set()];
    for (const each of pauses) {
      const [first, second] = await Promise.all(targets.map((target) => send(target, stream, each)));
      done[0].add(first!);
      done[1].add(second!);
      if ([...done[0]].some((outcome) => done[1].has(outcome))) return undefined;
    }
    return [...done[0], '—', ...done[1]];
  }

  async function send(target: Target, stream: Stream, of: Pauses): Promise<string> {
    const answered = await exchange(target, stream, of);
    const effects = await target.effects();
    const statuses = [...answered.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!);
    // Whether the junk at the end is refused or cut off depends on whether a reply is out by then.
    if (statuses.length > 1 && statuses.at(-1) === '400') statuses.pop();
    return JSON.stringify({ statuses, effects });
  }
}

/** No HTTP, and more than most lengths that a mutation comes to: what has been sent is complete then, or wrong. */
const junk = Buffer.alloc(4_000);
const longestMs = 3_000;

/** @returns all that came back until the server closed the connection */
function exchange({ port, isSplit }: Target, stream: Stream, { chunkMs, quietMs }: Pauses): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    let received = '';
    let lastAt = performance.now();
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      lastAt = performance.now();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    const timer = setTimeout(() => socket.destroy(), longestMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.once('connect', () => void write());

    async function write(): Promise<void> {
      const [first = '', ...rest] = stream;
      const chunks = isSplit ? [first.slice(0, 1), first.slice(1), ...rest] : stream;
      for (const chunk of chunks) {
        if (socket.writable) socket.write(Buffer.from(chunk, 'latin1'));
        await pause(chunkMs);
      }
      while (performance.now() - lastAt < quietMs && !socket.destroyed) await pause(2);
      if (socket.writable) socket.write(junk);
      lastAt = performance.now();
      while (performance.now() - lastAt < 2 * quietMs && !socket.destroyed) await pause(4);
      if (socket.writable) socket.end();
    }
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
