/** `/observe/decisions/{id}`: the story of one refusal, and the change that opens the call. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { decisionHref, type ShownEntry } from '../../../views/management/observe/audit.tsx';
import {
  type DecisionModel,
  renderDecision,
  type ShownDenials,
  type ShownExplanation,
  type ShownOpening,
} from '../../../views/management/observe/decision.tsx';
import { muteDays } from '../../../views/management/observe/mute.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { orNothing, passedBy, type Usage, whatIfDays } from '../access/call-panel.ts';
import { groupOff } from '../access/group-off.ts';
import { type Caller, explainCall, type Opening, openingOf } from '../access/open-call.ts';
import type { Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** As the admin API has it. */
interface Explained extends ShownExplanation {
  readonly caller?: {
    readonly subject: string;
    readonly clientId?: string;
    readonly username?: string;
  } | null;
}

const doneNotices = (t: Translate): Readonly<Record<string, DecisionModel['notice']>> => ({
  opened: { text: t('decision.opened') },
  muted: { text: t('decision.mutedNow'), undo: 'unmute' },
  unmuted: { text: t('decision.unmutedNow'), undo: 'mute' },
});

export function createDecisionPage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const explained = await explanationOf(ctx);
      if (ctx.state.form.get('do') !== 'open') return showDecision(ctx, explained);
      const opening = explained && (await openingFor(ctx, explained));
      if (!opening) return tools.goTo(ctx, hrefOf(ctx));
      await acts.ask(ctx, opening.act, placeOf(ctx), opening.params);
    },
    /** `POST /observe/decisions/:decision`: opens the call. */
    async change(ctx: PageContext): Promise<void> {
      const asked = ctx.state.form.get('do') ?? '';
      if (asked === 'mute' || asked === 'unmute') return setMuted(ctx, asked);
      const explained = await explanationOf(ctx);
      const opening = asked === 'open' && explained ? await openingFor(ctx, explained) : undefined;
      if (!opening) return tools.goTo(ctx, hrefOf(ctx));
      const done = await acts.perform(ctx, opening.act, placeOf(ctx), opening.params);
      if (done) tools.goTo(ctx, `${hrefOf(ctx)}?done=opened`);
    },
  };

  async function setMuted(ctx: PageContext, asked: 'mute' | 'unmute'): Promise<void> {
    if (asked === 'mute') {
      const body = { decision: String(ctx.params.decision), days: muteDays };
      await tools.run(ctx, 'muteDenials', { body });
    } else {
      await tools.check(ctx, 'unmuteDenials');
      const muted = (await explanationOf(ctx))?.muted;
      if (muted) await tools.run(ctx, 'unmuteDenials', { params: { denials: muted.id } });
    }
    tools.goTo(ctx, `${hrefOf(ctx)}?done=${asked}d`);
  }

  async function showDecision(ctx: PageContext, explained: Explained | undefined): Promise<void> {
    const id = String(ctx.params.decision);
    const { body } = await tools.run<ListAnswer<ShownEntry>>(ctx, 'traceAuditEntries', { params: { id } });
    const may = await tools.mayRun(ctx, ['muteDenials', 'readAccessUsage']);
    const caller = explained && callerOf(explained);
    // Whoever observes reads what happened; what somebody else might do, and what would change that, is for who inspects.
    const inspected = may.has('readAccessUsage') ? explained : undefined;
    const withAll = caller && inspected ? await explainCall(tools, ctx, caller, inspected) : undefined;
    const off =
      withAll && inspected && (await groupOff(tools, ctx, { ...withAll, method: inspected.method }));
    const html = renderDecision({
      frame: await tools.frame(ctx),
      id,
      explanation: explained,
      caller,
      withAll,
      denials: caller && inspected ? await denialsOf(ctx, caller, inspected) : undefined,
      opening: inspected && (await shownOpening(ctx, inspected)),
      offEverywhere: off?.isEverywhere ? off : undefined,
      story: body.items,
      csrf: tools.csrf(ctx),
      mayMute: may.has('muteDenials'),
      notice: doneNotices(textFor(ctx))[ctx.state.form.get('done') ?? ''],
    });
    tools.send(ctx, html);
  }

  /** The latest denials are stored; the audit has them for longer. */
  async function explanationOf(ctx: PageContext): Promise<Explained | undefined> {
    const query = { decision: String(ctx.params.decision) };
    try {
      return (await tools.run<Explained>(ctx, 'explainAccess', { query })).body;
    } catch (error) {
      if (error instanceof ProblemError && error.problem === problems.notFound) return undefined;
      throw error;
    }
  }

  async function openingFor(ctx: PageContext, explained: Explained): Promise<Opening | undefined> {
    const caller = callerOf(explained);
    if (!caller || explained.missing === null || explained.missing === undefined) return undefined;
    return openingOf(tools, ctx, caller, explained);
  }

  async function shownOpening(ctx: PageContext, explained: Explained): Promise<ShownOpening | undefined> {
    const opening = await openingFor(ctx, explained);
    if (!opening) return undefined;
    const may = await tools.mayRun(ctx, [opening.act.operation]);
    const passed = opening.scopes && (await passedBy([tools, ctx], opening.params.client!, opening.scopes));
    return {
      title: opening.act.title,
      given: opening.given,
      // One scope of one client can be taken away again; a role opens more than the call.
      isAsked: opening.scopes === undefined,
      href: may.has(opening.act.operation) ? `${hrefOf(ctx)}?do=open` : undefined,
      passed,
      days: whatIfDays,
    };
  }

  async function denialsOf(
    ctx: PageContext,
    { kind, id }: Caller,
    { missing }: Explained,
  ): Promise<ShownDenials | undefined> {
    const found = await orNothing(
      tools.run<Usage>(ctx, 'readAccessUsage', { query: { [kind]: id }, isBrief: true }),
    );
    return found?.body.used.find(({ permission, isAllowed }) => permission === missing && !isAllowed);
  }
}

/** A machine calls for itself; of a person the name is known while there is an account. */
function callerOf({ caller }: Explained): Caller | undefined {
  if (!caller) return undefined;
  if (caller.username !== undefined) return { kind: 'user', id: caller.username };
  return caller.clientId === caller.subject ? { kind: 'client', id: caller.subject } : undefined;
}

function hrefOf(ctx: PageContext): string {
  return decisionHref(String(ctx.params.decision));
}

function placeOf(ctx: PageContext) {
  const t = textFor(ctx);
  const href = hrefOf(ctx);
  const title = t('decision.title', { id: String(ctx.params.decision) });
  return {
    path: [
      { title: t('common.auditLog'), href: '/observe/audit' },
      { title, href },
    ],
    href,
  };
}
