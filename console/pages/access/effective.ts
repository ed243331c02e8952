/** `/access/effective`: who may call what at the members, why, and the change that opens a call. */

import { ProblemError } from '../../../platform/errors.ts';
import type { ShownAnswer } from '../../../views/management/access/effective/call-panel.tsx';
import {
  type EffectiveModel,
  effectiveHref,
  effectivePath,
  renderEffective,
  type ShownSubject,
  type SubjectKind,
} from '../../../views/management/access/effective/effective.tsx';
import { muteDays } from '../../../views/management/observe/mute.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Acts } from '../acts.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { type ColumnCell, callOptions, cellsOf, columnsOf, type Matrix } from './call-columns.ts';
import { panelOf } from './call-panel.ts';
import { type AskedCall, type Caller, explainCall, type Opening, openingOf } from './open-call.ts';

/** Each asks for a matrix of its own. */
const perPage = '20';
const placeIn = (t: Translate) => ({ path: effectivePath(t), href: effectiveHref });
const doneNotices = (t: Translate): Readonly<Record<string, EffectiveModel['notice']>> => ({
  opened: t('effective.opened'),
  muted: t('decision.mutedNow'),
  unmuted: t('decision.unmutedNow'),
});
/** The first is what the page opens with: most calls come from machines. */
const kinds: readonly SubjectKind[] = ['clients', 'users', 'roles'];

export function createEffectivePage(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const asked = askedIn(form);
      const opening = form.get('do') === 'open' ? await openingFor(ctx, asked) : undefined;
      if (opening) return acts.ask(ctx, opening.act, placeIn(textFor(ctx)), opening.params);
      await showGrid(ctx, asked);
    },
    /** `POST /access/effective`: opens the call that the form names. */
    async change(ctx: PageContext): Promise<void> {
      const asked = askedIn(ctx.state.form);
      const wanted = ctx.state.form.get('do') ?? '';
      if (asked && (wanted === 'mute' || wanted === 'unmute')) return setMuted(ctx, asked, wanted);
      const opening = await openingFor(ctx, asked);
      if (!opening) return tools.goTo(ctx, effectiveHref);
      const done = await acts.perform(ctx, opening.act, placeIn(textFor(ctx)), opening.params);
      if (!done) return;
      goBack(ctx, asked!, 'opened');
    },
  };

  function goBack(ctx: PageContext, { caller, call }: Asked, done: string): void {
    const query = new URLSearchParams({ ...call, [caller.kind]: caller.id, done });
    tools.goTo(ctx, `${effectiveHref}?${query}`);
  }

  async function setMuted(ctx: PageContext, asked: Asked, wanted: 'mute' | 'unmute'): Promise<void> {
    const { caller, call } = asked;
    if (wanted === 'mute') {
      await tools.run(ctx, 'muteDenials', { body: { [caller.kind]: caller.id, ...call, days: muteDays } });
    } else {
      await tools.check(ctx, 'unmuteDenials');
      const { muted } = await explainCall(tools, ctx, caller, call);
      if (muted) await tools.run(ctx, 'unmuteDenials', { params: { denials: muted.id } });
    }
    goBack(ctx, asked, `${wanted}d`);
  }

  async function showGrid(ctx: PageContext, asked: Asked | undefined): Promise<void> {
    const t = textFor(ctx);
    const { form } = ctx.state;
    const may = await tools.mayRun(ctx, ['readAccessUsage', 'listClients', 'listUsers']);
    const wanted = kinds.find((one) => one === form.get('show')) ?? kinds[0]!;
    // Of others than roles for who inspects alone: whoever observes explains refusals, and no calls.
    const isAsked = may.has('readAccessUsage');
    const kind = isAsked ? wanted : 'roles';
    const query = { ...queryOf(form, kind === 'roles' ? [] : ['q']), limit: perPage };
    const { subjects, endpoints, members, list } = await subjectsOf(ctx, kind, query);
    const names = (members ?? []).map(({ name }) => name);
    const shown = queryOf(form, ['call', 'member']);
    const { call, member = '' } = shown;
    const filters = filtersOf(
      effectiveHref,
      { ...query, ...shown },
      kind === 'roles' ? undefined : t('effective.who'),
      [
        { name: 'call', label: t('common.call'), options: callOptions(t) },
        {
          name: 'member',
          label: t('common.members'),
          options: [...new Set([...names, ...(member === '' ? [] : [member])])].map((value) => ({
            value,
            label: value,
          })),
        },
      ],
      t,
    );
    const all = columnsOf(endpoints, t);
    const isShown = (_: unknown, at: number) => call === undefined || all[at]?.id === call;
    const cellOf = (cell: ColumnCell) =>
      member === '' ? cell : { ...cell, offAt: cell.offAt.filter((one) => one === member) };
    const html = renderEffective({
      frame: await tools.frame(ctx),
      kind,
      kinds: isAsked ? kinds : ['roles'],
      filters,
      columns: all.filter(isShown),
      subjects: subjects.map(({ cells, ...subject }) => ({
        ...subject,
        cells: cells.filter(isShown).map(cellOf),
      })),
      memberCount: names.length,
      member: member || undefined,
      mayAsk: isAsked,
      asked: { ...callerIn(form), ...callIn(form) },
      answer: asked && isAsked ? await answerTo(ctx, asked) : undefined,
      csrf: tools.csrf(ctx),
      notice: doneNotices(t)[form.get('done') ?? ''],
      ...placesOf(effectiveHref, { show: kind, ...query, ...shown }, list),
    });
    tools.send(ctx, html);
  }

  /** Roles come at once; of clients and people a page, each with a matrix of its own. */
  async function subjectsOf(ctx: PageContext, kind: SubjectKind, query: Readonly<Record<string, string>>) {
    if (kind === 'roles') {
      const { body } = await tools.run<Matrix>(ctx, 'readAccessMatrix');
      const subjects = body.subjects.map(({ name }) => subjectOf(kind, name, cellsOf(body.endpoints, name)));
      const list = { items: [], next: null, count: { value: subjects.length, isExact: true } };
      return { subjects, endpoints: body.endpoints, members: body.members, list };
    }
    const operation = kind === 'clients' ? 'listClients' : 'listUsers';
    const only = kind === 'clients' ? { kind: 'machine' } : {};
    const { body: list } = await tools.run<ListAnswer<{ readonly id: string }>>(ctx, operation, {
      query: { ...query, ...only },
      isBrief: true,
    });
    const name = kind === 'clients' ? 'client' : 'user';
    const subjects: ShownSubject[] = [];
    let last: Matrix | undefined;
    for (const { id } of list.items) {
      const { body } = await tools.run<Matrix>(ctx, 'readAccessMatrix', { query: { [name]: id } });
      subjects.push(subjectOf(kind, id, cellsOf(body.endpoints, id)));
      last = body;
    }
    return { subjects, endpoints: last?.endpoints ?? [], members: last?.members, list };
  }

  async function openingFor(ctx: PageContext, asked: Asked | undefined): Promise<Opening | undefined> {
    if (!asked) return undefined;
    const { caller, call } = asked;
    return openingOf(tools, ctx, caller, call, { [caller.kind]: caller.id });
  }

  async function answerTo(ctx: PageContext, { caller, call }: Asked): Promise<ShownAnswer> {
    const t = textFor(ctx);
    try {
      return await panelOf(tools, ctx, caller, call);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const text =
        error.problem.status === 404 ? error.message : fieldErrorsOf(error, () => undefined, t)[0]!.text;
      return { isAllowed: false, because: text, opens: undefined, muted: null, mayMute: false };
    }
  }
}

interface Asked {
  readonly caller: Caller;
  readonly call: AskedCall;
}

function callIn(form: Form): AskedCall {
  return { method: form.get('method') ?? 'GET', path: form.get('path')?.trim() ?? '' };
}

/** Undefined unless a call and who makes it are named: by `client` or `user`, or in the form by `as` and `who`. */
function askedIn(form: Form): Asked | undefined {
  const [call, caller] = [callIn(form), callerIn(form)];
  return call.path === '' || caller.id === '' ? undefined : { caller, call };
}

/** Who is asked about, as far as that is said. */
function callerIn(form: Form): Caller {
  const kind = form.get('as') === 'user' ? 'user' : 'client';
  const named = (['client', 'user'] as const).find((one) => form.get(one));
  return named ? { kind: named, id: form.get(named)! } : { kind, id: form.get('who')?.trim() ?? '' };
}

function subjectOf(kind: SubjectKind, id: string, cells: readonly ColumnCell[]): ShownSubject {
  return { kind, id, cells };
}
