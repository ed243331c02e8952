/** `/settings/keys`: the signing keys of the key set, and what has others sign. */
import { keysHref, renderKeys, type ShownKey } from '../../../views/management/settings/keys.tsx';
import type { Act, Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const place = { path: [{ title: 'Signing keys', href: keysHref }], href: keysHref };

const doneNotices: Readonly<Record<string, string>> = {
  rotate: 'The next keys sign as soon as every verifier has had the time to see them.',
  'rotate-now': 'New keys sign. Everything that was signed before is void.',
};

export function createKeyPage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const act = allActs.find(({ name }) => name === form.get('do'));
      if (act) return acts.ask(ctx, act, place);
      const { body } = await tools.run<ListAnswer<ShownKey>>(ctx, 'listKeys', { query: { limit: '200' } });
      const may = await tools.mayRun(ctx, ['rotateKeys']);
      const html = renderKeys({
        frame: await tools.frame(ctx),
        keys: body.items,
        mayRotate: may.has('rotateKeys'),
        notice: doneNotices[form.get('done') ?? ''],
      });
      tools.send(ctx, html);
    },
    /** `POST /settings/keys`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const act = allActs.find(({ name }) => name === ctx.state.form.get('do'));
      if (!act) return tools.goTo(ctx, keysHref);
      if (await acts.perform(ctx, act, place, {})) tools.goTo(ctx, `${keysHref}?done=${act.name}`);
    },
  };
}

const allActs: readonly Act[] = [
  {
    name: 'rotate',
    operation: 'rotateKeys',
    title: 'Rotate signing keys',
    effects: [
      'The keys that are next sign from then on. What the current ones signed stays valid until it expires.',
      'Nobody has to do anything: verifiers find the keys in the key set.',
    ],
    button: 'Rotate keys',
  },
  {
    name: 'rotate-now',
    operation: 'rotateKeys',
    title: 'Replace signing keys at once',
    effects: [
      'For keys that were stolen: new ones sign from now on.',
      'Every token that is out is void. Machine clients ask for new ones, and applications send people to sign in.',
      'Verifiers that keep the key set refuse the new tokens until they have read it anew.',
    ],
    button: 'Replace keys',
    isDangerous: true,
    typedName: 'replace',
    requestOf: () => ({ body: { now: true } }),
  },
];
