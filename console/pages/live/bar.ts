/** How the bar of all pages goes on, by the stream of any of them. */
import { type BarModel, barParts } from '../../../views/management/bar.tsx';
import { presentationOf } from '../../http/display/presentation.ts';
import type { PageContext } from '../page-tools.ts';
import type { NewFrames } from './topics.ts';

/**
 * Without an id: whoever comes back after a cut names the last frame of the page, and gets the bar anew.
 *
 * @param read  what a reader may know of it now
 */
export function barFramesOf(read: (ctx: PageContext) => Promise<BarModel>): NewFrames {
  return () => {
    let sent: string | undefined;
    let bar: BarModel = {};
    return async (ctx, newId) => {
      // What could not be had in time stays as it was.
      bar = { ...bar, ...(await read(ctx)) };
      const next = JSON.stringify(bar);
      if (next === sent) return undefined;
      sent = next;
      const text = textOf(bar, ctx);
      return { id: newId(), textFor: () => text };
    };
  };
}

function textOf(bar: BarModel, ctx: PageContext): Buffer {
  const { parts, ofJobs } = barParts(bar, presentationOf(ctx));
  const jobs = { running: bar.jobs ?? 0, parts: ofJobs };
  return Buffer.from(`data: ${JSON.stringify({ parts })}\n\nevent: job\ndata: ${JSON.stringify(jobs)}\n\n`);
}
