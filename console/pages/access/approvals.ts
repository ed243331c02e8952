/** `/access/approvals`: changes that wait for a second administrator, and what became of them. */

import {
  approvalHref,
  approvalTitle,
  renderApproval,
  renderApprovals,
  type ShownApproval,
} from '../../../views/management/access/approvals.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/access/approvals';

const doneNotices: Readonly<Record<string, string>> = {
  asked: 'Nothing is changed yet: a second administrator has to approve it.',
  approved: 'Approved: the change is made.',
  rejected: 'Rejected: nothing was changed.',
  withdrawn: 'Taken back: nothing was changed.',
};

export function createApprovalPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = queryOf(ctx.state.form, ['state']);
      const { body } = await tools.run<ListAnswer<ShownApproval>>(ctx, 'listApprovals', { query: asked });
      const html = renderApprovals({
        frame: await tools.frame(ctx),
        approvals: body.items,
        filters: filtersOf(
          listHref,
          asked,
          undefined,
          [{ name: 'state', label: 'State', options: stateOptions }],
          t,
        ),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    async show(ctx: PageContext): Promise<void> {
      const approval = await find(ctx);
      const { form } = ctx.state;
      const act = actNamed(form.get('do'), approval, isOwn(ctx, approval));
      if (act) return acts.ask(ctx, act, placeOf(approval));
      await showApproval(ctx, approval, { notice: doneNotices[form.get('done') ?? ''] });
    },
    /** `POST /access/approvals/:approval`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const approval = await find(ctx);
      const { form } = ctx.state;
      const params = { approval: approval.id };
      if (form.get('do') === 'result') {
        const request = { params, body: {} };
        const { body } = await tools.run<{ readonly result: unknown }>(ctx, 'takeApprovalResult', request);
        return showApproval(ctx, approval, { result: JSON.stringify(body.result, undefined, 2) });
      }
      const act = actNamed(form.get('do'), approval, isOwn(ctx, approval));
      if (!act) return tools.goTo(ctx, approvalHref(approval.id));
      const answer = await acts.perform<ShownApproval>(ctx, act, placeOf(approval), params);
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

/** Who has asked for a change does not approve it. */
function isOwn({ state }: PageContext, { requestedBy }: ShownApproval): boolean {
  return requestedBy.id === state.account.id;
}

const stateOptions = [
  { value: 'waiting', label: 'Waiting' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'withdrawn', label: 'Taken back' },
  { value: 'expired', label: 'Expired' },
  { value: 'failed', label: 'Failed' },
];

function placeOf(approval: ShownApproval) {
  const href = approvalHref(approval.id);
  return {
    path: [
      { title: 'Approvals', href: listHref },
      { title: approvalTitle(approval), href },
    ],
    href,
  };
}

function actNamed(name: string | undefined, approval: ShownApproval, own: boolean): Act | undefined {
  if (approval.state !== 'waiting') return undefined;
  const title = approvalTitle(approval);
  const by = approval.requestedBy.username ?? approval.requestedBy.id;
  if (name === 'approve' && !own) {
    return {
      name,
      operation: 'approveChange',
      title: `Approve: ${title}`,
      effects: [
        `${by} has asked for it. It is made now, as it was asked for, if nothing has changed there since.`,
        'The audit has both of you in the entry of the change.',
      ],
      button: 'Approve change',
      isDangerous: true,
    };
  }
  if (name !== 'reject') return undefined;
  return {
    name,
    operation: 'rejectChange',
    title: own ? `Take back: ${title}` : `Reject: ${title}`,
    effects: [own ? 'Nobody can approve it any more.' : `${by} sees that it was rejected, and why.`],
    button: own ? 'Take back' : 'Reject change',
    texts: [{ name: 'reason', label: 'Reason', hint: 'For whoever has asked, in 500 characters at most.' }],
    requestOf: (form) => {
      const reason = form.get('reason')?.trim();
      return { body: reason ? { reason } : {} };
    },
  };
}
