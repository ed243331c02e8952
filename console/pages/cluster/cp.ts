/** `/cluster/cp`: the CP subsystem, and what is done to it by force. */
import {
  cpHref,
  renderCp,
  type ShownCp,
  type ShownCpSession,
} from '../../../views/management/cluster/cp.tsx';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const place = { path: [{ title: 'CP subsystem', href: cpHref }], href: cpHref };

const doneNotices: Readonly<Record<string, string>> = {
  'remove-member': 'The CP member is removed.',
  'remove-group': 'The CP group is removed.',
  'remove-session': 'The session is closed.',
  reset: 'The CP subsystem has started anew.',
};

export function createCpPage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const asked = actOf(form);
      if (asked) return acts.ask(ctx, asked.act, place);
      const { body: cp } = await tools.run<ShownCp>(ctx, 'readCp');
      const group = form.get('group');
      const may = await tools.mayRun(ctx, ['resetCp']);
      const html = renderCp({
        frame: await tools.frame(ctx),
        cp,
        sessions: group === undefined ? undefined : { group, items: await sessionsOf(ctx, group) },
        mayChange: may.has('resetCp'),
        notice: doneNotices[form.get('done') ?? ''],
      });
      tools.send(ctx, html);
    },
    /** `POST /cluster/cp`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const asked = actOf(ctx.state.form);
      if (!asked) return tools.goTo(ctx, cpHref);
      const done = await acts.perform(ctx, asked.act, place, asked.params);
      if (done) tools.goTo(ctx, `${cpHref}?done=${asked.act.name}`);
    },
  };

  async function sessionsOf(ctx: PageContext, group: string): Promise<readonly ShownCpSession[]> {
    const request = { params: { group }, query: { limit: '200' } };
    return (await tools.run<ListAnswer<ShownCpSession>>(ctx, 'listCpSessions', request)).body.items;
  }
}

interface Asked {
  readonly act: Act;
  readonly params: Readonly<Record<string, string>>;
}

function actOf(form: Form): Asked | undefined {
  const id = form.get('id') ?? '';
  const group = form.get('group') ?? '';
  const forced = { isDangerous: true, hidden: { id, group } } as const;
  const all: readonly Asked[] = [
    {
      params: { cpMember: id },
      act: {
        ...forced,
        name: 'remove-member',
        operation: 'removeCpMember',
        title: 'Remove CP member',
        effects: [`${id} leaves every CP group. Do this only for one that has gone for good.`],
        button: 'Remove CP member',
        typedName: id,
      },
    },
    {
      params: { group: id },
      act: {
        ...forced,
        name: 'remove-group',
        operation: 'removeCpGroup',
        title: 'Remove CP group',
        effects: [`The group ${id} is destroyed by force, with all that is in it. This cannot be undone.`],
        button: 'Remove CP group',
        typedName: id,
      },
    },
    {
      params: { group, session: id },
      act: {
        ...forced,
        name: 'remove-session',
        operation: 'removeCpSession',
        title: 'Force-close session',
        effects: [`What the session ${id} of the group ${group} holds, such as locks, is let go.`],
        button: 'Force-close session',
        typedName: id,
      },
    },
    { params: {}, act: resetAct },
  ];
  return all.find(({ act }) => act.name === form.get('do'));
}

const resetAct: Act = {
  name: 'reset',
  operation: 'resetCp',
  title: 'Reset CP subsystem',
  effects: ['Every CP group is destroyed, and what was in them is lost. This cannot be undone.'],
  button: 'Reset CP subsystem',
  isDangerous: true,
  typedName: 'reset',
};
