/** Changes that wait for a second administrator. */

import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { Code } from '../code.tsx';
import { DetailPage, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

interface Person {
  readonly id: string;
  /** Null: the account is gone. */
  readonly username: string | null;
}

/** As the admin API has it. */
export interface ShownApproval {
  readonly id: string;
  readonly state: 'waiting' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'failed';
  /** Its id. */
  readonly operation: string;
  readonly target: string | null;
  readonly diff: Readonly<Record<string, unknown>> | null;
  readonly requestedBy: Person;
  readonly decidedBy: Person | null;
  readonly reason: string | null;
  readonly problem: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
}

export function approvalHref(id: string): string {
  return `/access/approvals/${encodeURIComponent(id)}`;
}

/** `updateRole` of Keeper: "Update role Keeper". */
export function approvalTitle({ operation, target }: ShownApproval): string {
  const words = operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${target === null ? '' : ` ${target}`}`;
}

const states: Readonly<Record<ShownApproval['state'], { readonly kind: StateKind; readonly word: string }>> =
  {
    waiting: { kind: 'warn', word: 'Waiting' },
    approved: { kind: 'ok', word: 'Approved' },
    rejected: { kind: 'off', word: 'Rejected' },
    withdrawn: { kind: 'off', word: 'Taken back' },
    expired: { kind: 'off', word: 'Expired' },
    failed: { kind: 'danger', word: 'Failed' },
  };

function ApprovalState({ state }: Pick<ShownApproval, 'state'>) {
  return <State kind={states[state].kind}>{states[state].word}</State>;
}

function Name({ id, username }: Person) {
  if (username === null) return <bdi class="muted">{id}, removed</bdi>;
  return (
    <a href={`/access/users/${encodeURIComponent(username)}`}>
      <bdi>{username}</bdi>
    </a>
  );
}

export interface ApprovalsModel extends ListState {
  readonly approvals: readonly ShownApproval[];
  readonly filters: FiltersModel;
}

export function renderApprovals({ approvals, ...list }: ApprovalsModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Approvals"
      about="Changes that wait for a second administrator, and those that have."
      columns={[{ title: 'Change' }, { title: 'State' }, { title: 'Asked for by' }, { title: 'Asked for' }]}
      rows={approvals.map((approval) => ({
        key: approval.id,
        cells: [
          <a key="change" href={approvalHref(approval.id)}>
            <bdi>{approvalTitle(approval)}</bdi>
          </a>,
          <ApprovalState key="state" state={approval.state} />,
          <Name key="by" {...approval.requestedBy} />,
          <Ago key="at" at={new Date(approval.createdAt)} now={list.frame.now} />,
        ],
      }))}
      empty={
        <p>
          Nothing waits. CONSOLE_APPROVALS_REQUIRE names the operations that a second administrator has to
          approve.
        </p>
      }
    />,
  );
}

export interface ApprovalModel {
  readonly frame: FrameModel;
  readonly approval: ShownApproval;
  readonly csrf: string;
  /** Who reads the page has asked for it. */
  readonly isOwn: boolean;
  readonly mayApprove: boolean;
  readonly mayReject: boolean;
  readonly notice?: string | undefined;
  /** What the change answered: shown this once. */
  readonly result?: string | undefined;
}

export function renderApproval(model: ApprovalModel): string {
  const { frame, approval, notice, result } = model;
  const { decidedBy, reason, problem } = approval;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Approvals', href: '/access/approvals' }]}
      title={approvalTitle(approval)}
      state={<ApprovalState state={approval.state} />}
      acts={<Decide {...model} />}
      about={aboutOf(model)}
      notice={notice}
    >
      {result !== undefined && (
        <Part id="result" title="What it answered" about="It is shown here once.">
          <Code>{result}</Code>
        </Part>
      )}
      <Facts
        facts={[
          { name: 'Asked for by', value: <Name {...approval.requestedBy} /> },
          { name: 'Asked for', value: <Ago at={new Date(approval.createdAt)} now={frame.now} /> },
          { name: 'Expires', value: <Ago at={new Date(approval.expiresAt)} now={frame.now} /> },
          ...(decidedBy ? [{ name: 'Decided by', value: <Name {...decidedBy} /> }] : []),
          ...(reason === null ? [] : [{ name: 'Reason', value: <bdi>{reason}</bdi> }]),
          ...(problem === null ? [] : [{ name: 'Why it could not be made', value: problem }]),
          { name: 'Operation', value: <Id>{approval.operation}</Id> },
        ]}
      />
      <Part id="change" title="What it changes" about="Without secrets.">
        {approval.diff === null ? (
          <p class="empty">It says nothing but what stands above.</p>
        ) : (
          <Code>{JSON.stringify(approval.diff, undefined, 2)}</Code>
        )}
      </Part>
    </DetailPage>,
  );
}

function aboutOf({ approval: { state }, isOwn, mayApprove }: ApprovalModel): string | undefined {
  if (state !== 'waiting') return undefined;
  if (isOwn) return 'You have asked for it: somebody else has to approve it.';
  return mayApprove ? 'It waits for you, or for another administrator.' : 'It waits for an administrator.';
}

function Decide({ approval: { id, state }, csrf, isOwn, mayApprove, mayReject }: ApprovalModel) {
  const href = approvalHref(id);
  if (state === 'approved' && isOwn) {
    return (
      <Form action={href} hidden={{ csrf, do: 'result' }}>
        <button type="submit" class="button primary">
          Show what it answered
        </button>
      </Form>
    );
  }
  if (state !== 'waiting') return null;
  return (
    <>
      {mayReject && (
        <a class="button" href={`${href}?do=reject`}>
          {isOwn ? 'Take back' : 'Reject'}
        </a>
      )}
      {mayApprove && !isOwn && (
        <a class="button primary" href={`${href}?do=approve`}>
          Approve
        </a>
      )}
    </>
  );
}
