/** `/access/applications`: dashboards and other applications that people sign in to through this console. */

import {
  type ApplicationForm,
  renderNewApplication,
} from '../../../views/management/access/application-form.tsx';
import {
  type ApplicationModel,
  applicationHref,
  renderApplication,
  renderApplications,
  type ShownApplication,
} from '../../../views/management/access/applications.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Acts } from '../acts.ts';
import { createBulk } from '../bulk/bulk.ts';
import type { Forms, Shown } from '../forms.ts';
import { editNotice } from '../history/history.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { addition, edit, fieldOf, fieldOfNew, formOf, typedForm } from './application-changes.ts';
import { type Preset, presetNamed, presets, settingsFor } from './application-presets.ts';
import { clientNotices, clientStatuses, createClientActs, type Found } from './client-acts.ts';
import { lastLogoutsOf } from './sessions.ts';

const listHref = '/access/applications';
const words = {
  operation: 'Application',
  plural: 'common.applications',
  listHref,
  loses: 'applications.losesSignIns',
  onlySecret: 'applications.onlySecret',
  remove: 'applications.removeApplication',
} as const;

type WithSecret = ShownApplication & { readonly secret: string | null };

/** @param origin  of this console, for what is pasted elsewhere */
export function createApplicationPages(tools: PageTools, acts: Acts, forms: Forms, origin: string) {
  const clientActs = createClientActs<ShownApplication>(tools, acts, words);
  const bulk = createBulk({ tools, acts, origin }, 'applications', (t) => t('common.applications'));

  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'new') return showEmpty(ctx);
      if (await bulk.ask(ctx)) return;
      const asked = sortedQueryOf(form, listed.applications);
      const { body } = await tools.run<ListAnswer<ShownApplication>>(ctx, 'listApplications', {
        query: asked,
      });
      const may = await tools.mayRun(ctx, ['createApplication']);
      const html = renderApplications({
        frame: await tools.frame(ctx),
        applications: body.items,
        primary: may.has('createApplication')
          ? { label: t('common.addApplication'), href: `${listHref}?do=new` }
          : undefined,
        filters: filtersOf(
          listHref,
          asked,
          t('access.nameOrId'),
          [{ name: 'status', label: t('access.status'), options: clientStatuses(t) }],
          t,
        ),
        notice: form.get('done') === 'removed' ? t('applications.removed') : undefined,
        ...(await bulk.state(ctx, body)),
        sorting: sortingOf(listed.applications, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/applications`: adds one, whose secret is in this answer alone, or acts on many. */
    async create(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (await bulk.perform(ctx)) return;
      const id = form.get('id')?.trim() ?? '';
      const preset = presetNamed(form.get('for')) ?? presets[0];
      const typed = typedForm(form, await rolesOf(ctx));
      const again = (shown: Shown) => showNew(ctx, { id, preset, form: typed }, shown);
      const change = addition(id, preset, typed);
      const added = await forms.take<WithSecret>(ctx, { change, fieldOf: fieldOfNew(preset), again });
      if (!added) return;
      const { secret } = added.body;
      await showApplication(ctx, await clientActs.find(ctx, id), secret === null ? {} : { secret });
    },
    async show(ctx: PageContext): Promise<void> {
      const found = await clientActs.find(ctx);
      if (await clientActs.ask(ctx, found)) return;
      await showApplication(ctx, found, {
        notice: clientNotices(textFor(ctx))[ctx.state.form.get('done') ?? ''],
      });
    },
    /** `POST /access/applications/:client`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const found = await clientActs.find(ctx);
      if (ctx.state.form.get('do') === 'save') return save(ctx, found);
      await clientActs.perform(ctx, found, async (secret) =>
        showApplication(ctx, await clientActs.find(ctx), { secret }),
      );
    },
  };

  async function save(ctx: PageContext, found: Found<ShownApplication>): Promise<void> {
    const { client } = found;
    const typed = typedForm(ctx.state.form, await rolesOf(ctx, client));
    const again = (shown: Shown) => showApplication(ctx, found, { form: typed, ...shown });
    const change = edit(client, typed);
    const answer = await forms.take(ctx, { change, fieldOf, again });
    if (!answer) return;
    tools.goTo(ctx, `${applicationHref(client.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  async function showApplication(
    ctx: PageContext,
    { client, version }: Found<ShownApplication>,
    shown: Partial<ApplicationModel>,
  ): Promise<void> {
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, ['updateApplication', 'listSessionLogouts']);
    const history = await clientActs.historyOf(ctx, { client, version });
    const html = renderApplication({
      frame: await tools.frame(ctx),
      application: client,
      form: formOf(client, await rolesOf(ctx, client)),
      ...forms.editState(ctx, client, version),
      mayChange: may.has('updateApplication'),
      history,
      settings: settingsFor(origin, client, t),
      logouts: may.has('listSessionLogouts')
        ? await lastLogoutsOf(tools, ctx, { client: client.id, limit: '5' })
        : undefined,
      ...shown,
      notice: editNotice(ctx, shown.notice, history?.changes, version),
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  async function showEmpty(ctx: PageContext): Promise<void> {
    await tools.check(ctx, 'createApplication');
    const preset = presetNamed(ctx.state.form.get('for')) ?? presets[0];
    const roles = (await rolesOf(ctx)).map((role) => ({ ...role, isChosen: true }));
    const form = {
      ...{ displayName: '', url: '', redirectUris: '', postLogoutUris: '', backchannelLogoutUri: '' },
      ...{ clientUri: '', logoUri: '' },
      ...{ isFirstParty: true, roles },
    };
    await showNew(ctx, { id: '', preset, form }, { errors: [] });
  }

  async function showNew(
    ctx: PageContext,
    typed: { readonly id: string; readonly preset: Preset; readonly form: ApplicationForm },
    shown: Shown,
  ): Promise<void> {
    const t = textFor(ctx);
    const { preset, ...rest } = typed;
    const html = renderNewApplication({
      ...(await forms.addState(ctx, shown)),
      ...rest,
      presets: presets.map(({ id, label, meaning }) => ({
        id,
        label: typeof label === 'string' ? label : t(label.key),
        meaning: t(meaning),
      })),
      preset: preset.id,
      hasUrl: preset.addressesAt !== undefined,
    });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }

  async function rolesOf(ctx: PageContext, { maxRoles }: Partial<ShownApplication> = {}) {
    const query = { limit: '200' };
    const { body } = await tools.run<ListAnswer<{ readonly id: string }>>(ctx, 'listRoles', { query });
    return body.items.map(({ id }) => ({ id, isChosen: maxRoles === null || (maxRoles ?? []).includes(id) }));
  }
}
