/** What is wrong and what has happened lately: where an administrator begins. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { type Actor, Who } from '../history/named.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import { isNotRead, type LiveParts, type NotRead, NotReadPart } from '../live/not-read.tsx';
import type { ShownFinding } from '../observe/finding-place.ts';
import { Findings } from '../observe/findings.tsx';
import { Periods, type PeriodsModel } from '../periods.tsx';
import { type PlotModel, Plots } from '../plot.tsx';
import { type ShownStep, StartLine } from '../settings/start.tsx';
import { State, type StateKind } from '../state.tsx';
import { DrainForm, type MemberRow, Members } from './overview-members.tsx';

export interface OverviewModel {
  readonly frame: FrameModel;
  /** The cluster as a whole. */
  readonly cluster?: ClusterNow | NotRead | undefined;
  /** Of the first ten minutes; undefined when nothing is open. */
  readonly steps?: readonly ShownStep[] | undefined;
  /** Undefined where the reader may not see it, as everything below. */
  readonly findings?: FoundNow | NotRead | undefined;
  readonly numbers?: Numbers | NotRead | undefined;
  readonly members?: readonly MemberRow[] | NotRead | undefined;
  readonly mayDrain: boolean;
  readonly denials?: readonly EventRow[] | NotRead | undefined;
  readonly changes?: readonly EventRow[] | NotRead | undefined;
  readonly csrf: string;
}

export interface ClusterNow {
  readonly kind: StateKind;
  readonly word: string;
  readonly about: string;
}

export interface OverviewPartsModel
  extends Pick<OverviewModel, 'cluster' | 'findings' | 'numbers' | 'members' | 'mayDrain'> {
  readonly frame: Pick<FrameModel, 'groups' | 'presentation' | 'now'>;
}

export interface FoundNow {
  readonly findings: readonly ShownFinding[];
  /** What the reader may do about them. */
  readonly may: ReadonlySet<string>;
}

export interface Numbers extends PeriodsModel {
  readonly plots: readonly PlotModel[];
}

export interface EventRow {
  readonly id: string;
  readonly at: Date;
  readonly text: string;
  /** What has been done to a job, or come of one: that job, in words. */
  readonly job?: { readonly title: string; readonly href: string } | undefined;
  /** Its code. */
  readonly event: string;
  readonly who: Actor | null;
  /** What is known of it. */
  readonly href: string;
}

export function renderOverview(model: OverviewModel): string {
  return renderDocument(<Overview {...model} />, model.frame.presentation);
}

function Overview(model: OverviewModel) {
  const t = useText();
  const { frame, steps, cluster, findings, numbers, members, mayDrain, denials, changes } = model;
  return (
    <ManagementPage
      frame={frame}
      title={t('common.overview')}
      state={cluster && <ClusterState cluster={cluster} />}
      acts={<Live />}
    >
      {cluster && (
        <p class="lede">
          <ClusterAbout cluster={cluster} />
        </p>
      )}
      {steps && <StartLine steps={steps} />}
      {findings && <Attention frame={frame} found={findings} />}
      {numbers && <NumbersPart {...numbers} />}
      {members && <Members members={members} mayDrain={mayDrain} />}
      {mayDrain && <DrainForm members={members} csrf={model.csrf} />}
      {denials && (
        <Events
          id="denials"
          allHref="/observe/audit?outcome=denied"
          title={t('overview.refusals')}
          empty={t('overview.noRefusals')}
          rows={denials}
          now={frame.now}
        />
      )}
      {changes && (
        <Events
          id="changes"
          allHref="/observe/audit?changes=true"
          title={t('overview.changes')}
          empty={t('overview.noChanges')}
          rows={changes}
          now={frame.now}
        />
      )}
    </ManagementPage>
  );
}

/** What goes on while the page is open. */
export function overviewParts({ frame, mayDrain, ...shown }: OverviewPartsModel): LiveParts {
  const { cluster, findings, numbers, members } = shown;
  const { presentation } = frame;
  return {
    ...(cluster && {
      'cluster-state': renderPart(<ClusterState cluster={cluster} />, presentation),
      'cluster-about': isNotRead(cluster)
        ? cluster
        : renderPart(<ClusterAbout cluster={cluster} />, presentation),
    }),
    ...(findings && {
      attention: isNotRead(findings)
        ? findings
        : renderPart(<Attention frame={frame} found={findings} />, presentation),
    }),
    ...(numbers && {
      numbers: isNotRead(numbers) ? numbers : renderPart(<NumbersPart {...numbers} />, presentation),
    }),
    ...(members && {
      members: isNotRead(members)
        ? members
        : renderPart(<Members members={members} mayDrain={mayDrain} />, presentation),
    }),
  };
}

interface ClusterProps {
  readonly cluster: ClusterNow | NotRead;
}

/** In a word; of one that could not be asked nothing is said. */
function ClusterState({ cluster }: ClusterProps) {
  return (
    <span id="cluster-state" data-part="">
      {!isNotRead(cluster) && <State kind={cluster.kind}>{cluster.word}</State>}
    </span>
  );
}

function ClusterAbout({ cluster }: ClusterProps) {
  return (
    <span id="cluster-about" data-part="">
      {isNotRead(cluster) ? (
        <Text id="overview.clusterNotRead" gaps={{ why: <Said>{cluster.notRead}</Said> }} />
      ) : (
        cluster.about
      )}
    </span>
  );
}

interface AttentionProps extends Pick<OverviewPartsModel, 'frame'> {
  readonly found: FoundNow | NotRead;
}

function Attention({ found, frame }: AttentionProps) {
  const t = useText();
  if (isNotRead(found)) return <NotReadPart id="attention" title={t('common.healthCheck')} {...found} />;
  const { findings, may } = found;
  const open = new Set(frame.groups.flatMap(({ pages }) => pages.map(({ href }) => href)));
  return (
    <Part
      id="attention"
      title={
        findings.length === 0 ? t('overview.fine') : t('overview.needsAttention', { n: findings.length })
      }
      acts={<a href="/observe/health">{t('common.healthCheck')}</a>}
    >
      {findings.length > 0 && <Findings findings={findings} open={open} may={may} now={frame.now} isShort />}
    </Part>
  );
}

function NumbersPart(numbers: Numbers | NotRead) {
  const t = useText();
  if (isNotRead(numbers)) return <NotReadPart id="numbers" title={t('common.traffic')} {...numbers} />;
  const { plots, ...periods } = numbers;
  return (
    <Part id="numbers" title={t('common.traffic')} acts={<Periods {...periods} />}>
      <Plots plots={plots} />
    </Part>
  );
}

interface EventsProps {
  readonly id: string;
  /** Where all of them are. */
  readonly allHref: string;
  readonly title: string;
  readonly empty: string;
  readonly rows: readonly EventRow[] | NotRead;
  readonly now: Date;
}

function Events({ id, allHref, title, empty, rows, now }: EventsProps) {
  const t = useText();
  if (isNotRead(rows)) return <NotReadPart id={id} title={title} {...rows} />;
  return (
    <Part id={id} title={title} acts={<a href={allHref}>{t('overview.all')}</a>}>
      {rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <Table
          title={title}
          columns={[
            { title: t('overview.what') },
            { title: t('overview.who') },
            { title: t('overview.when') },
          ]}
          rows={rows.map((row) => ({
            key: row.id,
            cells: [
              <What key="what" {...row} />,
              <Who key="who" actor={row.who} event={row.event} />,
              <Ago key="at" at={row.at} now={now} />,
            ],
          }))}
        />
      )}
    </Part>
  );
}

function What({ href, event, text, job }: EventRow) {
  return (
    <span>
      <a href={href} title={event}>
        <bdi>{text}</bdi>
      </a>
      {job && (
        <>
          {': '}
          <a href={job.href}>
            <bdi>{job.title}</bdi>
          </a>
        </>
      )}
    </span>
  );
}
