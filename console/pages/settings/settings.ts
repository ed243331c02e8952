/** `/settings`: what this console runs with, and where each value comes from. */

import { isNotRead, type NotRead } from '../../../views/management/live/not-read.tsx';
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
import { readPart } from '../read-part.ts';

/** There are some hundred: all of them, so that a browser finds any. */
const all = '200';

export function createSettingsPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const asked = { limit: all, ...queryOf(ctx.state.form, listed.settings.names) };
    const { body } = await tools.run<ListAnswer<ShownSetting>>(ctx, 'listSettings', { query: asked });
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, ['readConfigurationDirectory']);
    const files = may.has('readConfigurationDirectory') ? await readPart(() => filesOf(ctx)) : undefined;
    const html = renderSettings({
      frame: await tools.frame(ctx),
      settings: body.items,
      configuration: isFollowed(files) ? files : undefined,
      filters: filtersOf(settingsHref, asked, t('settings.search'), [stateFilter(t)], t),
      ...placesOf(settingsHref, asked, body),
    });
    tools.send(ctx, html);
  };

  async function filesOf(ctx: PageContext): Promise<ShownConfigurationFiles> {
    return (await tools.run<ShownConfigurationFiles>(ctx, 'readConfigurationDirectory')).body;
  }
}

/** Where no directory is followed there is nothing to say of it. */
function isFollowed(files: ShownConfigurationFiles | NotRead | undefined): boolean {
  return files !== undefined && (isNotRead(files) || files.path !== null);
}

const stateFilter = (t: Translate) => ({
  name: 'state',
  label: t('settings.which'),
  options: [
    { value: 'changed', label: t('settings.changed') },
    { value: 'warned', label: t('settings.warned') },
  ],
});
