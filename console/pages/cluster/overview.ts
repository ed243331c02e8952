/** `/`: what is wrong, worst first, and what has happened lately. Each part is there for who may run its operation. */
import { ProblemError } from '../../../platform/errors.ts';
import { memberKind, memberState, type ShownMember } from '../../../views/management/cluster/members.tsx';
import {
  type EventRow,
  type MemberRow,
  type Numbers,
  type OverviewModel,
  renderOverview,
} from '../../../views/management/cluster/overview.tsx';
import { decisionHref, entryHref } from '../../../views/management/observe/audit.tsx';
import type { ShownFinding } from '../../../views/management/observe/findings.tsx';
import type { ShownHealth } from '../../../views/management/observe/health.tsx';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const parts = ['readHealth', 'readTraffic', 'listMembers', 'listAuditEntries', 'readCluster'] as const;

/** @param accountPage  for who may open no management page */
export function createOverviewPage(
  tools: PageTools,
  accountPage: (ctx: PageContext) => Promise<void>,
  now: () => number,
) {
  return async (ctx: PageContext): Promise<void> => {
    const may = await tools.mayRun(ctx, parts);
    if (!may.has('readTraffic')) return accountPage(ctx);
    const part = <Shown>(id: (typeof parts)[number], show: () => Promise<Shown>) =>
      may.has(id) ? show().catch(asMissing) : undefined;
    const [cluster, findings, numbers, members, events] = await Promise.all([
      part('readCluster', () => clusterOf(ctx)),
      part('readHealth', () => findingsOf(ctx)),
      part('readTraffic', () => numbersOf(ctx)),
      part('listMembers', () => membersOf(ctx)),
      part('listAuditEntries', () => eventsOf(ctx)),
    ]);
    const frame = await tools.frame(ctx);
    tools.send(ctx, renderOverview({ frame, cluster, findings, numbers, members, ...events }));
  };

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

  async function numbersOf(ctx: PageContext): Promise<Numbers> {
    const asked = periods.find(({ id }) => id === ctx.state.form.get('period')) ?? periods[1];
    const query = {
      series: shownSeries.map(({ series }) => series).join(','),
      since: new Date(now() - asked.seconds * 1000).toISOString(),
      points: '120',
    };
    const { body } = await tools.run<TrafficBody>(ctx, 'readTraffic', { query });
    return {
      period: asked.label,
      periods: periods.map(({ id, label }) => ({ label, href: id === '1h' ? '/' : `/?period=${id}` })),
      values: shownSeries.map(({ series, name, unit, factor = 1 }) => {
        const { mean = [], most = [] } = body.series.find((one) => one.name === series) ?? {};
        const said = (value: number | undefined) =>
          value === undefined ? '–' : `${rounded(value * factor)}${unit}`;
        const known = most.filter((value) => value !== null);
        return {
          name,
          now: said(mean.findLast((value) => value !== null) ?? undefined),
          most: said(known.length === 0 ? undefined : Math.max(...known)),
        };
      }),
    };
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
    const { body } = await tools.run<ListAnswer<AuditItem>>(ctx, 'listAuditEntries', {
      query: { limit: '200' },
    });
    const rows = (isMeant: (entry: AuditItem) => boolean): readonly EventRow[] =>
      body.items.filter(isMeant).slice(0, 5).map(rowOf);
    return {
      denials: rows(({ outcome }) => outcome === 'denied'),
      changes: rows(({ change, outcome }) => change !== null && outcome === 'success'),
    };
  }
}

interface ClusterBody {
  readonly clusterState: string | null;
  readonly clusterVersion: string | null;
  readonly clusterSize: number | null;
  readonly isSafe: boolean | null;
  readonly migrationQueueSize: number | null;
}

interface TrafficBody {
  readonly series: readonly {
    readonly name: string;
    readonly mean: readonly (number | null)[];
    readonly most: readonly (number | null)[];
  }[];
}

interface AuditItem {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: { readonly id: string } | null;
  readonly object: { readonly kind: string; readonly id: string } | null;
  readonly change: object | null;
  readonly reason: string | null;
  readonly missing: string | null;
  readonly decisionId: string | null;
}

/** A part that cannot be had leaves its place empty, and the others as they are. */
function asMissing(error: unknown): undefined {
  if (error instanceof ProblemError) return undefined;
  throw error;
}

const periods = [
  { id: '15min', label: '15 min', seconds: 900 },
  { id: '1h', label: '1 h', seconds: 3600 },
  { id: '24h', label: '24 h', seconds: 86_400 },
] as const;

interface ShownSeries {
  readonly series: string;
  readonly name: string;
  readonly unit: string;
  readonly factor?: number;
}

const shownSeries: readonly ShownSeries[] = [
  { series: 'calls', name: 'Calls', unit: '/s' },
  { series: 'callP99Ms', name: 'Latency p99', unit: ' ms' },
  { series: 'callsDenied', name: 'Refused', unit: '/s' },
  { series: 'tokens', name: 'Tokens', unit: '/min', factor: 60 },
];

const grouped = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function rounded(value: number): string {
  return grouped.format(value);
}

function rowOf({ id, createdAt, event, actor, object, reason, missing, decisionId }: AuditItem): EventRow {
  const what = [event, object?.id, missing ?? reason].filter(Boolean).join(', ');
  return {
    id,
    at: new Date(createdAt),
    text: what,
    who: actor?.id ?? 'Nobody known',
    href: decisionId === null ? entryHref(id) : decisionHref(decisionId),
  };
}
