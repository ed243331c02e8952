/** Changes that wait for a second administrator. */

import { Form } from '../../elements/form.tsx';
import { renderDocument, renderPart } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Code } from '../code.tsx';
import { DetailPage, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Live } from '../live/live.tsx';
import { RowAct } from '../row-act.tsx';
import { State, type StateKind } from '../state.tsx';
import { approvalTitle } from './approval-title.ts';

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

export const approvalsPath = (t: Translate) => [{ title: t('common.approvals'), href: '/access/approvals' }];

export const approvalStates: Readonly<
  Record<ShownApproval['state'], { readonly kind: StateKind; readonly word: WordKey }>
> = {
  waiting: { kind: 'warn', word: 'approvals.waiting' },
  approved: { kind: 'ok', word: 'approvals.approved' },
  rejected: { kind: 'off', word: 'approvals.rejected' },
  withdrawn: { kind: 'off', word: 'approvals.takenBack' },
  expired: { kind: 'off', word: 'access.expired' },
  failed: { kind: 'danger', word: 'common.failed' },
};

function ApprovalState({ state }: Pick<ShownApproval, 'state'>) {
  const t = useText();
  const { kind, word } = approvalStates[state];
  return <State kind={kind}>{t(word)}</State>;
}

function Name({ id, username }: Person) {
  if (username === null)
    return (
      <bdi class="muted">
        <Text id="approvals.removedPerson" gaps={{ id }} />
      </bdi>
    );
  return (
    <a href={`/access/users/${encodeURIComponent(username)}`}>
      <bdi>{username}</bdi>
    </a>
  );
}

export interface ApprovalsModel extends ListState {
  readonly approvals: readonly ShownApproval[];
  /** Who reads the list: nobody approves what they have asked for. */
  readonly readerId: string;
  readonly mayApprove: boolean;
  readonly filters: FiltersModel;
}

export function renderApprovals(model: ApprovalsModel): string {
  return renderDocument(<Approvals {...model} />, model.frame.presentation);
}

function Approvals({ approvals, readerId, mayApprove, ...list }: ApprovalsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.approvals')}
      about={t('approvals.about')}
      columns={[
        { title: t('approvals.change') },
        { title: t('common.state') },
        { title: t('approvals.askedForBy') },
        { title: t('approvals.askedFor'), sortBy: 'createdAt' },
      ]}
      rows={approvals.map((approval) => ({
        key: approval.id,
        cells: [
          <a key="change" href={approvalHref(approval.id)}>
            <bdi>{approvalTitle(approval, t)}</bdi>
          </a>,
          <ApprovalState key="state" state={approval.state} />,
          <Name key="by" {...approval.requestedBy} />,
          <Ago key="at" at={new Date(approval.createdAt)} now={list.frame.now} />,
        ],
        act: mayApprove && approval.state === 'waiting' && approval.requestedBy.id !== readerId && (
          <RowAct
            label={t('approvals.approve')}
            of={approvalTitle(approval, t)}
            since={new Date(approval.createdAt)}
            href={approvalHref(approval.id)}
            act="approve"
          />
        ),
      }))}
      empty={<p>{t('approvals.nothingWaits')}</p>}
    />
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
  return renderDocument(<Approval {...model} />, model.frame.presentation);
}

function Approval(model: ApprovalModel) {
  const t = useText();
  const { frame, approval, notice, result } = model;
  return (
    <DetailPage
      frame={frame}
      path={approvalsPath(t)}
      title={approvalTitle(approval, t)}
      state={<ApprovalState state={approval.state} />}
      acts={
        <>
          {approval.state === 'waiting' && <Live />}
          <Decide {...model} />
        </>
      }
      about={aboutOf(model, t)}
      notice={notice}
    >
      {result !== undefined && (
        <Part id="result" title={t('approvals.whatItAnswered')} about={t('approvals.shownOnce')}>
          <Code>{result}</Code>
        </Part>
      )}
      <ApprovalFacts {...model} />
      <Part id="change" title={t('approvals.whatItChanges')} about={t('approvals.withoutSecrets')}>
        {approval.diff === null ? (
          <p class="empty">{t('approvals.saysNothingMore')}</p>
        ) : (
          <Code>{JSON.stringify(approval.diff, undefined, 2)}</Code>
        )}
      </Part>
    </DetailPage>
  );
}

export interface ApprovalPartsModel extends Pick<ApprovalModel, 'approval'> {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
}

/** What goes on while the page of one is open that waits. */
export function approvalParts(model: ApprovalPartsModel): Readonly<Record<string, string>> {
  return { 'approval-facts': renderPart(<ApprovalFacts {...model} />, model.frame.presentation) };
}

/** Once it is decided other buttons stand beside it, and its script loads the page anew. */
function ApprovalFacts({ approval, frame: { now } }: ApprovalPartsModel) {
  const t = useText();
  const { decidedBy, reason, problem } = approval;
  return (
    <div id="approval-facts" data-part="" data-anew={approval.state}>
      <Facts
        facts={[
          { name: t('approvals.askedForBy'), value: <Name {...approval.requestedBy} /> },
          { name: t('approvals.askedFor'), value: <Ago at={new Date(approval.createdAt)} now={now} /> },
          { name: t('common.expires'), value: <Ago at={new Date(approval.expiresAt)} now={now} /> },
          ...(decidedBy ? [{ name: t('approvals.decidedBy'), value: <Name {...decidedBy} /> }] : []),
          ...(reason === null ? [] : [{ name: t('access.reason'), value: <bdi>{reason}</bdi> }]),
          ...(problem === null ? [] : [{ name: t('approvals.whyNotMade'), value: <Said>{problem}</Said> }]),
          { name: t('approvals.operation'), value: <Id>{approval.operation}</Id> },
        ]}
      />
    </div>
  );
}

function aboutOf(
  { approval: { state }, isOwn, mayApprove }: ApprovalModel,
  t: Translate,
): string | undefined {
  if (state !== 'waiting') return undefined;
  if (isOwn) return t('approvals.youAsked');
  return mayApprove ? t('approvals.waitsForYou') : t('approvals.waitsForAdministrator');
}

function Decide({ approval: { id, state }, csrf, isOwn, mayApprove, mayReject }: ApprovalModel) {
  const t = useText();
  const href = approvalHref(id);
  if (state === 'approved' && isOwn) {
    return (
      <Form action={href} hidden={{ csrf, do: 'result' }}>
        <button type="submit" class="button primary">
          {t('approvals.showAnswer')}
        </button>
      </Form>
    );
  }
  if (state !== 'waiting') return null;
  return (
    <>
      {mayReject && (
        <a class="button" href={`${href}?do=reject`}>
          {isOwn ? t('approvals.takeBack') : t('approvals.reject')}
        </a>
      )}
      {mayApprove && !isOwn && (
        <a class="button primary" href={`${href}?do=approve`}>
          {t('approvals.approve')}
        </a>
      )}
    </>
  );
}
