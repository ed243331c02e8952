/**
 * What streams of one address and one set of rights are sent: made once for all of them, and again every two seconds as long
 * as there is a reader; of a tail four times a second, which many tails and many readers share. Frames are of values and not of events, so that whoever has missed one needs the last one alone.
 */
import type { PageContext } from '../page-tools.ts';

export interface Frame {
  /** Boot and sequence. */
  readonly id: string;
  /** @returns undefined where it is nothing new to them */
  textFor(reader: FrameReader): Buffer | undefined;
}

export interface FrameReader {
  readonly ctx: PageContext;
  /** Has not got the frame before. */
  readonly hasMissed: boolean;
}

/**
 * Makes the next frame of one topic.
 *
 * @param ctx  as whom the page is asked: anyone of those who read it
 * @returns undefined where nothing has changed
 * @throws what the page throws
 */
export type MakeFrame = (ctx: PageContext, newId: () => string) => Promise<Frame | undefined>;

/** For a topic that begins. */
export type NewFrames = () => MakeFrame;

export interface Topic {
  /** The last one that was made. */
  readonly frame: () => Frame | undefined;
  /** Made now, unless that is under way. */
  make(): Promise<void>;
}

export interface TopicReader {
  /** As whom the page is asked: anyone with the same rights. */
  readonly ctx: PageContext;
  take(frame: Frame): void;
  /** The page cannot be had any more. */
  fail(error: unknown): void;
}

export interface Topics {
  /** @returns the topic, and what ends the reading */
  read(
    key: string,
    frames: NewFrames,
    reader: TopicReader,
    pace?: Pace,
  ): { readonly topic: Topic; leave(): void };
  /** Whether a frame of this id is from here, and not too long ago. */
  knows(key: string, id: string): boolean;
  close(): void;
}

/** A tail follows what comes. */
export type Pace = 'usual' | 'tail';

interface Held {
  readonly pace: Pace;
  readonly readers: Set<TopicReader>;
  readonly makeFrame: MakeFrame;
  timer: NodeJS.Timeout | undefined;
  frame: Frame | undefined;
  isMaking: boolean;
  /** Epoch milliseconds. */
  leftAt: number;
}

const frameMs = 2_000;
/** Of all tails together, so that what they cost has an end. */
const tailMs = 250;
/** As few lines a second to all readers of tails as 1,000 readers of other pages get. */
const tailMsOfReader = 2;
/** So long a reader may be away. */
const storedMs = 300_000;
/** With nobody reading. */
const mostLeft = 200;

/**
 * @param boot  names this process
 * @param now   epoch milliseconds
 */
export function createTopics(boot: string, now: () => number): Topics {
  const topics = new Map<string, Held>();
  let sequence = 0;

  return {
    read(key, frames, reader, pace = 'usual') {
      let held = topics.get(key);
      if (!held) {
        held = {
          pace,
          readers: new Set(),
          makeFrame: frames(),
          timer: undefined,
          frame: undefined,
          isMaking: false,
          leftAt: 0,
        };
        dropLeft();
        topics.set(key, held);
      }
      const found = held;
      found.readers.add(reader);
      found.timer ??= begin(found);
      return {
        topic: { frame: () => found.frame, make: () => make(found) },
        leave() {
          found.readers.delete(reader);
          if (found.readers.size > 0) return;
          clearTimeout(found.timer);
          found.timer = undefined;
          found.leftAt = now();
        },
      };
    },
    knows(key, id) {
      const held = topics.get(key);
      if (!held?.frame || !id.startsWith(`${boot}-`)) return false;
      return held.readers.size > 0 || now() - held.leftAt < storedMs;
    },
    close() {
      for (const { timer } of topics.values()) clearTimeout(timer);
    },
  };

  function begin(held: Held): NodeJS.Timeout {
    if (held.pace === 'usual') return setInterval(() => void make(held), frameMs).unref();
    const next = () => {
      const timer = setTimeout(async () => {
        await make(held);
        // Who has left and come again meanwhile has another one.
        if (held.timer === timer) held.timer = next();
      }, tailPeriod()).unref();
      return timer;
    };
    return next();
  }

  /** Slower with each tail that is read, and with each reader. */
  function tailPeriod(): number {
    const tails = [...topics.values()].filter(({ pace, readers }) => pace === 'tail' && readers.size > 0);
    const readers = tails.reduce((sum, one) => sum + one.readers.size, 0);
    return Math.min(frameMs, Math.max(tailMs * tails.length, tailMsOfReader * readers));
  }

  async function make(held: Held): Promise<void> {
    const [reader] = held.readers;
    if (!reader || held.isMaking) return;
    held.isMaking = true;
    try {
      const frame = await held.makeFrame(reader.ctx, () => `${boot}-${++sequence}`);
      if (!frame) return;
      held.frame = frame;
      for (const one of [...held.readers]) one.take(frame);
    } catch (error) {
      reader.fail(error);
    } finally {
      held.isMaking = false;
    }
  }

  /** Those that nobody reads, the ones left first. */
  function dropLeft(): void {
    const left = [...topics].filter(([, { readers }]) => readers.size === 0);
    const old = left.filter(([, { leftAt }]) => now() - leftAt >= storedMs);
    for (const [key] of [...old, ...left.slice(0, -mostLeft)]) topics.delete(key);
  }
}
