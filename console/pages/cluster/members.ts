/** `/cluster/members`: how the members are, and which of them get calls. */

import { ProblemError } from '../../../platform/errors.ts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import type { NumbersShown } from '../../../views/management/calls-part.tsx';
import { membersParts } from '../../../views/management/cluster/member-cells.tsx';
import type { ShownDetails } from '../../../views/management/cluster/member-details.tsx';
import { memberParts, type ShownMember } from '../../../views/management/cluster/member-state.tsx';
import {
  type MemberModel,
  memberHref,
  renderMember,
  renderMembers,
} from '../../../views/management/cluster/members.tsx';
import type { ShownCluster } from '../../../views/management/cluster/operations.tsx';
import type { DoneNotice } from '../../../views/management/detail.tsx';
import type { NotRead } from '../../../views/management/live/not-read.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { type Act, type Acts, reasonIn, reasonText } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { type AskedPlot, plotsOf } from '../plots.ts';
import { asPart, readPart } from '../read-part.ts';
import { memberChecks } from './checks-before.ts';

const listHref = '/cluster/members';
const path = (t: Translate) => [{ title: t('common.members'), href: listHref }];

const doneNotices = (t: Translate): Readonly<Record<string, DoneNotice>> => ({
  drained: { text: t('members.drainedNow'), undo: 'undrain' },
  undrained: { text: t('members.undrainedNow'), undo: 'drain' },
  down: { text: t('members.shutsDown') },
});

const plots = (t: Translate): readonly AskedPlot[] => [
  {
    id: 'calls',
    title: t('common.calls'),
    unit: '/s',
    lines: [{ series: 'memberCalls', name: t('common.calls') }],
  },
  {
    id: 'in-flight',
    title: t('members.inFlightCalls'),
    unit: '',
    lines: [
      { series: 'memberCallsInFlight', name: t('numbers.mean') },
      { series: 'memberCallsInFlight', name: t('numbers.peak'), isMost: true },
    ],
  },
  {
    id: 'latency',
    title: t('members.latencyP99'),
    unit: ' ms',
    lines: [{ series: 'memberCallP99Ms', name: 'p99' }],
  },
  {
    id: 'errors',
    title: t('members.errors'),
    unit: '/s',
    lines: [{ series: 'memberCallsFailed', name: t('common.failed') }],
  },
];

/** @param now  epoch milliseconds */
export function createMemberPages(tools: PageTools, acts: Acts, now: () => number) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const { asked, body, mayDrain } = await readList(ctx);
      const html = renderMembers({
        frame: await tools.frame(ctx),
        members: body.items,
        csrf: tools.csrf(ctx),
        mayDrain,
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** What goes on while the list is open: of what is known here, no member is asked for it. */
    async listParts(ctx: PageContext): Promise<Parts> {
      const { body, mayDrain } = await readList(ctx);
      return membersParts({ frame: tools.reader(ctx), members: body.items, mayDrain });
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const member = await find(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'shut-down') {
        return acts.ask(ctx, await shutdownOf(ctx, member), placeOf(member, t), { member: member.id });
      }
      const done = form.get('done') ?? '';
      const notice = done === 'level' ? levelNotice(form.get('former'), t) : doneNotices(t)[done];
      await showMember(ctx, member, { notice });
    },
    /** What goes on while the page is open: nothing for which the member itself is asked. */
    async parts(ctx: PageContext): Promise<Parts> {
      const member = await find(ctx);
      return memberParts({ frame: tools.reader(ctx), member, numbers: await numbersOf(ctx, member) });
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
      const place = placeOf(member, textFor(ctx));
      const done = await acts.perform(ctx, await shutdownOf(ctx, member), place, params);
      if (done) tools.goTo(ctx, `${memberHref(member.id)}?done=down`);
    },
  };

  async function readList(ctx: PageContext) {
    const asked = queryOf(ctx.state.form, listed.members.names);
    const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', { query: asked });
    const may = await tools.mayRun(ctx, ['drainMember', 'undrainMember']);
    return { asked, body, mayDrain: may.size === 2 };
  }

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
      await tools.check(ctx, 'setMemberLogLevel');
      const former = await logLevelOf(ctx, member);
      await tools.run(ctx, 'setMemberLogLevel', { params: { member: member.id }, body });
      const isOther = former !== undefined && former !== body.level;
      const back = isOther ? `&${new URLSearchParams({ former: former ?? '' })}` : '';
      tools.goTo(ctx, `${memberHref(member.id)}?done=level${back}`);
    } catch (error) {
      await showMember(ctx, member, { errors: fieldErrorsOf(error, () => 'level', t) });
    }
  }

  async function showMember(
    ctx: PageContext,
    member: ShownMember,
    shown: Partial<MemberModel>,
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['drainMember', 'readMemberDetails']);
    const mayChange = may.has('drainMember');
    // Each is asked of the member.
    const [logLevel, details] = await Promise.all([
      mayChange ? logLevelOf(ctx, member) : undefined,
      may.has('readMemberDetails') ? detailsOf(ctx, member) : undefined,
    ]);
    const html = renderMember({
      frame: await tools.frame(ctx),
      member: { ...member, reason: member.reason && reasonInWords(member.reason, member.id) },
      csrf: tools.csrf(ctx),
      mayChange,
      numbers: await numbersOf(ctx, member),
      logLevel,
      details,
      errors: [],
      ...shown,
    });
    tools.send(ctx, html, shown.errors ? 400 : 200);
  }

  async function numbersOf(
    ctx: PageContext,
    { id }: ShownMember,
  ): Promise<NumbersShown | NotRead | undefined> {
    const may = await tools.mayRun(ctx, ['readTraffic', 'readCalls']);
    if (!may.has('readTraffic')) return undefined;
    const narrowed = new URLSearchParams({ minutes: '60', member: id });
    return readPart(async () => ({
      ...(await plotsOf(ctx, tools, plots(textFor(ctx)), now, { member: id })),
      href: may.has('readCalls') ? `/observe/traffic?${narrowed}` : undefined,
    }));
  }

  async function detailsOf(ctx: PageContext, { id }: ShownMember): Promise<ShownDetails> {
    return (await tools.run<ShownDetails>(ctx, 'readMemberDetails', { params: { member: id } })).body;
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
  async function shutdownOf(ctx: PageContext, member: ShownMember): Promise<Act> {
    const { id, inFlight } = member;
    const t = textFor(ctx);
    await tools.check(ctx, 'shutDownMember');
    const [{ body }, cluster] = await Promise.all([
      tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', { query: { limit: '500' } }),
      asPart(async () => (await tools.run<ShownCluster>(ctx, 'readCluster')).body),
    ]);
    const others = body.items.filter((other) => other.id !== id && other.state === 'in' && !other.isDrained);
    return {
      name: 'shut-down',
      operation: 'shutDownMember',
      title: t('members.shutDownOf', { id }),
      effects: [
        inFlight === null ? t('members.endsAfterCalls') : t('members.endsAfterCallsNow', { n: inFlight }),
        others.length === 0 ? t('members.noOther') : t('members.othersGoOn', { n: others.length }),
        t('members.hasToBeStarted'),
        ...memberChecks(member, body.items, cluster, t),
      ],
      button: t('members.shutDown'),
      isDangerous: true,
      typedName: id,
      texts: [reasonText(t)],
      requestOf: (form) => ({ body: {}, query: reasonIn(form) }),
    };
  }
}

/** @param former  empty: that of its configuration; undefined: it had this one, or did not say */
function levelNotice(former: string | undefined, t: Translate): DoneNotice {
  const text = t('members.levelSet');
  return former === undefined ? { text } : { text, undo: 'log-level', fields: { level: former } };
}

function placeOf({ id }: ShownMember, t: Translate) {
  return { path: [...path(t), { title: id, href: memberHref(id) }], href: memberHref(id) };
}
