/** `/access/users`: who may sign in, one of them, and what can be done with them. */

import {
  type RoleChoice,
  renderNewUser,
  type UserForm,
  usersPath,
} from '../../../views/management/access/user-form.tsx';
import {
  renderUser,
  renderUsers,
  type ShownUser,
  type UserModel,
  userHref,
} from '../../../views/management/access/users.tsx';
import type { DoneNotice } from '../../../views/management/detail.tsx';
import { saidIn, type Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { createBulk } from '../bulk/bulk.ts';
import type { Forms, Shown } from '../forms.ts';
import { createHistory, editNotice, putBackAct } from '../history/history.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../lists.ts';
import type { Answered, PageContext, PageTools } from '../page-tools.ts';
import { readPart } from '../read-part.ts';
import { openCallsOf } from './call-columns.ts';
import { elevationEnd, endElevation, openElevationsOf } from './elevation.ts';
import { lastLogoutsOf, openSessionsOf } from './sessions.ts';
import { checkedUserAct, userActs } from './user-acts.ts';
import { addition, edit, emptyForm, fieldOf, formOf } from './user-form.ts';

const listHref = '/access/users';

interface RoleItem {
  readonly id: string;
  readonly description: string | null;
}

interface Invitation {
  readonly user: ShownUser;
  readonly link: string | null;
  readonly expiresAt: string | null;
}

/** What has just been done, by the address that the browser was sent to. */
const doneNotices = (t: Translate): Readonly<Record<string, DoneNotice>> => ({
  saved: { text: t('access.saved'), undo: putBackAct },
  unchanged: { text: t('common.nothingWasDifferent') },
  'put-back': { text: t('access.putBack') },
  disabled: { text: t('users.disabledAllEnded'), undo: 'enable' },
  enabled: { text: t('users.enabledAgain'), undo: 'disable' },
  ended: { text: t('users.allSessionsEnded') },
  [endElevation]: { text: t('users.elevationEnded') },
  everything: {
    text: t('users.everythingEnded'),
    undo: 'enable',
  },
});

export function createUserPages(tools: PageTools, acts: Acts, forms: Forms, origin: string) {
  const bulk = createBulk({ tools, acts, origin }, 'users', (t) => t('common.users'));
  const history = createHistory(tools, acts, { kind: 'users', object: 'user' });
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'new') {
        await tools.check(ctx, 'createUser');
        return showNew(ctx, { id: '', form: emptyForm(await rolesOf(ctx)) }, { errors: [] });
      }
      if (await bulk.ask(ctx)) return;
      const asked = sortedQueryOf(form, listed.users);
      const { body } = await tools.run<ListAnswer<ShownUser>>(ctx, 'listUsers', { query: asked });
      const roles = await rolesOf(ctx);
      const may = await tools.mayRun(ctx, ['createUser']);
      const html = renderUsers({
        frame: await tools.frame(ctx),
        users: body.items,
        sorting: sortingOf(listed.users, asked),
        primary: may.has('createUser')
          ? { label: t('users.inviteUser'), href: `${listHref}?do=new` }
          : undefined,
        filters: filtersOf(
          listHref,
          asked,
          t('users.nameOrEmail'),
          [
            { name: 'status', label: t('access.status'), options: statusOptions(t) },
            {
              name: 'role',
              label: t('access.role'),
              options: roles.map(({ id }) => ({ value: id, label: id })),
            },
          ],
          t,
        ),
        notice: form.get('done') === 'removed' ? t('users.userRemoved') : undefined,
        ...(await bulk.state(ctx, body)),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/users`: adds one, who is invited, or acts on many. */
    async create(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (await bulk.perform(ctx)) return;
      const id = form.get('id') ?? '';
      const typed = formOf(form, await rolesOf(ctx));
      const again = (shown: Shown) => showNew(ctx, { id, form: typed }, shown);
      const added = await forms.take(ctx, { change: addition(id, typed), fieldOf, again });
      if (added) await invite(ctx, id);
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { user, version } = await find(ctx);
      const act = await actOf(ctx, user);
      if (act) return acts.ask(ctx, act, placeOf(user, t), paramsOf(user, act));
      if (await history.ask(ctx, presentOf(user, version), placeOf(user, t))) return;
      await showUser(ctx, user, { version, notice: doneNotices(t)[ctx.state.form.get('done') ?? ''] });
    },
    /** `POST /access/users/:user`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const { user, version } = await find(ctx);
      const asked = form.get('do') ?? '';
      if (asked === 'save') return save(ctx, user, version);
      if (asked === 'invite') return invite(ctx, user.id);
      if (asked === 'enable' || asked === 'disable') {
        await tools.run(ctx, `${asked}User`, { params: { user: user.id } });
        return tools.goTo(ctx, `${userHref(user.id)}?done=${asked}d`);
      }
      if (asked === putBackAct) {
        const done = await history.perform(ctx, presentOf(user, version), placeOf(user, t));
        if (done) tools.goTo(ctx, `${userHref(user.id)}?done=${putBackAct}`);
        return;
      }
      const act = await actOf(ctx, user);
      if (!act) return tools.goTo(ctx, userHref(user.id));
      const answer = await acts.perform<Invitation | undefined>(
        ctx,
        act,
        placeOf(user, t),
        paramsOf(user, act),
      );
      if (!answer) return;
      if (act.name === endElevation) return tools.goTo(ctx, `${userHref(user.id)}?done=${endElevation}`);
      if (act.name === 'remove') return tools.goTo(ctx, `${listHref}?done=removed`);
      if (act.name === 'end-everything') return tools.goTo(ctx, `${userHref(user.id)}?done=everything`);
      if (act.name === 'end-sessions') return tools.goTo(ctx, `${userHref(user.id)}?done=ended`);
      await showLink(ctx, answer.body);
    },
  };

  /** What the address or the form names in `do`; undefined where there is no such act, or nothing to do it to. */
  async function actOf(ctx: PageContext, user: ShownUser): Promise<Act | undefined> {
    const t = textFor(ctx);
    const { form } = ctx.state;
    const asked = form.get('do') ?? '';
    if (asked !== endElevation) {
      const act = userActs(user, t).get(asked);
      return act && checkedUserAct(tools, ctx, user, act);
    }
    const open = await openElevationsOf(tools, ctx, user.id);
    const elevation = open.find(({ id }) => id === form.get('elevation'));
    return elevation && elevationEnd(user.id, elevation, t);
  }

  async function find(ctx: PageContext): Promise<{ readonly user: ShownUser; readonly version: string }> {
    const params = { user: String(ctx.params.user) };
    const { body, version = '' } = await tools.run<ShownUser>(ctx, 'readUser', { params });
    return { user: body, version };
  }

  async function save(ctx: PageContext, user: ShownUser, version: string): Promise<void> {
    const { form } = ctx.state;
    const typed = formOf(form, await rolesOf(ctx));
    const again = (shown: Shown) => showUser(ctx, user, { version, form: typed, ...shown });
    const answer = await forms.take(ctx, { change: edit(user, typed), fieldOf, again });
    if (!answer) return;
    tools.goTo(ctx, `${userHref(user.id)}?done=${answer.isUnchanged ? 'unchanged' : 'saved'}`);
  }

  async function invite(ctx: PageContext, id: string): Promise<void> {
    const { body } = await tools.run<Invitation>(ctx, 'inviteUser', { params: { user: id }, body: {} });
    await showLink(ctx, body);
  }

  /** Not at an address that could be opened again: the link is shown once. */
  async function showLink(ctx: PageContext, answer: Invitation | undefined): Promise<void> {
    if (!answer) return tools.goTo(ctx, listHref);
    const { link, expiresAt, user } = answer;
    ctx.params.user = user.id;
    const { version } = await find(ctx);
    await showUser(ctx, user, {
      version,
      link: link === null ? undefined : { href: link, expiresAt: expiresAt ?? '' },
    });
  }

  async function showUser(
    ctx: PageContext,
    user: ShownUser,
    shown: Pick<UserModel, 'version'> & Partial<UserModel>,
  ): Promise<void> {
    const roles = await rolesOf(ctx);
    const may = await tools.mayRun(ctx, [
      'updateUser',
      'listSessionLogouts',
      'listSessions',
      'readAccessMatrix',
    ]);
    // Each is asked of the store by itself.
    const [changes, calls, sessions, logouts, elevations] = await Promise.all([
      history.of(ctx, presentOf(user, shown.version)),
      may.has('readAccessMatrix') ? readPart(() => openCallsOf(tools, ctx, { user: user.id })) : undefined,
      may.has('listSessions') ? openSessionsOf(tools, ctx, user.id) : undefined,
      may.has('listSessionLogouts') ? lastLogoutsOf(tools, ctx, { user: user.id, limit: '10' }) : undefined,
      readPart(() => openElevationsOf(tools, ctx, user.id)),
    ]);
    const html = renderUser({
      frame: await tools.frame(ctx),
      user,
      form: {
        displayName: user.displayName ?? '',
        email: user.email ?? '',
        roles: roles.map((role) => ({ ...role, isChosen: user.roles.includes(role.id) })),
        eligibleRoles: roles.map((role) => ({ ...role, isChosen: user.eligibleRoles.includes(role.id) })),
      },
      ...forms.editState(ctx, user, shown.version),
      mayChange: may.has('updateUser'),
      history: changes,
      calls,
      sessions,
      logouts,
      elevations,
      isReader: user.subject === ctx.state.account.id,
      ...shown,
      notice: editNotice(ctx, shown.notice, changes?.changes, shown.version),
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }

  async function showNew(
    ctx: PageContext,
    typed: { readonly id: string; readonly form: UserForm },
    shown: Shown,
  ): Promise<void> {
    const html = renderNewUser({ ...(await forms.addState(ctx, shown)), ...typed });
    tools.send(ctx, html, shown.errors.length > 0 ? 400 : 200);
  }

  async function rolesOf(ctx: PageContext): Promise<readonly Omit<RoleChoice, 'isChosen'>[]> {
    const { language } = textFor(ctx);
    const query = { limit: '200' };
    const { body }: Answered<ListAnswer<RoleItem>> = await tools.run(ctx, 'listRoles', { query });
    return body.items.map(({ id, description }) => ({
      id,
      meaning: description === null ? undefined : (saidIn(language, description) ?? description),
    }));
  }
}

const statusOptions = (t: Translate) => [
  { value: 'active', label: t('users.active') },
  { value: 'invited', label: t('users.invited') },
  { value: 'disabled', label: t('access.disabled') },
  { value: 'locked', label: t('users.locked') },
];

function presentOf(user: ShownUser, version: string) {
  return { id: user.id, stored: user, version };
}

/** Of the person, but where the act is on something that the person has. */
function paramsOf({ id }: ShownUser, { hidden }: Act): Readonly<Record<string, string>> {
  return hidden?.elevation === undefined ? { user: id } : { elevation: hidden.elevation };
}

function placeOf({ id, displayName }: ShownUser, t: Translate) {
  return { path: [...usersPath(t), { title: displayName ?? id, href: userHref(id) }], href: userHref(id) };
}
