/** What is added to the configuration of the members: first what would change, then the act that is asked about. */
import { operationsHref } from '../../../views/management/cluster/operations.tsx';
import type { DiffModel, DiffSection } from '../../../views/management/diff.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { type Act, type ActPlace, type Acts, reasonIn, reasonText } from '../acts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** As the admin API has it. */
interface Preview {
  readonly isCompared: boolean;
  readonly isCut: boolean;
  readonly sections: readonly {
    readonly sectionName: string;
    readonly configName: string;
    readonly state: 'new' | 'same' | 'different' | 'there';
    readonly lines: DiffSection['lines'];
  }[];
}

interface Changed {
  readonly added: readonly object[];
  readonly ignored: readonly object[];
}

/** In the form. */
const asked = new Set(['preview', 'config']);

export function isConfigForm({ state: { form } }: PageContext): boolean {
  return asked.has(form.get('do') ?? '');
}

export function createMemberConfigForm(tools: PageTools, acts: Acts) {
  return {
    /** Takes the text, and shows what it would change; or the form of that page. @param typedName  before it is sent */
    async change(ctx: PageContext, typedName: string, place: ActPlace): Promise<void> {
      const { form } = ctx.state;
      const config = form.get('config')?.trim() ?? '';
      if (config === '') return tools.goTo(ctx, operationsHref);
      await tools.check(ctx, 'updateMemberConfig');
      const { body } = await tools.run<Preview>(ctx, 'previewMemberConfig', { body: { config } });
      const act = addition(config, body, { typedName, t: textFor(ctx) });
      if (form.get('do') === 'preview') return acts.ask(ctx, act, place, {});
      const done = await acts.perform<Changed>(ctx, act, place, {});
      if (!done) return;
      const { added, ignored } = done.body;
      const said = new URLSearchParams({
        done: 'config',
        added: String(added.length),
        there: String(ignored.length),
      });
      tools.goTo(ctx, `${operationsHref}?${said}`);
    },
  };
}

/** What has come of it, as the address says. */
export function addedNotice({ state: { form } }: PageContext, t: Translate): string | undefined {
  if (form.get('done') !== 'config') return undefined;
  const [added, there] = [Number(form.get('added')), Number(form.get('there'))];
  if (!Number.isSafeInteger(added) || !Number.isSafeInteger(there)) return undefined;
  return `${t('memberConfig.added', { n: added })} ${t('memberConfig.passedOver', { n: there })}`;
}

function addition(
  config: string,
  preview: Preview,
  { typedName, t }: { readonly typedName: string; readonly t: Translate },
): Act {
  const isNothing = preview.isCompared && preview.sections.every(({ state }) => state !== 'new');
  return {
    name: 'config',
    operation: 'updateMemberConfig',
    title: t('operations.addToConfiguration'),
    effects: [
      t('memberConfig.addsWhatIsNew'),
      t('memberConfig.comparedWithSent'),
      ...(preview.isCompared ? [] : [t('memberConfig.notCompared')]),
      ...(isNothing ? [t('memberConfig.nothingNew')] : []),
    ],
    diff: diffOf(config, preview, t),
    button: t('operations.addToConfiguration'),
    isDangerous: true,
    typedName,
    hidden: { config },
    texts: [reasonText(t)],
    requestOf: (form) => ({ body: { config }, query: reasonIn(form) }),
  };
}

const states = {
  new: 'memberConfig.new',
  same: 'memberConfig.same',
  different: 'memberConfig.different',
  there: 'memberConfig.there',
} as const;

function diffOf(config: string, { isCompared, isCut, sections }: Preview, t: Translate): DiffModel {
  if (!isCompared) {
    const lines = config.split(/\r?\n/).map((text) => ({ change: 'added', text }) as const);
    return { sections: [{ title: t('memberConfig.wanted'), state: '', lines }], isCut: false };
  }
  return {
    isCut,
    sections: sections.map(({ sectionName, configName, state, lines }) => ({
      title: `${sectionName} ${configName}`.trim(),
      state: t(states[state]),
      lines,
    })),
  };
}
