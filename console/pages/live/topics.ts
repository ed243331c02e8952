/**
 * What streams of one address and one set of rights are sent: made once for all of them, and again every two seconds as long
 * as there is a reader. A frame has the parts of the page that have changed since the one before; whoever has missed one gets
 * all of them, since they are values and no events.
 */
import type { PageContext } from '../page-tools.ts';

/** Parts of a page, as they are in it: HTML by the id of their element. */
export type Parts = Readonly<Record<string, string>>;

/** @throws what the page throws */
export type ReadParts = (ctx: PageContext) => Promise<Parts>;

export interface Frame {
  /** Boot and sequence. */
  readonly id: string;
  /** What has changed. */
  readonly changed: Buffer;
  /** All of it. */
  readonly whole: Buffer;
}

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
  read(key: string, parts: ReadParts, reader: TopicReader): { readonly topic: Topic; leave(): void };
  /** Whether a frame of this id is from here, and not too long ago. */
  knows(key: string, id: string): boolean;
  close(): void;
}

interface Held {
  readonly readers: Set<TopicReader>;
  readonly parts: ReadParts;
  timer: NodeJS.Timeout | undefined;
  sent: Parts;
  frame: Frame | undefined;
  isMaking: boolean;
  /** Epoch milliseconds. */
  leftAt: number;
}

const frameMs = 2_000;
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
    read(key, parts, reader) {
      let held = topics.get(key);
      if (!held) {
        held = {
          readers: new Set(),
          parts,
          timer: undefined,
          sent: {},
          frame: undefined,
          isMaking: false,
          leftAt: 0,
        };
        dropLeft();
        topics.set(key, held);
      }
      const found = held;
      found.readers.add(reader);
      found.timer ??= setInterval(() => void make(found), frameMs).unref();
      return {
        topic: { frame: () => found.frame, make: () => make(found) },
        leave() {
          found.readers.delete(reader);
          if (found.readers.size > 0) return;
          clearInterval(found.timer);
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
      for (const { timer } of topics.values()) clearInterval(timer);
    },
  };

  async function make(held: Held): Promise<void> {
    const [reader] = held.readers;
    if (!reader || held.isMaking) return;
    held.isMaking = true;
    try {
      const parts = await held.parts(reader.ctx);
      const changed = Object.fromEntries(
        Object.entries(parts).filter(([id, html]) => held.sent[id] !== html),
      );
      if (held.frame && Object.keys(changed).length === 0) return;
      held.sent = parts;
      const id = `${boot}-${++sequence}`;
      held.frame = { id, changed: textOf(id, changed), whole: textOf(id, parts) };
      for (const one of [...held.readers]) one.take(held.frame);
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

function textOf(id: string, parts: Parts): Buffer {
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify({ parts })}\n\n`);
}
