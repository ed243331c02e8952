/** Frames of the parts of a page that have changed since the one before; whoever has missed that gets all of them. */
import type { PageContext } from '../page-tools.ts';
import type { NewFrames } from './topics.ts';

/** Parts of a page, as they are in it: HTML by the id of their element. */
export type Parts = Readonly<Record<string, string>>;

/** @throws what the page throws */
export type ReadParts = (ctx: PageContext) => Promise<Parts>;

export function partFramesOf(read: ReadParts): NewFrames {
  return () => {
    let sent: Parts | undefined;
    return async (ctx, newId) => {
      const parts = await read(ctx);
      const before = sent ?? {};
      const changed = Object.fromEntries(Object.entries(parts).filter(([id, html]) => before[id] !== html));
      if (sent && Object.keys(changed).length === 0) return undefined;
      sent = parts;
      const id = newId();
      const [ofChange, whole] = [textOf(id, changed), textOf(id, parts)];
      return { id, textFor: ({ hasMissed }) => (hasMissed ? whole : ofChange) };
    };
  };
}

function textOf(id: string, parts: Parts): Buffer {
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify({ parts })}\n\n`);
}
