/** `/settings`: what this console runs with, and where each value comes from. */
import {
  renderSettings,
  type ShownSetting,
  settingsHref,
} from '../../../views/management/settings/settings.tsx';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** There are some hundred: all of them, so that a browser finds any. */
const all = '200';

export function createSettingsPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const asked = { limit: all, ...queryOf(ctx.state.form, listed.settings.names) };
    const { body } = await tools.run<ListAnswer<ShownSetting>>(ctx, 'listSettings', { query: asked });
    const frame = await tools.frame(ctx);
    tools.send(ctx, renderSettings({ frame, settings: body.items, ...placesOf(settingsHref, asked, body) }));
  };
}
