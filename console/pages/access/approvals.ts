/** `/access/approvals`: changes that wait for a second administrator, and what became of them. */

import { approvalTitle } from '../../../views/management/access/approval-title.ts';
import {
  approvalHref,
  approvalParts,
  approvalStates,
  approvalsPath,
  renderApproval,
  renderApprovals,
  type ShownApproval,
} from '../../../views/management/access/approvals.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, liveOf, placesOf, queryOf, sortedQueryOf, sortingOf } from '../lists.ts';
import { type LiveList, mostNew } from '../live/new-items.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/access/approvals';

const doneNotices = (t: Translate): Readonly<Record<string, string>> => ({
  asked: t('approvals.askedDone'),
  approved: t('approvals.approvedDone'),
  rejected: t('approvals.rejectedDone'),
  withdrawn: t('approvals.takenBackDone'),
});

export function createApprovalPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = sortedQueryOf(ctx.state.form, listed.approvals);
      const { body } = await tools.run<ListAnswer<ShownApproval>>(ctx, 'listApprovals', { query: asked });
      const html = renderApprovals({
        frame: await tools.frame(ctx),
        approvals: body.items,
        readerId: ctx.state.account.id,
        mayApprove: (await tools.mayRun(ctx, ['approveChange'])).has('approveChange'),
        filters: filtersOf(
          listHref,
          asked,
          undefined,
          [{ name: 'state', label: t('common.state'), options: stateOptions(t) }],
          t,
        ),
        sorting: sortingOf(listed.approvals, asked),
        ...placesOf(listHref, asked, body),
        ...liveIn(asked, body),
      });
      tools.send(ctx, html);
    },
    /** What comes while the list is open. @param version  of all of them */
    newApprovals: (version: LiveList['version']): LiveList => ({
      operation: 'listApprovals',
      version,
      isInOrderOfIds: true,
      async read(ctx) {
        const { cursor: _, ...asked } = queryOf(ctx.state.form, listed.approvals.names);
        const query = { ...asked, sort: '-createdAt', limit: String(mostNew + 1) };
        const { body } = await tools.run<ListAnswer<ShownApproval>>(ctx, 'listApprovals', { query });
        return { items: body.items, isAll: body.next === null };
      },
    }),
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const approval = await find(ctx);
      const { form } = ctx.state;
      const act = actNamed(form.get('do'), approval, { own: isOwn(ctx, approval), t });
      if (act) return acts.ask(ctx, act, placeOf(approval, t), { approval: approval.id });
      await showApproval(ctx, approval, { notice: doneNotices(t)[form.get('done') ?? ''] });
    },
    /** What goes on while it is open: that it is decided. */
    async parts(ctx: PageContext): Promise<Parts> {
      return approvalParts({ frame: tools.reader(ctx), approval: await find(ctx) });
    },
    /** `POST /access/approvals/:approval`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const approval = await find(ctx);
      const { form } = ctx.state;
      const params = { approval: approval.id };
      if (form.get('do') === 'result') {
        const request = { params, body: {} };
        const { body } = await tools.run<{ readonly result: unknown }>(ctx, 'takeApprovalResult', request);
        return showApproval(ctx, approval, { result: JSON.stringify(body.result, undefined, 2) });
      }
      const act = actNamed(form.get('do'), approval, { own: isOwn(ctx, approval), t });
      if (!act) return tools.goTo(ctx, approvalHref(approval.id));
      const answer = await acts.perform<ShownApproval>(ctx, act, placeOf(approval, t), params);
      if (answer) tools.goTo(ctx, `${approvalHref(approval.id)}?done=${answer.body.state}`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownApproval> {
    const params = { approval: String(ctx.params.approval) };
    return (await tools.run<ShownApproval>(ctx, 'readApproval', { params })).body;
  }

  async function showApproval(
    ctx: PageContext,
    approval: ShownApproval,
    shown: { readonly notice?: string | undefined; readonly result?: string },
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['approveChange', 'rejectChange']);
    const html = renderApproval({
      frame: await tools.frame(ctx),
      approval,
      csrf: tools.csrf(ctx),
      isOwn: isOwn(ctx, approval),
      mayApprove: may.has('approveChange'),
      mayReject: may.has('rejectChange'),
      ...shown,
    });
    tools.send(ctx, html);
  }
}

/** Where the oldest come first, what is new is on this page only where it is the last one. */
function liveIn(asked: Readonly<Record<string, string>>, { items, next }: ListAnswer<ShownApproval>) {
  if (asked.sort === '-createdAt') return liveOf(listHref, asked, items[0]?.id);
  return next === null ? liveOf(listHref, asked, items.at(-1)?.id) : {};
}

/** Who has asked for a change does not approve it. */
function isOwn({ state }: PageContext, { requestedBy }: ShownApproval): boolean {
  return requestedBy.id === state.account.id;
}

function stateOptions(t: Translate) {
  return Object.entries(approvalStates).map(([value, { word }]) => ({ value, label: t(word) }));
}

function placeOf(approval: ShownApproval, t: Translate) {
  const href = approvalHref(approval.id);
  return {
    path: [...approvalsPath(t), { title: approvalTitle(approval, t), href }],
    href,
  };
}

function actNamed(
  name: string | undefined,
  approval: ShownApproval,
  { own, t }: { readonly own: boolean; readonly t: Translate },
): Act | undefined {
  if (approval.state !== 'waiting') return undefined;
  const title = approvalTitle(approval, t);
  const by = approval.requestedBy.username ?? approval.requestedBy.id;
  if (name === 'approve' && !own) {
    return {
      name,
      operation: 'approveChange',
      title: t('approvals.approveNamed', { title }),
      effects: [t('approvals.madeNow', { by }), t('approvals.auditHasBoth')],
      button: t('approvals.approveChange'),
      isDangerous: true,
    };
  }
  if (name !== 'reject') return undefined;
  return {
    name,
    operation: 'rejectChange',
    title: t(own ? 'approvals.takeBackNamed' : 'approvals.rejectNamed', { title }),
    effects: [own ? t('approvals.nobodyCanApprove') : t('approvals.seesRejected', { by })],
    button: own ? t('approvals.takeBack') : t('approvals.rejectChange'),
    texts: [{ name: 'reason', label: t('access.reason'), hint: t('approvals.reasonHint') }],
    requestOf: (form) => {
      const reason = form.get('reason')?.trim();
      return { body: reason ? { reason } : {} };
    },
  };
}
