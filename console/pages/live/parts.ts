/**
 * Frames of the parts of a page that have changed since the one before; whoever has missed that gets all of them. Of one that
 * cannot be had now the last stays, and the frame says why.
 */
import type { LiveParts } from '../../../views/management/live/not-read.tsx';
import { saidIn } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext } from '../page-tools.ts';
import type { NewFrames } from './topics.ts';

/** Parts of a page, as they are in it: HTML by the id of their element. */
export type Parts = LiveParts;

/** @throws what the page throws */
export type ReadParts = (ctx: PageContext) => Promise<Parts>;

type ById = Readonly<Record<string, string>>;

export function partFramesOf(read: ReadParts): NewFrames {
  return () => {
    let sent: ById | undefined;
    /** Why, of those that are not as they are now. */
    let stale: ById = {};
    return async (ctx, newId) => {
      const { language } = textFor(ctx);
      const parts = Object.entries(await read(ctx));
      const before = sent ?? {};
      const wasStale = stale;
      const whole: [string, string][] = [];
      const changed: [string, string][] = [];
      const failed: [string, string][] = [];
      for (const [id, part] of parts) {
        if (typeof part !== 'string') {
          failed.push([id, saidIn(language, part.notRead) ?? part.notRead]);
          if (before[id] !== undefined) whole.push([id, before[id]]);
          continue;
        }
        whole.push([id, part]);
        if (before[id] !== part || wasStale[id] !== undefined) changed.push([id, part]);
      }
      const isStaleAsBefore = isSame(Object.fromEntries(failed), wasStale);
      if (sent && changed.length === 0 && isStaleAsBefore) return undefined;
      sent = Object.fromEntries(whole);
      stale = Object.fromEntries(failed);
      const id = newId();
      const [ofChange, all] = [textOf(id, Object.fromEntries(changed), stale), textOf(id, sent, stale)];
      return { id, textFor: ({ hasMissed }) => (hasMissed ? all : ofChange) };
    };
  };
}

function isSame(one: ById, other: ById): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function textOf(id: string, parts: ById, stale: ById): Buffer {
  const data = Object.keys(stale).length === 0 ? { parts } : { parts, stale };
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}
