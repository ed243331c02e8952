/** `/`: what is wrong, worst first, and what has happened lately. Each part is there for who may run its operation. */
import { memberKind, memberState, type ShownMember } from '../../../views/management/cluster/members.tsx';
import {
  type EventRow,
  type MemberRow,
  type OverviewModel,
  overviewParts,
  renderOverview,
} from '../../../views/management/cluster/overview.tsx';
import type { FrameModel } from '../../../views/management/frame.tsx';
import { decisionHref, entryHref, type ShownEntry } from '../../../views/management/observe/audit.tsx';
import type { ShownFinding } from '../../../views/management/observe/findings.tsx';
import type { ShownHealth } from '../../../views/management/observe/health.tsx';
import { startHref } from '../../../views/management/settings/start.tsx';
import type { ListAnswer } from '../lists.ts';
import type { Parts } from '../live/topics.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { type AskedPlot, asPart, plotsOf } from '../plots.ts';
import type { StartSteps } from '../settings/start-steps.ts';

const parts = ['readHealth', 'readTraffic', 'listMembers', 'readLatestEntries', 'readCluster'] as const;

/** @param accountPage  for who may open no management page */
export function createOverviewPage(
  tools: PageTools,
  accountPage: (ctx: PageContext) => Promise<void>,
  startSteps: Pick<StartSteps, 'remembered'>,
  now: () => number,
) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const may = await tools.mayRun(ctx, parts);
      if (!may.has('readTraffic')) return accountPage(ctx);
      const events = may.has('readLatestEntries') ? asPart(() => eventsOf(ctx)) : undefined;
      const [moving, latest] = await Promise.all([movingOf(ctx, may), events]);
      const frame = await tools.frame(ctx);
      const steps = await stepsOf(ctx, frame);
      tools.send(ctx, renderOverview({ frame, steps, ...moving, ...latest }));
    },
    /** What goes on while it is open: all but what leaves an entry in the audit when it is read. */
    async parts(ctx: PageContext): Promise<Parts> {
      const moving = await movingOf(ctx, await tools.mayRun(ctx, parts));
      return overviewParts({ frame: tools.reader(ctx), ...moving });
    },
  };

  async function movingOf(ctx: PageContext, may: ReadonlySet<string>) {
    const part = <Shown>(id: (typeof parts)[number], show: () => Promise<Shown>) =>
      may.has(id) ? asPart(show) : undefined;
    const [cluster, findings, numbers, members] = await Promise.all([
      part('readCluster', () => clusterOf(ctx)),
      part('readHealth', () => findingsOf(ctx)),
      part('readTraffic', () => plotsOf(ctx, tools, plots, now)),
      part('listMembers', () => membersOf(ctx)),
    ]);
    return { cluster, findings, numbers, members };
  }

  /** Undefined for whom its page is not there, and when nothing is open any more. */
  async function stepsOf(ctx: PageContext, { groups }: FrameModel): Promise<OverviewModel['steps']> {
    if (!groups.some(({ pages }) => pages.some(({ href }) => href === startHref))) return undefined;
    const steps = await startSteps.remembered(ctx);
    return steps.some(({ state }) => state === 'open') ? steps : undefined;
  }

  async function clusterOf(ctx: PageContext): Promise<OverviewModel['cluster']> {
    const { body } = await tools.run<ClusterBody>(ctx, 'readCluster');
    const { clusterState, clusterVersion, clusterSize, isSafe, migrationQueueSize } = body;
    const size = clusterSize === 1 ? 'One member' : `${clusterSize ?? 'An unknown number of'} members`;
    const safety = isSafe
      ? 'all data has its backups'
      : `${migrationQueueSize ?? 'some'} partitions are on their way`;
    return {
      kind: clusterState === 'active' && isSafe ? 'ok' : 'warn',
      word: clusterState === null ? 'Unknown' : clusterState.charAt(0).toUpperCase() + clusterState.slice(1),
      about: `${size}${clusterVersion === null ? '' : `, version ${clusterVersion}`}; ${safety}.`,
    };
  }

  async function findingsOf(ctx: PageContext): Promise<readonly ShownFinding[]> {
    const { body } = await tools.run<ShownHealth>(ctx, 'readHealth');
    const of = (state: string) => body.findings.filter((found) => found.state === state);
    return [...of('problem'), ...of('warning')];
  }

  async function membersOf(ctx: PageContext): Promise<readonly MemberRow[]> {
    const { body } = await tools.run<ListAnswer<ShownMember>>(ctx, 'listMembers', { query: { limit: '50' } });
    return body.items.map((member) => ({
      id: member.id,
      type: memberKind(member),
      inFlight: member.inFlight,
      ...memberState(member),
    }));
  }

  async function eventsOf(ctx: PageContext): Promise<Pick<OverviewModel, 'denials' | 'changes'>> {
    const { body } = await tools.run<LatestEntries>(ctx, 'readLatestEntries');
    return { denials: body.denials.map(rowOf), changes: body.changes.map(rowOf) };
  }
}

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

const plots: readonly AskedPlot[] = [
  { id: 'calls', title: 'Calls', unit: '/s', lines: [{ series: 'calls', name: 'Calls' }] },
  {
    id: 'latency',
    title: 'Latency',
    unit: ' ms',
    lines: [
      { series: 'callP50Ms', name: 'p50' },
      { series: 'callP99Ms', name: 'p99' },
    ],
  },
  {
    id: 'denied',
    title: 'Refused and failed',
    unit: '/s',
    lines: [
      { series: 'callsDenied', name: 'Refused' },
      { series: 'callsFailed', name: 'Failed' },
    ],
  },
  { id: 'tokens', title: 'Tokens', unit: '/min', factor: 60, lines: [{ series: 'tokens', name: 'Tokens' }] },
];

function rowOf({ id, createdAt, event, actor, object, reason, missing, decisionId }: ShownEntry): EventRow {
  const what = [event, object?.id, missing ?? reason].filter(Boolean).join(', ');
  return {
    id,
    at: new Date(createdAt),
    text: what,
    who: actor,
    href: decisionId === null ? entryHref(id) : decisionHref(decisionId),
  };
}
