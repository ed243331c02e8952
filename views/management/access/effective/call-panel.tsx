/** What is said of one call by one caller: why it is so, how often it was refused, and what opens it. */
import { Form } from '../../../elements/form.tsx';
import { Said, Text, useText } from '../../../texts/elements.tsx';
import type { Translate } from '../../../texts/text.ts';
import { type Fact, Facts } from '../../detail.tsx';
import type { FrameModel } from '../../frame.tsx';
import { objectHref } from '../../history/named.tsx';
import { Table } from '../../lists/table.tsx';
import { entryColumns, rowOf, type ShownEntry } from '../../observe/audit.tsx';
import {
  AsCommand,
  Denials,
  GroupSettingText,
  OffEverywhere,
  type ShownDenials,
} from '../../observe/decision.tsx';
import { MuteButton, Muted, type ShownMute } from '../../observe/mute.tsx';
import { State } from '../../state.tsx';

export interface ShownAnswer {
  readonly isAllowed: boolean;
  readonly because: string;
  /** Members where the endpoint group of the call is off: no permission helps there. */
  readonly off?: ShownGroupOff | undefined;
  /** Of calls like this one. */
  readonly denials?: ShownDenials | undefined;
  /** What led to the latest denial, the oldest first. */
  readonly story?: readonly ShownEntry[] | undefined;
  /** The smallest change that opens it. */
  readonly opens: ShownOpening | undefined;
  readonly muted: ShownMute | null;
  /** Whether the reader may begin, or end, that no finding names its denials. */
  readonly mayMute: boolean;
  /** Whether the call can be made here as this caller. */
  readonly mayTry?: boolean;
}

export interface ShownGroupOff {
  readonly members: readonly string[];
  readonly group: string;
  /** At every member that there is. */
  readonly isEverywhere: boolean;
}

interface ShownOpening {
  readonly title: string;
  /** A scope, or a role. */
  readonly given: string;
  /** What a scope opens, in words; undefined of a role. */
  readonly what?: string | undefined;
  readonly command: string;
  readonly isOffered: boolean;
  /** How many calls would have got through in the last {@link days}. */
  readonly passed?: number | undefined;
  readonly days: number;
}

export interface AskedOf {
  readonly kind: 'client' | 'user';
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

interface PanelProps {
  readonly frame: FrameModel;
  readonly asked: AskedOf;
  readonly answer: ShownAnswer;
  readonly csrf: string;
  /** Of the page, where it is posted to. */
  readonly href: string;
  /** The grid without it. */
  readonly closeHref: string;
}

export function CallPanel({ frame, asked, answer, csrf, href, closeHref }: PanelProps) {
  const t = useText();
  const { isAllowed, opens, story, muted, mayMute } = answer;
  const call = { [asked.kind]: asked.id, method: asked.method, path: asked.path };
  const form = { action: href, hidden: { csrf, ...call } };
  return (
    <div class="boxed answer" role="status">
      <p>
        <State kind={isAllowed ? 'ok' : 'danger'}>
          <span>
            <Text
              id={isAllowed ? 'effective.may' : 'effective.mayNot'}
              gaps={{ id: <bdi>{asked.id}</bdi> }}
            />
          </span>
        </State>{' '}
        <bdi class="code">{`${asked.method} ${asked.path}`}</bdi>
      </p>
      <Facts facts={factsOf(answer, frame, t)} />
      {story && story.length > 0 && (
        <details>
          <summary>{t('decision.story')}</summary>
          <Table
            title={t('decision.story')}
            columns={entryColumns(t)}
            rows={story.map((entry) => rowOf(entry, frame, t))}
          />
        </details>
      )}
      {muted && (
        <div>
          <Muted muted={muted} mayChange={mayMute} isAlone {...form} />
        </div>
      )}
      <div class="actions">
        {opens?.isOffered && (
          <a class="button primary" href={`${href}?${new URLSearchParams({ do: 'open', ...call })}`}>
            <bdi>{opens.title}</bdi>
          </a>
        )}
        {answer.mayTry && (
          <Form action={objectHref('client', asked.id)!} hidden={{ csrf, do: 'try', path: asked.path }}>
            <button type="submit" class="button primary">
              {t('decision.tryAgain')}
            </button>
          </Form>
        )}
        {mayMute && !muted && <MuteButton {...form} />}
        <a class="button quiet" href={closeHref}>
          {t('effective.close')}
        </a>
      </div>
    </div>
  );
}

function factsOf(
  { because, off, denials, opens }: ShownAnswer,
  frame: FrameModel,
  t: Translate,
): readonly Fact[] {
  return [
    {
      name: t('effective.decidedBy'),
      value: (
        <bdi>
          <Said>{because}</Said>
        </bdi>
      ),
    },
    ...(off && !off.isEverywhere ? [{ name: t('effective.atMembers'), value: <Off {...off} /> }] : []),
    ...(off?.isEverywhere ? [{ name: t('decision.toOpenIt'), value: <OffEverywhere {...off} /> }] : []),
    ...(denials
      ? [{ name: t('common.refused'), value: <Denials {...denials} id="" now={frame.now} /> }]
      : []),
    ...(opens ? [{ name: t('decision.toOpenIt'), value: <Opening {...opens} /> }] : []),
    ...(opens?.passed === undefined
      ? []
      : [
          {
            name: t('decision.with', { given: opens.given }),
            value: t('decision.passed', { n: opens.passed, days: opens.days }),
          },
        ]),
  ];
}

/** Which members, and the setting of each. */
function Off({ members, group }: NonNullable<ShownAnswer['off']>) {
  return (
    <Text
      id="effective.groupOff"
      gaps={{
        members: <bdi>{members.join(', ')}</bdi>,
        setting: <GroupSettingText group={group} />,
      }}
    />
  );
}

function Opening({ given, what, command }: ShownOpening) {
  const scope = <bdi class="code">{given}</bdi>;
  return (
    <>
      {what === undefined ? (
        <Text id="effective.smallestRole" gaps={{ given: scope }} />
      ) : (
        <Text id="effective.smallestScope" gaps={{ given: scope, what }} />
      )}
      <AsCommand command={command} />
    </>
  );
}
