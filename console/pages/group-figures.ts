/** A figure for each page of a group, by what its reader may ask; none of these questions is one that the audit has. */
import { clusterStateOf, type ShownCluster } from '../../views/management/cluster/operations.tsx';
import { isNotRead, type NotRead } from '../../views/management/live/not-read.tsx';
import type { TextKey } from '../../views/texts/english.ts';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import { membersNow, runningJobs, waitingApprovals } from './figures-now.ts';
import type { ListAnswer } from './lists.ts';
import type { SharedReadings } from './live/shared-readings.ts';
import type { PageContext, PageTools } from './page-tools.ts';
import { readPart } from './read-part.ts';

interface Figure {
  readonly operation: string;
  readonly query?: Readonly<Record<string, string>>;
  /** @returns undefined where the answer says nothing */
  readonly said: (body: never, t: Translate) => string | undefined;
}

/** A member that hangs holds up no menu, milliseconds. */
const patienceMs = 1_500;

/** @returns by the page's address, those that could be had in time, or why not */
export async function figuresOf(
  ctx: PageContext,
  { mayRun }: Pick<PageTools, 'mayRun'>,
  ask: SharedReadings['now'],
  hrefs: readonly string[],
): Promise<ReadonlyMap<string, string | NotRead>> {
  const t = textFor(ctx);
  const wanted = hrefs.flatMap((href) => (Object.hasOwn(figures, href) ? [{ href, ...figures[href]! }] : []));
  const may = await mayRun(
    ctx,
    wanted.map(({ operation }) => operation),
  );
  const figuresBy = new Map<string, string | NotRead>();
  const asked = wanted
    .filter(({ operation }) => may.has(operation))
    .map(async ({ href, operation, query, said }) => {
      const body = await readPart(() =>
        ask<object>(ctx, operation, { ...(query && { query }), isBrief: true }),
      );
      const figure = isNotRead(body) ? body : said(body as never, t);
      if (figure !== undefined) figuresBy.set(href, figure);
    });
  await inTime(Promise.all(asked));
  return new Map(figuresBy);
}

function inTime(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

type Count = Pick<ListAnswer<unknown>, 'count'>;

/** `12`, or of very many `10,000+`. */
function counted({ count }: Count): { readonly n: number; readonly isExact: boolean } | undefined {
  return count === null ? undefined : { n: count.value, isExact: count.isExact };
}

/** @param list  its operation, or that with a filter */
function listed(list: string | Pick<Figure, 'operation' | 'query'>, key: PluralKey): Figure {
  return {
    ...(typeof list === 'string' ? { operation: list, query: { limit: '1' } } : list),
    said: (body: Count, t) => {
      const found = counted(body);
      if (found === undefined) return undefined;
      const text = t(key, { n: found.n });
      return found.isExact ? text : t('figures.orMore', { figure: text });
    },
  };
}

type PluralKey = Extract<
  TextKey,
  | 'figures.users'
  | 'figures.roles'
  | 'figures.clients'
  | 'figures.applications'
  | 'figures.providers'
  | 'figures.sessions'
  | 'figures.approvals'
  | 'figures.maps'
  | 'figures.queues'
  | 'figures.publishers'
  | 'figures.jobs'
>;

const figures: Readonly<Record<string, Figure>> = {
  '/cluster/members': {
    ...membersNow,
    said: (body: ListAnswer<{ readonly state: string }>, t) => {
      const { count, silent } = membersNow.read(body);
      const all = t('figures.members', { n: count });
      return silent === 0 ? all : t('figures.membersAndSilent', { all, n: silent });
    },
  },
  '/cluster/maps': listed('listMaps', 'figures.maps'),
  '/cluster/queues': listed('listQueues', 'figures.queues'),
  '/cluster/wan': listed('listWanPublishers', 'figures.publishers'),
  '/cluster/cp': {
    operation: 'readCp',
    said: ({ isAvailable, members }: { isAvailable: boolean; members: readonly unknown[] }, t) =>
      isAvailable ? t('figures.cpMembers', { n: members.length }) : t('figures.notAvailable'),
  },
  '/cluster/operations': {
    operation: 'readCluster',
    said: (cluster: ShownCluster, t) =>
      cluster.clusterState === null
        ? undefined
        : t('figures.state', { state: clusterStateOf(cluster, t).word }),
  },
  '/access/users': listed('listUsers', 'figures.users'),
  '/access/roles': listed('listRoles', 'figures.roles'),
  '/access/clients': listed(
    { operation: 'listClients', query: { limit: '1', kind: 'machine' } },
    'figures.clients',
  ),
  '/access/applications': listed('listApplications', 'figures.applications'),
  '/access/identity-providers': listed('listIdentityProviders', 'figures.providers'),
  '/access/sessions': listed('listSessions', 'figures.sessions'),
  '/access/approvals': listed(waitingApprovals, 'figures.approvals'),
  '/observe/traffic': {
    operation: 'readCalls',
    query: { minutes: '15' },
    said: ({ calls }: { calls: number }, t) => t('figures.calls', { n: calls }),
  },
  '/observe/health': {
    operation: 'readHealth',
    said: ({ findings }: { findings: readonly { state: string }[] }, t) =>
      t('figures.findings', { n: findings.filter(({ state }) => state !== 'ok').length }),
  },
  '/observe/jobs': listed(runningJobs, 'figures.jobs'),
};
