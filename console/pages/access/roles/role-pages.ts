/** `/access/roles`: what people may do, and who may do it. */
import {
  type NewRoleModel,
  type RoleModel,
  renderNewRole,
  renderRole,
  renderRoles,
  roleHref,
  rolesPath,
  type ShownRole,
} from '../../../../views/management/access/roles.tsx';
import type { DoneNotice } from '../../../../views/management/detail.tsx';
import { saidIn, type Translate } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import type { Form } from '../../../http/form.ts';
import type { PermissionsOf } from '../../../operations/privileges.ts';
import { type Act, type Acts, isUnasked } from '../../acts.ts';
import { createBulk } from '../../bulk/bulk.ts';
import type { Forms, Shown } from '../../forms.ts';
import { createHistory, editNotice, putBackAct } from '../../history/history.ts';
import { listed } from '../../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../../lists.ts';
import type { PageContext, PageTools } from '../../page-tools.ts';
import { readPart } from '../../read-part.ts';
import { type TypedChange, waysOf } from '../../ways/change-ways.ts';
import { openCallsOf } from '../call-columns.ts';
import { accessProblems, sendSentence, sentenceOf } from '../granted-access.ts';
import { addition, edit, fieldOf, narrowing, removal, roleFormOf, typedForm } from './role-changes.ts';
import { copyOfBuiltIn } from './role-copy.ts';

const listHref = '/access/roles';

const doneNotices = (t: Translate): Readonly<Record<string, DoneNotice>> => ({
  added: { text: t('roles.roleAdded') },
  saved: { text: t('roles.savedCounts'), undo: putBackAct },
  unchanged: { text: t('common.nothingWasDifferent') },
  'put-back': { text: t('roles.putBackCounts') },
});

type BuiltInLike = NonNullable<NewRoleModel['like']> & Pick<ShownRole, 'description' | 'permissions'>;

interface Found {
  readonly role: ShownRole;
  readonly version: string;
}

/** @param permissionsOf  what a role opens at the members */
export function createRolePages(
  tools: PageTools,
  acts: Acts,
  forms: Forms,
  origin: string,
  permissionsOf: PermissionsOf,
) {
  const bulk = createBulk({ tools, acts, origin }, 'roles', (t) => t('common.roles'));
  const history = createHistory(tools, acts, {
    kind: 'roles',
    object: 'role',
    effectsOf: (stored, _operation, t) => {
      const { userCount: n } = stored as ShownRole;
      return [n === 0 ? t('roles.nobodyHasIt') : t('roles.usersHaveIt', { n })];
    },
  });
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'new') return showEmpty(ctx, form.get('from'));
      if (await bulk.ask(ctx)) return;
      const asked = sortedQueryOf(form, listed.roles);
      const { body } = await tools.run<ListAnswer<ShownRole>>(ctx, 'listRoles', { query: asked });
      const may = await tools.mayRun(ctx, ['createRole']);
      const html = renderRoles({
        frame: await tools.frame(ctx),
        roles: body.items.map((role) => ({ ...role, sentence: sentenceFor(role, t) })),
        primary: may.has('createRole')
          ? { label: t('roles.addRole'), href: `${listHref}?do=new` }
          : undefined,
        filters: filtersOf(
          listHref,
          asked,
          t('roles.beginningOfName'),
          [{ name: 'builtIn', label: t('access.kind'), options: kindOptions(t) }],
          t,
        ),
        notice: form.get('done') === 'removed' ? t('roles.roleRemoved') : undefined,
        ...(await bulk.state(ctx, body)),
        sorting: sortingOf(listed.roles, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/roles`: adds one, or acts on many. */
    async create(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (await bulk.perform(ctx)) return;
      if (await sendSentence(ctx, tools, 'createRole')) return;
      const id = form.get('id')?.trim() ?? '';
      const t = textFor(ctx);
      const typed = typedForm(form, t);
      const problems = accessProblems(typed.access, t, true);
      const like = await builtInLike(form.get('from'));
      const again = (shown: Shown) => showNew(ctx, { id, form: typed, like }, shown);
      const added = await forms.take(ctx, { change: addition(id, typed), fieldOf, again, problems });
      if (added) tools.goTo(ctx, `${roleHref(id)}?done=added`);
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const found = await find(ctx, String(ctx.params.role));
      const { form } = ctx.state;
      if (form.get('do') === 'remove') {
        const params = { role: found.role.id };
        return acts.ask(ctx, removal(found.role, t), placeOf(found.role, t), params);
      }
      if (await history.ask(ctx, presentOf(found), placeOf(found.role, t))) return;
      await showRole(ctx, found, { notice: doneNotices(t)[form.get('done') ?? ''] });
    },
    /** `POST /access/roles/:role`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      if (await sendSentence(ctx, tools, 'updateRole')) return;
      const t = textFor(ctx);
      const { form } = ctx.state;
      const found = await find(ctx, String(ctx.params.role));
      const params = { role: found.role.id };
      if (form.get('do') === 'save') return save(ctx, found);
      if (form.get('do') === putBackAct) return putBack(ctx, found);
      if (form.get('do') !== 'remove') return tools.goTo(ctx, roleHref(found.role.id));
      const done = await acts.perform(ctx, removal(found.role, t), placeOf(found.role, t), params);
      if (done) tools.goTo(ctx, `${listHref}?done=removed`);
    },
  };

  async function find(ctx: PageContext, id: string): Promise<Found> {
    const { body, version = '' } = await tools.run<ShownRole>(ctx, 'readRole', { params: { role: id } });
    return { role: body, version };
  }

  async function putBack(ctx: PageContext, found: Found): Promise<void> {
    const done = await history.perform(ctx, presentOf(found), placeOf(found.role, textFor(ctx)));
    if (done) tools.goTo(ctx, `${roleHref(found.role.id)}?done=${putBackAct}`);
  }

  async function save(ctx: PageContext, found: Found): Promise<void> {
    const { form } = ctx.state;
    const t = textFor(ctx);
    const typed = typedForm(form, t);
    const problems = accessProblems(typed.access, t, true);
    const again = (shown: Shown) => showRole(ctx, found, { form: typed, ...shown });
    const change = edit(found.role, typed);
    const isAskable = problems.length === 0 && isCurrent(form, found);
    const act = isAskable ? narrowing(found.role, change, form, t) : undefined;
    if (act && isUnasked(ctx, act)) return askNarrowing(ctx, found.role, change, act);
    const answer = await forms.take(ctx, { change, fieldOf, again, problems });
    if (!answer) return;
    tools.goTo(ctx, `${roleHref(found.role.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  /** Whom it hits, and how many; the form comes back with what was typed. */
  async function askNarrowing(ctx: PageContext, role: ShownRole, change: TypedChange, act: Act) {
    const t = textFor(ctx);
    const { params = {} } = change;
    await acts.ask(ctx, { ...act, ways: await waysOf(change, origin, t) }, placeOf(role, t), params);
  }

  async function showRole(
    ctx: PageContext,
    { role, version }: Found,
    shown: Partial<RoleModel>,
  ): Promise<void> {
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, ['createRole', 'updateRole', 'readAccessMatrix']);
    const changes = role.builtIn ? undefined : await history.of(ctx, presentOf({ role, version }));
    const html = renderRole({
      frame: await tools.frame(ctx),
      role,
      sentence: sentenceFor(role, t),
      form: roleFormOf(role, t),
      ...forms.editState(ctx, role, version),
      mayChange: may.has('updateRole'),
      mayCopy: may.has('createRole'),
      calls: may.has('readAccessMatrix')
        ? await readPart(() => openCallsOf(tools, ctx, { role: role.id }))
        : undefined,
      history: changes,
      ...shown,
      notice: editNotice(ctx, shown.notice, changes?.changes, version),
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  /** @param from  the role that it is to be like */
  async function showEmpty(ctx: PageContext, from: string | undefined): Promise<void> {
    await tools.check(ctx, 'createRole');
    const like = await builtInLike(from);
    const form = roleFormOf(like ?? (await contentOf(ctx, from)), textFor(ctx));
    await showNew(ctx, { id: '', form, like }, { errors: [] });
  }

  async function builtInLike(from: string | undefined): Promise<BuiltInLike | undefined> {
    const copy = from === undefined ? undefined : await copyOfBuiltIn(from, permissionsOf);
    // What every installation says of it is not true of one that differs.
    return copy && { id: from!, description: null, ...copy };
  }

  async function contentOf(ctx: PageContext, from: string | undefined) {
    return from === undefined ? { description: null, permissions: [] } : (await find(ctx, from)).role;
  }

  async function showNew(
    ctx: PageContext,
    typed: Pick<NewRoleModel, 'id' | 'form' | 'like'>,
    shown: Shown,
  ): Promise<void> {
    const html = renderNewRole({ ...(await forms.addState(ctx, shown)), ...typed });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }
}

const kindOptions = (t: Translate) => [
  { value: 'true', label: t('roles.builtIn') },
  { value: 'false', label: t('roles.custom') },
];

/** Of a built-in one, what every installation says of it. */
function sentenceFor({ builtIn, description, permissions }: ShownRole, t: Translate): string {
  if (!builtIn) return sentenceOf(permissions, t);
  return saidIn(t.language, description ?? '') ?? description ?? '';
}

function presentOf({ role, version }: Found) {
  return { id: role.id, stored: role, version };
}

function placeOf({ id }: ShownRole, t: Translate) {
  return { path: [...rolesPath(t), { title: id, href: roleHref(id) }], href: roleHref(id) };
}

/** Whether it would be saved: what somebody else has changed meanwhile is said first. */
function isCurrent(form: Form, { version }: Found): boolean {
  return form.get('show') !== 'ways' && form.get('version') === version;
}
