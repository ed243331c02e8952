/**
 * The last lines of the page of traffic, as they come: what came of late is asked for four times a second, all of the
 * period every two seconds, and nothing is sent while nothing has come.
 */
import { mostLines, type ShownTraffic, tailParts } from '../../../views/management/observe/traffic.tsx';
import type { NewFrames } from '../live/topics.ts';
import type { PageContext } from '../page-tools.ts';

/** @throws what the page throws */
export type ReadTraffic = (
  ctx: PageContext,
  query: Readonly<Record<string, string>>,
) => Promise<ShownTraffic>;

export interface TailDeps {
  /** What the address asks for. */
  readonly askedOf: (ctx: PageContext) => Readonly<Record<string, string>>;
  readonly read: ReadTraffic;
  readonly readerOf: (ctx: PageContext) => Parameters<typeof tailParts>[0]['frame'];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** All of the period is looked at, and ages go on. */
const wholeMs = 2_000;
/** What came since the last look is in them. */
const lately = '2';

export function tailFramesOf({ askedOf, read, readerOf, now }: TailDeps): NewFrames {
  return () => {
    let wholeAt = 0;
    let known: Pick<ShownTraffic, 'calls' | 'latest'> = { calls: 0, latest: [] };
    let sent: string | undefined;

    return async (ctx, newId) => {
      const asked = askedOf(ctx);
      const isWhole = now() - wholeAt >= wholeMs;
      if (isWhole) {
        wholeAt = now();
        known = await read(ctx, asked);
      } else {
        const { latest } = await read(ctx, { ...asked, minutes: lately });
        const ids = new Set(known.latest.map(({ requestId }) => requestId));
        const come = latest.filter(({ requestId }) => !ids.has(requestId));
        if (come.length === 0) return undefined;
        known = {
          calls: known.calls + come.length,
          latest: [...come, ...known.latest].sort(byTime).slice(0, mostLines),
        };
      }
      const parts = JSON.stringify({ parts: tailParts({ traffic: known, frame: readerOf(ctx) }) });
      if (parts === sent) return undefined;
      sent = parts;
      // Whoever comes again is asked what they had of the page, and gets these lines anew.
      const text = Buffer.from(`data: ${parts}\n\n`);
      return { id: newId(), textFor: () => text };
    };
  };
}

function byTime(one: { readonly at: string }, other: { readonly at: string }): number {
  return one.at < other.at ? 1 : -1;
}
