/** `/settings`: what this console runs with, and where each value comes from. */
import type { ShownConfigurationFiles } from '../../../views/management/settings/configuration-files.tsx';
import {
  renderSettings,
  type ShownSetting,
  settingsHref,
} from '../../../views/management/settings/settings.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { asPart } from '../read-part.ts';

/** There are some hundred: all of them, so that a browser finds any. */
const all = '200';

export function createSettingsPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const asked = { limit: all, ...queryOf(ctx.state.form, listed.settings.names) };
    const { body } = await tools.run<ListAnswer<ShownSetting>>(ctx, 'listSettings', { query: asked });
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, ['readConfigurationDirectory']);
    const files = may.has('readConfigurationDirectory') ? await asPart(() => filesOf(ctx)) : undefined;
    const html = renderSettings({
      frame: await tools.frame(ctx),
      settings: body.items,
      configuration: files?.path === null ? undefined : files,
      filters: filtersOf(settingsHref, asked, t('settings.search'), [stateFilter(t)], t),
      ...placesOf(settingsHref, asked, body),
    });
    tools.send(ctx, html);
  };

  async function filesOf(ctx: PageContext): Promise<ShownConfigurationFiles> {
    return (await tools.run<ShownConfigurationFiles>(ctx, 'readConfigurationDirectory')).body;
  }
}

const stateFilter = (t: Translate) => ({
  name: 'state',
  label: t('settings.which'),
  options: [
    { value: 'changed', label: t('settings.changed') },
    { value: 'warned', label: t('settings.warned') },
  ],
});
