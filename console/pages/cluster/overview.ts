/** `/`: what is wrong, worst first, and what has happened lately. Each part is there for who may run its operation. */
import {
  memberKind,
  memberState,
  type ShownMember,
} from '../../../views/management/cluster/member-state.tsx';
import { clusterStateOf } from '../../../views/management/cluster/operations.tsx';
import {
  type ClusterNow,
  type EventRow,
  type FoundNow,
  type OverviewModel,
  overviewParts,
  renderOverview,
} from '../../../views/management/cluster/overview.tsx';
import type { MemberRow } from '../../../views/management/cluster/overview-members.tsx';
import type { FrameModel } from '../../../views/management/frame.tsx';
import { isNotRead } from '../../../views/management/live/not-read.tsx';
import { decisionHref, entryHref, type ShownEntry } from '../../../views/management/observe/audit.tsx';
import { eventName } from '../../../views/management/observe/event-name.ts';
import { mendingOperations } from '../../../views/management/observe/finding-place.ts';
import type { ShownHealth } from '../../../views/management/observe/health.tsx';
import { isJobId, jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import { jobTitle, type NamedJob } from '../../../views/management/observe/jobs/job-kinds.ts';
import { whyOf } from '../../../views/management/observe/reason.tsx';
import { startHref } from '../../../views/management/settings/start.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { ListAnswer } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import type { SharedReadings } from '../live/shared-readings.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { type AskedPlot, plotsOf } from '../plots.ts';
import { asPart, readPart } from '../read-part.ts';
import type { StartSteps } from '../settings/start-steps.ts';

const parts = ['readHealth', 'readTraffic', 'listMembers', 'readLatestEntries', 'readCluster'] as const;
const drainActs = ['drainMember', 'undrainMember'] as const;

/** @param accountPage  for who may open no management page */
export function createOverviewPage(
  tools: PageTools,
  accountPage: (ctx: PageContext) => Promise<void>,
  startSteps: Pick<StartSteps, 'remembered'>,
  readings: SharedReadings,
  now: () => number,
) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const may = await tools.mayRun(ctx, [...parts, ...drainActs]);
      if (!may.has('readTraffic')) return accountPage(ctx);
      const events = may.has('readLatestEntries') ? readPart(() => eventsOf(ctx)) : undefined;
      const [moving, latest] = await Promise.all([movingOf(ctx, may, readings.now), events]);
      const frame = await tools.frame(ctx);
      const steps = await stepsOf(ctx, frame);
      const both = isNotRead(latest) ? { denials: latest, changes: latest } : latest;
      tools.send(ctx, renderOverview({ frame, steps, csrf: tools.csrf(ctx), ...moving, ...both }));
    },
    /** What goes on while it is open: all but what leaves an entry in the audit when it is read. */
    async parts(ctx: PageContext): Promise<Parts> {
      const may = await tools.mayRun(ctx, [...parts, ...drainActs]);
      // The cluster alone is asked for at a member, for all pages that are open.
      const moving = await movingOf(ctx, may, readings.lately);
      return overviewParts({ frame: tools.reader(ctx), ...moving });
    },
  };

  async function movingOf(ctx: PageContext, may: ReadonlySet<string>, read: SharedReadings['now']) {
    const part = <Shown>(id: (typeof parts)[number], show: () => Promise<Shown>) =>
      may.has(id) ? readPart(show) : undefined;
    const [cluster, findings, numbers, members] = await Promise.all([
      part('readCluster', async () => clusterOf(ctx, await read<ClusterBody>(ctx, 'readCluster'))),
      part('readHealth', () => findingsOf(ctx)),
      part('readTraffic', () => plotsOf(ctx, tools, plots(textFor(ctx)), now)),
      part('listMembers', () => membersOf(ctx)),
    ]);
    return { cluster, findings, numbers, members, mayDrain: drainActs.every((act) => may.has(act)) };
  }

  /** Undefined for whom its page is not there, and when nothing is open any more. */
  async function stepsOf(ctx: PageContext, { groups }: FrameModel): Promise<OverviewModel['steps']> {
    if (!groups.some(({ pages }) => pages.some(({ href }) => href === startHref))) return undefined;
    const steps = await startSteps.remembered(ctx);
    return steps.some(({ state }) => state === 'open') ? steps : undefined;
  }

  function clusterOf(ctx: PageContext, body: ClusterBody): ClusterNow {
    const t = textFor(ctx);
    return {
      kind: body.clusterState === 'active' && body.isSafe ? 'ok' : 'warn',
      word: clusterStateOf(body, t).word,
      about: clusterText(body, t),
    };
  }

  async function findingsOf(ctx: PageContext): Promise<FoundNow> {
    const [{ body }, may] = await Promise.all([
      tools.run<ShownHealth>(ctx, 'readHealth'),
      tools.mayRun(ctx, mendingOperations),
    ]);
    const of = (state: string) => body.findings.filter((found) => found.state === state);
    return { findings: [...of('problem'), ...of('warning')], may };
  }

  async function membersOf(ctx: PageContext): Promise<readonly MemberRow[]> {
    const t = textFor(ctx);
    const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', { query: { limit: '50' } });
    return body.items.map((member) => ({
      id: member.id,
      type: memberKind(member, t),
      inFlight: member.inFlight,
      p99Ms: member.p99Ms,
      failedShare: member.failedShare,
      ...memberState(member, t),
    }));
  }

  async function eventsOf(ctx: PageContext) {
    const { body } = await tools.run<LatestEntries>(ctx, 'readLatestEntries');
    const jobs = await jobsOf(ctx, [...body.denials, ...body.changes]);
    const rowsOf = (entries: readonly ShownEntry[]) =>
      entries.map((entry) => rowOf(entry, jobs, textFor(ctx)));
    return { denials: rowsOf(body.denials), changes: rowsOf(body.changes) };
  }

  /** Those that entries name, as far as they are still there and the reader may see them. */
  async function jobsOf(ctx: PageContext, entries: readonly ShownEntry[]): Promise<Jobs> {
    const ids = [
      ...new Set(entries.flatMap(({ object }) => (object && isJobId(object.id) ? [object.id] : []))),
    ];
    if (ids.length === 0 || !(await tools.mayRun(ctx, ['readJob'])).has('readJob')) return new Map();
    const found = await Promise.all(
      ids.map((id) => asPart(() => tools.run<NamedJob>(ctx, 'readJob', { params: { job: id } }))),
    );
    return new Map(ids.flatMap((id, at) => (found[at] ? [[id, found[at].body]] : [])));
  }
}

type Jobs = ReadonlyMap<string, NamedJob>;

interface LatestEntries {
  readonly denials: readonly ShownEntry[];
  readonly changes: readonly ShownEntry[];
}

interface ClusterBody {
  readonly clusterState: string | null;
  readonly clusterVersion: string | null;
  readonly clusterSize: number | null;
  readonly isSafe: boolean | null;
  readonly migrationQueueSize: number | null;
}

function clusterText(
  { clusterVersion: version, clusterSize, isSafe, migrationQueueSize }: ClusterBody,
  t: Translate,
): string {
  const size =
    clusterSize === null ? t('overview.membersUnknown') : t('overview.membersOf', { n: clusterSize });
  const moving =
    migrationQueueSize === null
      ? t('overview.someOnTheirWay')
      : t('overview.onTheirWay', { n: migrationQueueSize });
  const safety = isSafe ? t('overview.allBackedUp') : moving;
  return version === null
    ? t('overview.cluster', { size, safety })
    : t('overview.clusterVersion', { size, version, safety });
}

const plots = (t: Translate): readonly AskedPlot[] => [
  {
    id: 'calls',
    title: t('common.calls'),
    unit: '/s',
    lines: [{ series: 'calls', name: t('common.calls') }],
  },
  {
    id: 'latency',
    title: t('overview.latency'),
    unit: ' ms',
    lines: [
      { series: 'callP50Ms', name: 'p50' },
      { series: 'callP99Ms', name: 'p99' },
    ],
  },
  {
    id: 'denied',
    title: t('overview.refusedAndFailed'),
    unit: '/s',
    lines: [
      { series: 'callsDenied', name: t('common.refused') },
      { series: 'callsFailed', name: t('common.failed') },
    ],
  },
  {
    id: 'tokens',
    title: t('overview.tokens'),
    unit: '/min',
    factor: 60,
    lines: [{ series: 'tokens', name: t('overview.tokens') }],
  },
];

/** Of a call what it was, `GET map orders`: a map and a queue may have the same name. */
function namedIn({ event, object, detail }: ShownEntry): string | undefined {
  if (event === 'member.call') {
    const called = object ? `${object.kind} ${object.id}` : detail?.path;
    return [detail?.method, called].filter((part) => typeof part === 'string').join(' ');
  }
  // The id of a job says nothing to anybody.
  return object && !isJobId(object.id) ? object.id : undefined;
}

function rowOf(entry: ShownEntry, jobs: Jobs, t: Translate): EventRow {
  const { id, createdAt, event, actor, object, decisionId, ...why } = entry;
  const what = [eventName(event, t), namedIn(entry)].filter(Boolean).join(', ');
  const job = object ? jobs.get(object.id) : undefined;
  return {
    id,
    at: new Date(createdAt),
    text: [what, whyOf(why, t)].filter(Boolean).join('. '),
    ...(job && { job: { title: jobTitle(job, t), href: jobHref(object!.id) } }),
    event,
    who: actor,
    href: decisionId === null ? entryHref(id) : decisionHref(decisionId),
  };
}
