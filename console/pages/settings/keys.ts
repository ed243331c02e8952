/** `/settings/keys`: the signing keys of the key set, and what has others sign. */

import { keysHref, renderKeys, type ShownKey } from '../../../views/management/settings/keys.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const place = (t: Translate) => ({
  path: [{ title: t('common.signingKeys'), href: keysHref }],
  href: keysHref,
});

const doneNotices = (t: Translate): Readonly<Record<string, string>> => ({
  rotate: t('keys.nextKeysSignAs'),
  'rotate-now': t('keys.newKeysSignEverything'),
});

export function createKeyPage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const act = allActs(t).find(({ name }) => name === form.get('do'));
      if (act) return acts.ask(ctx, act, place(t), {});
      const { body } = await tools.run<ListAnswer<ShownKey>>(ctx, 'listKeys', { query: { limit: '200' } });
      const may = await tools.mayRun(ctx, ['rotateKeys']);
      const html = renderKeys({
        frame: await tools.frame(ctx),
        keys: body.items,
        mayRotate: may.has('rotateKeys'),
        notice: doneNotices(t)[form.get('done') ?? ''],
      });
      tools.send(ctx, html);
    },
    /** `POST /settings/keys`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const act = allActs(t).find(({ name }) => name === ctx.state.form.get('do'));
      if (!act) return tools.goTo(ctx, keysHref);
      if (await acts.perform(ctx, act, place(t), {})) tools.goTo(ctx, `${keysHref}?done=${act.name}`);
    },
  };
}

const allActs = (t: Translate): readonly Act[] => [
  {
    name: 'rotate',
    operation: 'rotateKeys',
    title: t('common.rotateSigningKeys'),
    effects: [t('keys.keysNextSignFrom'), t('keys.nobodyDoAnythingVerifiers')],
    button: t('keys.rotateKeys'),
  },
  {
    name: 'rotate-now',
    operation: 'rotateKeys',
    title: t('common.replaceSigningKeysOnce'),
    effects: [t('keys.keysWereStolenNew'), t('keys.everyTokenOutVoid'), t('keys.verifiersKeepKeySet')],
    button: t('keys.replaceKeys'),
    isDangerous: true,
    typedName: 'replace',
    requestOf: () => ({ body: { now: true } }),
  },
];
