/** `/api/v1/approvals`: changes that wait for a second administrator. */
import { z } from 'zod';
import type { Approval, Approvals } from '../approvals/approvals.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';
import { sortedPageOf, sortParameter } from '../operations/sorted-lists.ts';

export interface ApprovalNeeds {
  readonly approvals: Pick<Approvals, 'list' | 'find' | 'approve' | 'reject' | 'takeResult'>;
  readonly users: { find(id: string): Promise<{ readonly username: string } | undefined> };
  readonly cursors: Cursors;
}

const states = ['waiting', 'approved', 'rejected', 'withdrawn', 'expired', 'failed'] as const;
const person = z.strictObject({ id: z.string(), username: z.string().nullable() });
export const approvalView = view({
  id: z.string().meta({ example: 'apr_019aaf1c0e7b7c3d9f21a5c4d8e6b702' }),
  state: z.enum(states),
  operation: z.string().meta({ description: 'The id of the operation.', example: 'updateRole' }),
  target: z.string().nullable().meta({ description: 'What it is about.' }),
  diff: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'What it would change, without secrets.' }),
  requestedBy: person,
  decidedBy: person.nullable(),
  reason: z.string().nullable().meta({ description: 'Why it was rejected.' }),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'The code of why an approved change could not be made.' }),
  createdAt: dateTime,
  updatedAt: dateTime,
  expiresAt: dateTime.meta({ description: 'Who has not approved it by then approves nothing.' }),
}).meta({ id: 'Approval' });
const params = z.strictObject({ approval: z.string().regex(/^apr_[0-9a-f]{20,40}$/) });

export const approvalOperations: readonly Operation<ApprovalNeeds>[] = [
  operation({
    id: 'listApprovals',
    method: 'GET',
    path: '/approvals',
    summary:
      'Lists changes that wait for a second administrator, and those that are decided, the oldest first.',
    access: 'inspect',
    query: listQuery({
      state: z.enum(states).exactOptional(),
      sort: sortParameter(['createdAt'], 'By default `createdAt`: the oldest first.'),
    }),
    answer: listOf(approvalView),
    async run({ query }, { approvals, users, cursors }: ApprovalNeeds) {
      const all = await approvals.list();
      const meant = query.state === undefined ? all : all.filter(({ state }) => state === query.state);
      const list = 'listApprovals';
      const { items, ...page } =
        sortedPageOf(list, meant, { createdAt: ({ createdAt }) => createdAt }, query, cursors) ??
        pageOf(list, meant, query, cursors);
      return { body: { items: await Promise.all(items.map((one) => viewOf(one, users))), ...page } };
    },
  }),
  operation({
    id: 'readApproval',
    method: 'GET',
    path: '/approvals/{approval}',
    summary: 'Shows one, with what it would change.',
    access: 'inspect',
    params,
    answer: approvalView,
    async run({ params: { approval: id } }, { approvals, users }: ApprovalNeeds) {
      return { body: await viewOf(await approvals.find(id), users) };
    },
  }),
  operation({
    id: 'approveChange',
    method: 'POST',
    path: '/approvals/{approval}/approve',
    summary: 'Makes the change, as it was asked for, if what it changes is as it was then.',
    description:
      'For another person than who asked, with the role Admin. The one line of the audit trail is the change’s own.',
    access: 'write',
    isDangerous: true,
    event: 'approval.approved',
    hasVersion: false,
    params,
    answer: approvalView,
    problems: [409],
    async run({ params: { approval: id }, actor }, { approvals, users }: ApprovalNeeds) {
      const approval = await approvals.approve(id, actor);
      return { body: await viewOf(approval, users), target: id, isUnchanged: true };
    },
  }),
  operation({
    id: 'rejectChange',
    method: 'POST',
    path: '/approvals/{approval}/reject',
    summary: 'Says that it is not to be; who has asked for it takes it back so.',
    access: 'write',
    event: 'approval.rejected',
    hasVersion: false,
    params,
    body: z.strictObject({ reason: z.string().max(500).exactOptional() }).meta({ example: {} }),
    answer: approvalView,
    problems: [409],
    async run({ params: { approval: id }, body, actor }, { approvals, users }: ApprovalNeeds) {
      const approval = await approvals.reject(id, actor, body.reason);
      const changes = { state: { from: 'waiting', to: approval.state } };
      return { body: await viewOf(approval, users), target: id, changes };
    },
  }),
  operation({
    id: 'takeApprovalResult',
    method: 'POST',
    path: '/approvals/{approval}/result',
    summary:
      'Gives who has asked for a change what it answered, once: a secret of a new client, a link of an invitation.',
    access: 'write',
    event: 'approval.result_taken',
    hasVersion: false,
    params,
    problems: [409],
    answer: z.strictObject({ result: z.unknown() }).meta({ id: 'ApprovalResult' }),
    async run({ params: { approval: id }, actor }, { approvals }: ApprovalNeeds) {
      return { body: { result: await approvals.takeResult(id, actor) }, target: id };
    },
  }),
];

export async function viewOf(approval: Approval, users: ApprovalNeeds['users']): Promise<object> {
  const { changes, requestedBy, decidedBy, createdAt, decidedAt, expiresAt } = approval;
  const { id, state, operation: asked, target, reason, problem } = approval;
  const shown = async ({ id }: { readonly id: string }) => ({
    id,
    username: (await users.find(id))?.username ?? null,
  });
  return {
    ...{ id, state, operation: asked, target, reason, problem },
    diff: changes,
    requestedBy: await shown(requestedBy),
    decidedBy: decidedBy && (await shown(decidedBy)),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(decidedAt ?? createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
