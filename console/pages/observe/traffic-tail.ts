/**
 * The last lines of the page of traffic, as they come: what came of late is asked for four times a second, all of the
 * period every two seconds, and nothing is sent while nothing has come. Where every line is another one each time, once a
 * second is enough: nobody reads faster.
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
/** Until the next look, when none of the lines was there at the last one. */
const crowdedMs = 1_000;
/** What came since the last look is in them. */
const lately = '2';

export function tailFramesOf({ askedOf, read, readerOf, now }: TailDeps): NewFrames {
  return () => {
    let wholeAt = 0;
    let restsUntil = 0;
    let known: Pick<ShownTraffic, 'calls' | 'latest'> = { calls: 0, latest: [] };
    let sent: string | undefined;

    return async (ctx, newId) => {
      const at = now();
      if (at < restsUntil) return undefined;
      const asked = askedOf(ctx);
      const isWhole = at - wholeAt >= wholeMs;
      const ids = new Set(known.latest.map(({ requestId }) => requestId));
      const isNew = ({ requestId }: { readonly requestId: string }) => !ids.has(requestId);
      if (isWhole) {
        wholeAt = at;
        known = await read(ctx, asked);
      } else {
        const come = (await read(ctx, { ...asked, minutes: lately })).latest.filter(isNew);
        if (come.length === 0) return undefined;
        known = {
          calls: known.calls + come.length,
          latest: [...come, ...known.latest].sort(byTime).slice(0, mostLines),
        };
      }
      const isCrowded = known.latest.length >= mostLines && known.latest.slice(0, mostLines).every(isNew);
      restsUntil = isCrowded ? at + crowdedMs : 0;
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
