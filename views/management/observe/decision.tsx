/** One refusal: why, how often, what opens the call, and what led to it. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Named, objectHref } from '../history/named.tsx';
import { Table } from '../list.tsx';
import { State } from '../state.tsx';
import { decisionHref, entryColumns, rowOf, type ShownEntry } from './audit.tsx';

export interface ShownExplanation {
  readonly method: string;
  readonly path: string;
  /** As it was decided. */
  readonly reason?: string | undefined;
  /** How it would be now, by the same roles and scopes. */
  readonly now?: { readonly isAllowed: boolean; readonly because: string } | null | undefined;
  readonly missing?: string | null | undefined;
  readonly change?: string | undefined;
}

/** Calls of this kind that were refused to this caller. */
export interface ShownDenials {
  readonly calls: number;
  readonly firstAt: string;
  readonly decisionId: string | null;
}

export interface ShownOpening {
  readonly title: string;
  /** A scope, or a role. */
  readonly given: string;
  /** It is asked about before it is done: it opens more than this call. */
  readonly isAsked: boolean;
  /** Where it is asked about; undefined for who may not. */
  readonly href?: string | undefined;
  /** How many calls would have got through in the last {@link days}. */
  readonly passed?: number | undefined;
  readonly days: number;
}

export interface DecisionModel {
  readonly frame: FrameModel;
  readonly id: string;
  /** Undefined where it is not known any more why: the entries still say what happened. */
  readonly explanation?: ShownExplanation | undefined;
  /** Who was refused, where that is a machine client or a person. */
  readonly caller?: { readonly kind: 'client' | 'user'; readonly id: string } | undefined;
  /** The same call by a token with all that the caller may ask for. */
  readonly withAll?: { readonly isAllowed: boolean; readonly because: string } | undefined;
  readonly denials?: ShownDenials | undefined;
  readonly opening?: ShownOpening | undefined;
  /** From the sign-in or the token to the denial, the oldest first. */
  readonly story: readonly ShownEntry[];
  readonly notice?: string | undefined;
  readonly csrf: string;
}

export function renderDecision(model: DecisionModel): string {
  const { frame, id, explanation, story, notice } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Audit log', href: '/observe/audit' }]}
      title={`Decision ${id}`}
      state={<State kind="danger">Refused</State>}
      acts={<FirstAct {...model} />}
      about={explanation && <bdi>{`${explanation.method} ${explanation.path}`}</bdi>}
      notice={notice}
    >
      {explanation ? (
        <Facts facts={factsOf(model, explanation)} />
      ) : (
        <p class="empty">Why is not kept any more. What happened is below.</p>
      )}
      <Part id="story" title="Story" about="What led to it, the oldest first.">
        <Table title="Story" columns={entryColumns} rows={story.map((entry) => rowOf(entry, frame))} />
      </Part>
    </DetailPage>,
  );
}

/** What opens the call; once it is open, the same call again. */
function FirstAct({ opening, explanation, caller, withAll, csrf, id }: DecisionModel) {
  if (opening?.href !== undefined) {
    if (!opening.isAsked) {
      return (
        <Form action={decisionHref(id)} hidden={{ csrf, do: 'open' }}>
          <button type="submit" class="button primary">
            <bdi>{opening.title}</bdi>
          </button>
        </Form>
      );
    }
    return (
      <a class="button primary" href={opening.href}>
        <bdi>{opening.title}</bdi>
      </a>
    );
  }
  const isTried = caller?.kind === 'client' && withAll?.isAllowed && explanation?.method === 'GET';
  if (!isTried) return null;
  return (
    <Form action={objectHref('client', caller.id)!} hidden={{ csrf, do: 'try', path: explanation.path }}>
      <button type="submit" class="button primary">
        Try again
      </button>
    </Form>
  );
}

function factsOf(
  { frame, id, caller, withAll, denials, opening }: DecisionModel,
  { reason, missing, change, now }: ShownExplanation,
): readonly Fact[] {
  return [
    ...(caller
      ? [
          {
            name: 'Caller',
            value: <Named {...caller} />,
          },
        ]
      : []),
    { name: 'Why', value: <bdi>{reason ?? 'Unknown'}</bdi> },
    ...(missing ? [{ name: 'Missing', value: <Id>{missing}</Id> }] : []),
    ...(denials ? [{ name: 'Refused', value: <Denials {...denials} id={id} now={frame.now} /> }] : []),
    ...(now ? [{ name: 'The same call now', value: <Verdict {...now} /> }] : []),
    ...(withAll ? [{ name: 'With all that the caller may ask for', value: <Verdict {...withAll} /> }] : []),
    ...(withAll?.isAllowed
      ? []
      : [{ name: 'To open it', value: <bdi>{change ?? 'Nothing opens it.'}</bdi> }]),
    ...(opening?.passed === undefined
      ? []
      : [{ name: `With ${opening.given}`, value: passedText(opening.passed, opening.days) }]),
  ];
}

function Verdict({ isAllowed, because }: { readonly isAllowed: boolean; readonly because: string }) {
  return (
    <>
      {isAllowed ? 'Would go through. ' : 'Would be refused. '}
      <bdi>{because}</bdi>
    </>
  );
}

function Denials({
  calls,
  firstAt,
  decisionId,
  id,
  now,
}: ShownDenials & { readonly id: string; readonly now: Date }) {
  return (
    <>
      {calls === 1 ? 'Once' : `${new Intl.NumberFormat('en').format(calls)} times`}, first{' '}
      <Ago at={new Date(firstAt)} now={now} />
      {decisionId !== null && decisionId !== id && (
        <>
          {'. The latest: '}
          <a href={decisionHref(decisionId)}>
            <Id>{decisionId}</Id>
          </a>
        </>
      )}
    </>
  );
}

function passedText(calls: number, days: number): string {
  const many = calls === 1 ? 'One call' : `${new Intl.NumberFormat('en').format(calls)} calls`;
  return `${many} of the last ${days} days would have gone through.`;
}
