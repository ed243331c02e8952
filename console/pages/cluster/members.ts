/** `/cluster/members`: how the members are, and which of them get calls. */

import { ProblemError } from '../../../platform/errors.ts';
import {
  type MemberModel,
  memberHref,
  renderMember,
  renderMembers,
  type ShownMember,
} from '../../../views/management/cluster/members.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { type ListAnswer, placesOf, queryOf } from '../lists.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { type AskedPlot, asPart, plotsOf } from '../plots.ts';

const listHref = '/cluster/members';
const path = [{ title: 'Members', href: listHref }];

const doneNotices: Readonly<Record<string, { readonly text: string; readonly undo?: string }>> = {
  drained: { text: 'Drained: it gets no calls any more but those that name it.', undo: 'undrain' },
  undrained: { text: 'It gets calls again.', undo: 'drain' },
  level: { text: 'The log level is set.' },
  down: { text: 'The member shuts down.' },
};

const plots: readonly AskedPlot[] = [
  {
    id: 'calls',
    title: 'Calls',
    unit: '/s',
    lines: [
      { series: 'memberCalls', name: 'Calls' },
      { series: 'memberCallsFailed', name: 'Failed' },
    ],
  },
  { id: 'latency', title: 'Latency, p99', unit: ' ms', lines: [{ series: 'memberCallP99Ms', name: 'p99' }] },
];

/** @param now  epoch milliseconds */
export function createMemberPages(tools: PageTools, acts: Acts, now: () => number) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const asked = queryOf(ctx.state.form, []);
      const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', { query: asked });
      const frame = await tools.frame(ctx);
      tools.send(ctx, renderMembers({ frame, members: body.items, ...placesOf(listHref, asked, body) }));
    },
    async show(ctx: PageContext): Promise<void> {
      const member = await find(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'shut-down') {
        return acts.ask(ctx, await shutdownOf(ctx, member), placeOf(member));
      }
      await showMember(ctx, member, { notice: doneNotices[form.get('done') ?? ''] });
    },
    /** `POST /cluster/members/:member`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const member = await find(ctx);
      const params = { member: member.id };
      const asked = form.get('do') ?? '';
      if (asked === 'drain' || asked === 'undrain') return setDrained(ctx, member, asked);
      if (asked === 'log-level') return setLogLevel(ctx, member);
      if (asked !== 'shut-down') return tools.goTo(ctx, memberHref(member.id));
      const done = await acts.perform(ctx, await shutdownOf(ctx, member), placeOf(member), params);
      if (done) tools.goTo(ctx, `${memberHref(member.id)}?done=down`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownMember> {
    const params = { member: String(ctx.params.member) };
    return (await tools.run<ShownMember>(ctx, 'readMember', { params })).body;
  }

  async function setDrained(ctx: PageContext, member: ShownMember, act: 'drain' | 'undrain'): Promise<void> {
    const t = textFor(ctx);
    try {
      await tools.run(ctx, `${act}Member`, { params: { member: member.id } });
      tools.goTo(ctx, `${memberHref(member.id)}?done=${act}ed`);
    } catch (error) {
      await showMember(ctx, member, { errors: fieldErrorsOf(error, () => undefined, t) });
    }
  }

  async function setLogLevel(ctx: PageContext, member: ShownMember): Promise<void> {
    const t = textFor(ctx);
    try {
      const body = { level: ctx.state.form.get('level') || null };
      await tools.run(ctx, 'setMemberLogLevel', { params: { member: member.id }, body });
      tools.goTo(ctx, `${memberHref(member.id)}?done=level`);
    } catch (error) {
      await showMember(ctx, member, { errors: fieldErrorsOf(error, () => 'level', t) });
    }
  }

  async function showMember(
    ctx: PageContext,
    member: ShownMember,
    shown: Partial<MemberModel>,
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['drainMember', 'readMemberLogLevel', 'readTraffic']);
    const mayChange = may.has('drainMember');
    const html = renderMember({
      frame: await tools.frame(ctx),
      member,
      csrf: tools.csrf(ctx),
      mayChange,
      plots: may.has('readTraffic')
        ? await asPart(() => plotsOf(ctx, tools, plots, now, member.id))
        : undefined,
      logLevel: mayChange ? await logLevelOf(ctx, member) : undefined,
      errors: [],
      ...shown,
    });
    tools.send(ctx, html, shown.errors ? 400 : 200);
  }

  /** @returns undefined of a member that does not say */
  async function logLevelOf(ctx: PageContext, { id }: ShownMember): Promise<string | null | undefined> {
    try {
      const { body } = await tools.run<{ readonly level: string | null }>(ctx, 'readMemberLogLevel', {
        params: { member: id },
      });
      return body.level;
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }

  /** What it would do is asked first, and nothing is done by that. */
  async function shutdownOf(ctx: PageContext, { id, inFlight }: ShownMember): Promise<Act> {
    await tools.check(ctx, 'shutDownMember');
    const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', {
      query: { limit: '500' },
    });
    const others = body.items.filter((other) => other.id !== id && other.state === 'in' && !other.isDrained);
    return {
      name: 'shut-down',
      operation: 'shutDownMember',
      title: `Shut down ${id}`,
      effects: [
        `The member ends after the calls that are under way there${inFlight === null ? '' : ` (${inFlight} now)`}.`,
        others.length === 0
          ? 'No other member takes calls: every call is refused until one does.'
          : `${others.length === 1 ? 'One other member goes' : `${others.length} other members go`} on.`,
        'It has to be started again on its machine.',
      ],
      button: 'Shut down',
      isDangerous: true,
      typedName: id,
    };
  }
}

function placeOf({ id }: ShownMember) {
  return { path: [...path, { title: id, href: memberHref(id) }], href: memberHref(id) };
}
