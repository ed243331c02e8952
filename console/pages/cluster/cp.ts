/** `/cluster/cp`: the CP subsystem, and what is done to it by force. */
import {
  cpHref,
  cpParts,
  renderCp,
  type ShownCp,
  type ShownCpSession,
} from '../../../views/management/cluster/cp.tsx';
import type { ShownMember } from '../../../views/management/cluster/member-state.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import { type Act, type Acts, reasonIn, reasonText } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import type { SharedReadings } from '../live/shared-readings.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const place = (t: Translate) => ({ path: [{ title: t('common.cpSubsystem'), href: cpHref }], href: cpHref });

const doneNotices = (t: Translate): Readonly<Record<string, string>> => ({
  promote: t('cp.memberPromoted'),
  'remove-member': t('cp.memberRemoved'),
  'remove-group': t('cp.groupRemoved'),
  'remove-session': t('cp.sessionClosed'),
  reset: t('cp.startedAnew'),
});

export function createCpPage(tools: PageTools, acts: Acts, readings: SharedReadings) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const asked = actOf(form, t);
      if (asked) return acts.ask(ctx, asked.act, place(t), asked.params);
      const shown = await read(ctx, readings.now);
      const notice = doneNotices(t)[form.get('done') ?? ''];
      tools.send(ctx, renderCp({ ...shown, frame: await tools.frame(ctx), notice }));
    },
    /** What goes on while it is open: members are asked for it once for all readers. */
    async parts(ctx: PageContext): Promise<Parts> {
      return cpParts({ ...(await read(ctx, readings.lately)), frame: tools.reader(ctx) });
    },
    /** `POST /cluster/cp`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = actOf(ctx.state.form, t);
      if (!asked) return tools.goTo(ctx, cpHref);
      const done = await acts.perform(ctx, asked.act, place(t), asked.params);
      if (done) tools.goTo(ctx, `${cpHref}?done=${asked.act.name}`);
    },
  };

  async function read(ctx: PageContext, ask: SharedReadings['now']) {
    const cp = await ask<ShownCp>(ctx, 'readCp');
    const group = ctx.state.form.get('group');
    const may = await tools.mayRun(ctx, ['resetCp', 'promoteToCpMember', 'listMembers']);
    const mayPromote = may.has('promoteToCpMember') && may.has('listMembers');
    return {
      cp,
      sessions: group === undefined ? undefined : { group, items: await sessionsOf(ctx, group, ask) },
      others: mayPromote && cp.isAvailable ? await othersThan(ctx, cp) : [],
      mayChange: may.has('resetCp'),
    };
  }

  /** Those of the cluster that are no CP members. */
  async function othersThan(ctx: PageContext, { members }: ShownCp): Promise<readonly string[]> {
    const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers');
    const known = new Set(members.map(({ address }) => address.replaceAll(/^\[(\d[\d.]*)\]/g, '$1')));
    return body.items.map(({ id }) => id).filter((id) => !known.has(id));
  }

  async function sessionsOf(
    ctx: PageContext,
    group: string,
    ask: SharedReadings['now'],
  ): Promise<readonly ShownCpSession[]> {
    const request = { params: { group }, query: { limit: '200' } };
    return (await ask<ListAnswer<ShownCpSession>>(ctx, 'listCpSessions', request)).items;
  }
}

interface Asked {
  readonly act: Act;
  readonly params: Readonly<Record<string, string>>;
}

function actOf(form: Form, t: Translate): Asked | undefined {
  const id = form.get('id') ?? '';
  const group = form.get('group') ?? '';
  const forced = { isDangerous: true, hidden: { id, group } } as const;
  const all: readonly Asked[] = [
    {
      params: { member: id },
      act: {
        ...forced,
        name: 'promote',
        operation: 'promoteToCpMember',
        title: t('cp.promoteMember'),
        effects: [t('cp.takesPart', { id }), t('cp.onlyRemoved')],
        button: t('cp.promoteMember'),
        typedName: id,
      },
    },
    {
      params: { cpMember: id },
      act: {
        ...forced,
        name: 'remove-member',
        operation: 'removeCpMember',
        title: t('cp.removeMember'),
        effects: [t('cp.leavesEveryGroup', { id })],
        button: t('cp.removeMember'),
        typedName: id,
      },
    },
    {
      params: { group: id },
      act: {
        ...forced,
        name: 'remove-group',
        operation: 'removeCpGroup',
        title: t('cp.removeGroup'),
        effects: [t('cp.groupDestroyed', { id })],
        button: t('cp.removeGroup'),
        typedName: id,
      },
    },
    {
      params: { group, session: id },
      act: {
        ...forced,
        name: 'remove-session',
        operation: 'removeCpSession',
        title: t('cp.forceCloseSession'),
        effects: [t('cp.sessionLetsGo', { id, group })],
        button: t('cp.forceCloseSession'),
        typedName: id,
      },
    },
    { params: {}, act: resetAct(t) },
  ];
  return all.find(({ act }) => act.name === form.get('do'));
}

const resetAct = (t: Translate): Act => ({
  name: 'reset',
  operation: 'resetCp',
  title: t('cp.reset'),
  effects: [t('cp.everyGroupDestroyed')],
  button: t('cp.reset'),
  isDangerous: true,
  typedName: 'reset',
  texts: [reasonText(t)],
  requestOf: (form) => ({ body: {}, query: reasonIn(form) }),
});
