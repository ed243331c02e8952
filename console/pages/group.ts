import { ProblemError, problems } from '../../platform/errors.ts';
import { groupParts, renderGroup } from '../../views/management/group.tsx';
import { figuresOf } from './group-figures.ts';
import type { Parts } from './live/parts.ts';
import type { SharedReadings } from './live/shared-readings.ts';
import type { PageContext, PageReader, PageTools } from './page-tools.ts';
import { siteMap } from './site-map.ts';

/** The pages of one group: on a phone its menu. */
export function createGroupPage(tools: PageTools, readings: SharedReadings) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const frame = await tools.frame(ctx);
      const { title, pages } = openIn(ctx, frame);
      const figures = await figuresOf(ctx, tools, readings.now, hrefsIn(pages));
      tools.send(ctx, renderGroup({ frame, title, pages, figures }));
    },
    /** Whoever may open none of its pages has no stream of it. @throws {ProblemError} */
    async check(ctx: PageContext): Promise<void> {
      openIn(ctx, tools.reader(ctx));
    },
    /** What goes on while it is open: each figure is asked for once for all readers. */
    async parts(ctx: PageContext): Promise<Parts> {
      const frame = tools.reader(ctx);
      const { pages } = openIn(ctx, frame);
      const figures = await figuresOf(ctx, tools, readings.lately, hrefsIn(pages));
      return groupParts({ frame, figures });
    },
  };
}

/** @throws {ProblemError} where none of its pages is open to the reader */
function openIn(ctx: PageContext, { groups }: PageReader) {
  const group = siteMap.find(({ href }) => href === ctx.path);
  const open = groups.find(({ href }) => href === ctx.path);
  if (!group || !open) {
    throw new ProblemError(
      problems.forbidden,
      'Your roles open none of these pages. An administrator can give you one that does.',
    );
  }
  const shown = new Set(hrefsIn(open.pages));
  return { title: group.title, pages: group.pages.filter(({ href }) => shown.has(href)) };
}

function hrefsIn(pages: readonly { readonly href: string }[]): readonly string[] {
  return pages.map(({ href }) => href);
}
