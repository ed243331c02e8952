import { ProblemError, problems } from '../../platform/errors.ts';
import { renderGroup } from '../../views/management/group.tsx';
import { figuresOf } from './group-figures.ts';
import type { PageContext, PageTools } from './page-tools.ts';
import { siteMap } from './site-map.ts';

/** The pages of one group: on a phone its menu. */
export function createGroupPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const frame = await tools.frame(ctx);
    const group = siteMap.find(({ href }) => href === ctx.path);
    const open = frame.groups.find(({ href }) => href === ctx.path);
    if (!group || !open) {
      throw new ProblemError(
        problems.forbidden,
        'Your roles open none of these pages. An administrator can give you one that does.',
      );
    }
    const shown = new Set(open.pages.map(({ href }) => href));
    const figures = await figuresOf(ctx, tools, [...shown]);
    const pages = group.pages.filter(({ href }) => shown.has(href));
    const withFigures = pages.map((page) => ({ ...page, figure: figures.get(page.href) }));
    tools.send(ctx, renderGroup({ frame, title: group.title, pages: withFigures }));
  };
}
