/** One refusal: why, how often, what opens the call, and what led to it. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Copyable } from '../copyable.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Named, objectHref } from '../history/named.tsx';
import { Table } from '../lists/table.tsx';
import { State } from '../state.tsx';
import { decisionHref, entryColumns, rowOf, type ShownEntry } from './audit.tsx';
import { MuteButton, Muted, type ShownMute } from './mute.tsx';

export interface ShownExplanation {
  readonly method: string;
  readonly path: string;
  /** As it was decided. */
  readonly reason?: string | undefined;
  /** How it would be now, by the same roles and scopes. */
  readonly now?: { readonly isAllowed: boolean; readonly because: string } | null | undefined;
  readonly missing?: string | null | undefined;
  readonly change?: string | undefined;
  /** The command line that makes it. */
  readonly command?: string | null | undefined;
  readonly muted?: ShownMute | null | undefined;
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

export interface GroupSetting {
  /** Of endpoints. */
  readonly group: string;
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
  /** Calls like it are off at every member, so that no permission opens it. */
  readonly offEverywhere?: GroupSetting | undefined;
  /** From the sign-in or the token to the denial, the oldest first. */
  readonly story: readonly ShownEntry[];
  readonly notice?: DoneNotice | undefined;
  /** Whether the reader may mute it, and end that. */
  readonly mayMute: boolean;
  readonly csrf: string;
}

export function renderDecision(model: DecisionModel): string {
  return renderDocument(<Decision {...model} />, model.frame.presentation);
}

function Decision(model: DecisionModel) {
  const t = useText();
  const { frame, id, explanation, story, notice } = model;
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.auditLog'), href: '/observe/audit' }]}
      title={t('decision.title', { id })}
      state={<State kind="danger">{t('common.refused')}</State>}
      acts={
        <>
          <Mute {...model} />
          <FirstAct {...model} />
        </>
      }
      about={explanation && <bdi>{`${explanation.method} ${explanation.path}`}</bdi>}
      notice={notice && <Done {...notice} action={decisionHref(id)} hidden={{ csrf: model.csrf }} />}
    >
      {explanation ? (
        <Facts facts={factsOf(model, explanation, t)} />
      ) : (
        <p class="empty">{t('decision.notKept')}</p>
      )}
      <Part id="story" title={t('decision.story')} about={t('decision.whatLedToIt')}>
        <Table
          title={t('decision.story')}
          columns={entryColumns(t)}
          rows={story.map((entry) => rowOf(entry, frame, t))}
        />
      </Part>
    </DetailPage>
  );
}

/** Of a caller who is known, and a call that a permission opens. */
function Mute({ id, mayMute, caller, explanation, csrf }: DecisionModel) {
  if (!mayMute || !caller || !explanation?.missing || explanation.muted) return null;
  return <MuteButton action={decisionHref(id)} hidden={{ csrf }} />;
}

/** What opens the call; once it is open, the same call again. */
function FirstAct({ opening, explanation, caller, withAll, csrf, id }: DecisionModel) {
  const t = useText();
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
        {t('decision.tryAgain')}
      </button>
    </Form>
  );
}

function factsOf(
  { frame, id, caller, withAll, denials, opening, offEverywhere, mayMute, csrf }: DecisionModel,
  { reason, missing, change, command, now, muted }: ShownExplanation,
  t: Translate,
): readonly Fact[] {
  return [
    ...(caller ? [{ name: t('decision.caller'), value: <Named {...caller} /> }] : []),
    { name: t('decision.why'), value: <Sentence text={reason} otherwise={t('decision.unknown')} /> },
    ...(missing ? [{ name: t('decision.missing'), value: <Id>{missing}</Id> }] : []),
    ...(denials
      ? [{ name: t('decision.howOften'), value: <Denials {...denials} id={id} now={frame.now} /> }]
      : []),
    ...(muted
      ? [
          {
            name: t('decision.muted'),
            value: <Muted muted={muted} mayChange={mayMute} action={decisionHref(id)} hidden={{ csrf }} />,
          },
        ]
      : []),
    ...(now ? [{ name: t('decision.sameCallNow'), value: <Verdict {...now} /> }] : []),
    ...(withAll ? [{ name: t('decision.withAll'), value: <Verdict {...withAll} /> }] : []),
    ...(withAll?.isAllowed && !offEverywhere
      ? []
      : [
          {
            name: t('decision.toOpenIt'),
            value: offEverywhere ? (
              <OffEverywhere {...offEverywhere} />
            ) : (
              <>
                <Sentence text={change} otherwise={t('decision.nothingOpensIt')} />
                {command && <AsCommand command={command} />}
              </>
            ),
          },
        ]),
    ...(opening?.passed === undefined
      ? []
      : [
          {
            name: t('decision.with', { given: opening.given }),
            value: t('decision.passed', { n: opening.passed, days: opening.days }),
          },
        ]),
  ];
}

/** What the console has said of it in English. */
function Sentence({ text, otherwise }: { readonly text: string | undefined; readonly otherwise: string }) {
  return <bdi>{text === undefined ? otherwise : <Said>{text}</Said>}</bdi>;
}

/** What opens it then: a setting of members. */
export function OffEverywhere({ group }: GroupSetting) {
  return <Text id="effective.offEverywhereOpens" gaps={{ setting: <GroupSettingText group={group} /> }} />;
}

export function GroupSettingText({ group }: GroupSetting) {
  return <code>{`network.rest-api.endpoint-groups.${group}.enabled`}</code>;
}

export function AsCommand({ command }: { readonly command: string }) {
  const t = useText();
  return (
    <details>
      <summary>{t('decision.asCommand')}</summary>
      <Copyable>
        <pre class="code">
          <code>{command}</code>
        </pre>
      </Copyable>
    </details>
  );
}

function Verdict({ isAllowed, because }: { readonly isAllowed: boolean; readonly because: string }) {
  const said = (
    <bdi>
      <Said>{because}</Said>
    </bdi>
  );
  return <Text id={isAllowed ? 'decision.wouldGo' : 'decision.wouldNot'} gaps={{ because: said }} />;
}

export function Denials({
  calls,
  firstAt,
  decisionId,
  id,
  now,
}: ShownDenials & { readonly id: string; readonly now: Date }) {
  const latest = decisionId !== null && decisionId !== id && (
    <a href={decisionHref(decisionId)}>
      <Id>{decisionId}</Id>
    </a>
  );
  return (
    <>
      <Text id="decision.refusedTimes" gaps={{ n: calls, first: <Ago at={new Date(firstAt)} now={now} /> }} />
      {latest && <Text id="decision.latest" gaps={{ decision: latest }} />}
    </>
  );
}
