/** `/access/identity-providers`: where people's accounts come from besides this console, tried before they count. */

import {
  type ProviderForm,
  providerHref,
  providersPath,
  renderNewProvider,
} from '../../../../views/management/access/identity-providers/provider-form.tsx';
import { renderProviders } from '../../../../views/management/access/identity-providers/provider-list.tsx';
import {
  type ProviderModel,
  renderProvider,
} from '../../../../views/management/access/identity-providers/provider-page.tsx';
import {
  kindNames,
  type ShownProvider,
} from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { DoneNotice } from '../../../../views/management/detail.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import { type Act, type Acts, isUnasked } from '../../acts.ts';
import type { Forms, Shown } from '../../forms.ts';
import { createHistory, editNotice, putBackAct } from '../../history/history.ts';
import { listed } from '../../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../../lists.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../../page-tools.ts';
import { checkedDisabling, disabling, providerActs } from './provider-acts.ts';
import { type FormField, fieldsOf } from './provider-fields.ts';
import { addition, edit, fieldIn, placed, storedValues, typedValues } from './provider-form.ts';
import { type Preset, presetNamed, presets } from './provider-presets.ts';

const listHref = '/access/identity-providers';

const doneNotices = (t: Translate): Readonly<Record<string, DoneNotice>> => ({
  saved: { text: t('providers.saved'), undo: putBackAct },
  unchanged: { text: t('common.nothingWasDifferent') },
  'put-back': { text: t('access.putBack') },
  enabled: { text: t('providers.enabledDone'), undo: 'disable' },
  disabled: { text: t('providers.disabledDone'), undo: 'enable' },
  'disabled-unused': { text: t('providers.disabledUnused'), undo: 'enable' },
});

interface Found {
  readonly provider: ShownProvider;
  readonly version: string;
  readonly fields: readonly FormField[];
}

type Trial = NonNullable<ProviderModel['trial']>;

/** @param origin  of this console */
export function createProviderPages(tools: PageTools, acts: Acts, forms: Forms, origin: string) {
  const history = createHistory(tools, acts, {
    kind: 'identityProviders',
    object: 'idp',
    effectsOf: (stored, operation, t) =>
      operation === 'disableIdentityProvider' ? disabling(stored as ShownProvider, t).effects : [],
  });
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'new') return showEmpty(ctx);
      const asked = sortedQueryOf(form, listed.providers);
      const { body } = await tools.run<ListAnswer<ShownProvider>>(ctx, 'listIdentityProviders', {
        query: asked,
      });
      const may = await tools.mayRun(ctx, ['createIdentityProvider']);
      const html = renderProviders({
        frame: await tools.frame(ctx),
        providers: body.items,
        primary: may.has('createIdentityProvider')
          ? { label: t('common.addIdentityProvider'), href: `${listHref}?do=new` }
          : undefined,
        filters: filtersOf(listHref, asked, t('access.nameOrId'), filters(t), t),
        notice: form.get('done') === 'removed' ? t('providers.removed') : undefined,
        sorting: sortingOf(listed.providers, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/identity-providers`: adds one, disabled, and tries it. */
    async create(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const id = form.get('id')?.trim() ?? '';
      const preset = presetNamed(form.get('for')) ?? presets[0];
      const fields = fieldsOf(preset.kind, await rolesOf(ctx), textFor(ctx));
      const typed = typedValues(form, fields);
      const again = ({ errors, ...shown }: Shown) =>
        showNew(
          ctx,
          { id, preset, form: { fields, values: typed } },
          { ...shown, errors: placed(errors, fields) },
        );
      const change = addition({ id, kind: preset.kind, fields, typed, isShown: isShown(ctx) });
      const added = await forms.take(ctx, { change, fieldOf: fieldIn(fields), again });
      if (added) await tryOut(ctx, id, {});
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const found = await find(ctx);
      const { form } = ctx.state;
      const act = await actNamed(ctx, found.provider);
      if (act) return acts.ask(ctx, act, placeOf(found.provider, t), { provider: found.provider.id });
      if (await history.ask(ctx, presentOf(found), placeOf(found.provider, t))) return;
      await showProvider(ctx, found, { notice: doneNotices(t)[form.get('done') ?? ''] });
    },
    /** `POST /access/identity-providers/:provider`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const found = await find(ctx);
      const { provider } = found;
      if (form.get('do') === 'save') return save(ctx, found);
      if (form.get('do') === 'test') return tryOut(ctx, provider.id, credentialsOf(ctx));
      if (form.get('do') === putBackAct) {
        const back = await history.perform(ctx, presentOf(found), placeOf(provider, t));
        if (back) tools.goTo(ctx, `${providerHref(provider.id)}?done=${putBackAct}`);
        return;
      }
      const act = await actNamed(ctx, provider);
      if (!act) return tools.goTo(ctx, providerHref(provider.id));
      const params = { provider: provider.id };
      if (isUnasked(ctx, act)) return acts.ask(ctx, act, placeOf(provider, t), params);
      const done = await acts.perform(ctx, act, placeOf(provider, t), params);
      if (!done) return;
      if (act.name === 'remove') return tools.goTo(ctx, `${listHref}?done=removed`);
      const isUnused = act.name === 'disable' && provider.linkedUsers === 0;
      tools.goTo(ctx, `${providerHref(provider.id)}?done=${act.name}d${isUnused ? '-unused' : ''}`);
    },
  };

  /** What the address or the form names in `do`. */
  async function actNamed(ctx: PageContext, provider: ShownProvider): Promise<Act | undefined> {
    const act = providerActs(provider, textFor(ctx)).get(ctx.state.form.get('do') ?? '');
    return act?.name === 'disable' ? checkedDisabling(tools, ctx, provider, act) : act;
  }

  async function find(ctx: PageContext, id = String(ctx.params.provider)): Promise<Found> {
    const params = { provider: id };
    const { body, version = '' } = await tools.run<ShownProvider>(ctx, 'readIdentityProvider', { params });
    return {
      provider: body,
      version,
      fields: body.kind === null ? [] : fieldsOf(body.kind, await rolesOf(ctx), textFor(ctx)),
    };
  }

  async function save(ctx: PageContext, found: Found): Promise<void> {
    const { provider, fields } = found;
    const typed = typedValues(ctx.state.form, fields);
    const change = edit({ provider, fields, typed, isShown: isShown(ctx) });
    const again = ({ errors, ...shown }: Shown) =>
      showProvider(ctx, found, { form: { fields, values: typed }, ...shown, errors: placed(errors, fields) });
    if (Object.keys(change.body).length === 0 && !isShown(ctx)) {
      await tools.check(ctx, change.operation);
      return tools.goTo(ctx, `${providerHref(provider.id)}?done=unchanged`);
    }
    const answer = await forms.take(ctx, { change, fieldOf: fieldIn(fields), again });
    if (!answer) return;
    tools.goTo(ctx, `${providerHref(provider.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  /** What a dry run says is of this moment: it is at no address. */
  async function tryOut(ctx: PageContext, id: string, body: object): Promise<void> {
    const t = textFor(ctx);
    try {
      const params = { provider: id };
      const { body: trial } = await tools.run<Trial>(ctx, 'testIdentityProvider', { params, body });
      await showProvider(ctx, await find(ctx, id), { trial });
    } catch (error) {
      const found = await find(ctx, id);
      const errors = fieldErrorsOf(error, fieldIn(found.fields), t);
      await showProvider(ctx, found, { errors });
    }
  }

  async function showProvider(ctx: PageContext, found: Found, shown: Partial<ProviderModel>): Promise<void> {
    const { provider, version, fields } = found;
    const may = await tools.mayRun(ctx, ['updateIdentityProvider']);
    const changes = await history.of(ctx, presentOf(found));
    const html = renderProvider({
      frame: await tools.frame(ctx),
      provider,
      form: { fields, values: storedValues(provider, fields) },
      ...forms.editState(ctx, provider, version),
      mayChange: may.has('updateIdentityProvider'),
      history: changes,
      mayTry: ctx.state.account.roles.includes('Admin'),
      ...shown,
      notice: editNotice(ctx, shown.notice, changes?.changes, version),
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  async function showEmpty(ctx: PageContext): Promise<void> {
    await tools.check(ctx, 'createIdentityProvider');
    const preset = presetNamed(ctx.state.form.get('for')) ?? presets[0];
    const fields = fieldsOf(preset.kind, await rolesOf(ctx), textFor(ctx));
    await showNew(
      ctx,
      { id: preset.provider, preset, form: { fields, values: preset.values } },
      { errors: [] },
    );
  }

  async function showNew(
    ctx: PageContext,
    typed: { readonly id: string; readonly preset: Preset; readonly form: ProviderForm },
    shown: Shown,
  ): Promise<void> {
    const t = textFor(ctx);
    const { preset, ...rest } = typed;
    const html = renderNewProvider({
      ...(await forms.addState(ctx, shown)),
      ...rest,
      presets: presets.map(({ id, label, meaning }) => ({ id, label, meaning: t(meaning) })),
      preset: preset.id,
      before: t(preset.before),
      callbackUrl: preset.kind === 'ldap' ? undefined : `${origin}/login/callback/${rest.id || 'ID'}`,
    });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }

  /** Of the form that is typed: whoever may not list roles picks none but those of every installation. */
  async function rolesOf(ctx: PageContext): Promise<readonly string[]> {
    const may = await tools.mayRun(ctx, ['listRoles']);
    if (!may.has('listRoles')) return ['Viewer', 'MetricsViewer'];
    const query = { limit: '200' };
    const { body } = await tools.run<ListAnswer<{ readonly id: string }>>(ctx, 'listRoles', { query });
    return body.items.map(({ id }) => id);
  }
}

function isShown({ state: { form } }: PageContext): boolean {
  return form.get('show') === 'ways';
}

/** Of a directory: as whom to sign in, if as anybody. */
function credentialsOf({ state: { form } }: PageContext): object {
  const [username, password] = [form.get('username')?.trim(), form.get('password')];
  return { ...(username && { username }), ...(password && { password }) };
}

const filters = (t: Translate) => [
  {
    name: 'kind',
    label: t('access.kind'),
    options: Object.entries(kindNames).map(([value, name]) => ({ value, label: t(name) })),
  },
  {
    name: 'enabled',
    label: t('common.state'),
    options: [
      { value: 'true', label: t('access.enabled') },
      { value: 'false', label: t('access.disabled') },
    ],
  },
];

function presentOf({ provider, version }: Found) {
  return { id: provider.id, stored: provider, version };
}

function placeOf({ id, name }: ShownProvider, t: Translate) {
  return {
    path: [...providersPath(t), { title: name ?? id, href: providerHref(id) }],
    href: providerHref(id),
  };
}
