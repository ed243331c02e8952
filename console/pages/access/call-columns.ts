/** The calls to the members in the columns that one looks at, out of the matrix of all endpoints. */

import type { OpenCalls } from '../../../views/management/access/user-access.tsx';
import type { Translate, WordKey } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** As the admin API has it. */
export interface Matrix {
  readonly members: readonly { readonly name: string }[];
  readonly subjects: readonly { readonly name: string }[];
  readonly endpoints: readonly MatrixEndpoint[];
}

export interface MatrixEndpoint {
  readonly methods: readonly string[];
  readonly path: string;
  readonly permission: string;
  readonly access: Readonly<Record<string, MatrixCell>>;
}

export interface MatrixCell {
  readonly outcome: 'allowed' | 'partly' | 'refused';
  /** Of the maps or queues. */
  readonly names?: readonly string[];
  /** Members where the group is off, so that nobody gets an answer there. */
  readonly groupOffAt?: readonly string[];
}

/** What of a kind of calls one caller may do. */
export interface ColumnCell {
  readonly outcome: 'allowed' | 'partly' | 'refused';
  /** Of the maps or queues; of groups, which calls it may. */
  readonly names: readonly string[];
  readonly offAt: readonly string[];
}

export interface CallColumn {
  /** In an address: `map:read`. */
  readonly id: string;
  readonly group: string;
  readonly action: string;
  /** A call of the column, to ask about. */
  readonly example: { readonly method: string; readonly path: string };
}

interface Column extends Omit<CallColumn, 'group' | 'action'> {
  readonly group: WordKey;
  readonly action: WordKey;
  readonly takes: (endpoint: MatrixEndpoint) => boolean;
}

const groups = [
  { group: 'common.cluster', name: 'cluster' },
  { group: 'grants.health', name: 'health' },
  { group: 'effective.wan', name: 'wan' },
  { group: 'effective.cp', name: 'cp' },
  { group: 'grants.persistence', name: 'persistence' },
] as const;

const actionWords = { read: 'grants.read', write: 'grants.write' } as const;

/** By permission, but for maps and queues, whose calls are told apart by address and method. */
const columns: readonly Column[] = [
  ...groups.slice(0, 2).flatMap(ofGroup),
  ofStructures('common.maps', 'grants.read', '/maps/', ['GET'], 'GET', '/svc/rest/maps/a-map/a-key'),
  ofStructures('common.maps', 'grants.write', '/maps/', ['POST'], 'POST', '/svc/rest/maps/a-map/a-key'),
  ofStructures(
    'common.queues',
    'grants.size',
    '/queues/{queueName}/size',
    ['GET'],
    'GET',
    '/svc/rest/queues/a-queue/size',
  ),
  ofStructures('common.queues', 'grants.offer', '/queues/', ['POST'], 'POST', '/svc/rest/queues/a-queue'),
  ofStructures(
    'common.queues',
    'grants.poll',
    '/queues/',
    ['DELETE'],
    'DELETE',
    '/svc/rest/queues/a-queue/1',
  ),
  ...groups.slice(2).flatMap(ofGroup),
];

function ofGroup({ group, name }: (typeof groups)[number]): readonly Column[] {
  return (['read', 'write'] as const).map((action) => ({
    id: `${name}:${action}`,
    group,
    action: actionWords[action],
    example: { method: 'GET', path: '' },
    takes: ({ permission }: MatrixEndpoint) => permission === `svc:${name}:${action}`,
  }));
}

function ofStructures(
  group: WordKey,
  action: WordKey,
  part: string,
  methods: readonly string[],
  method: string,
  path: string,
): Column {
  return {
    id: `${group.slice('common.'.length, -1)}:${action.slice('grants.'.length)}`,
    group,
    action,
    example: { method, path },
    takes: (endpoint) =>
      endpoint.path.includes(part) && methods.some((one) => endpoint.methods.includes(one)),
  };
}

/** Those of which the matrix has calls, each with one that can be asked about. */
export function columnsOf(endpoints: readonly MatrixEndpoint[], t: Translate): readonly CallColumn[] {
  return columns.flatMap(({ id, takes, group, action, example }) => {
    const first = endpoints.find(takes);
    if (!first) return [];
    const own = { method: first.methods[0]!, path: withoutNames(first.path) };
    return [{ id, group: t(group), action: t(action), example: example.path === '' ? own : example }];
  });
}

/** Of all kinds of calls, for a filter. */
export function callOptions(t: Translate): readonly { readonly value: string; readonly label: string }[] {
  return columns.map(({ id, group, action }) => ({ value: id, label: `${t(group)} ${t(action)}` }));
}

/** In the order of {@link columnsOf}. */
export function cellsOf(endpoints: readonly MatrixEndpoint[], subject: string): readonly ColumnCell[] {
  return columns.flatMap(({ takes }) => {
    const own = endpoints.filter(takes).flatMap(({ access }) => access[subject] ?? []);
    return own.length === 0 ? [] : [joined(own)];
  });
}

/** What of all that is open to a person, in short. */
export async function openCallsOf(
  tools: PageTools,
  ctx: PageContext,
  who: { readonly user: string } | { readonly role: string },
): Promise<readonly OpenCalls[]> {
  const t = textFor(ctx);
  const { body } = await tools.run<Matrix>(ctx, 'readAccessMatrix', { query: who });
  const cells = cellsOf(body.endpoints, 'user' in who ? who.user : who.role);
  const byGroup = new Map<string, OpenCalls['actions'][number][]>();
  for (const [i, { group, action }] of columnsOf(body.endpoints, t).entries()) {
    const { outcome, names, offAt } = cells[i]!;
    if (outcome === 'refused') continue;
    const isOfAll = names.includes('*');
    const open = {
      action,
      names: isOfAll ? [] : names,
      isSome: outcome === 'partly' && !isOfAll,
      isOff: offAt.length > 0 && offAt.length === body.members.length,
    };
    byGroup.set(group, [...(byGroup.get(group) ?? []), open]);
  }
  return [...byGroup].map(([group, actions]) => ({ group, actions }));
}

/** All calls of a column, unless some are open and others not. */
function joined(cells: readonly MatrixCell[]): ColumnCell {
  const offAt = [...new Set(cells.flatMap(({ groupOffAt = [] }) => groupOffAt))];
  const isAll = (outcome: MatrixCell['outcome']) => cells.every((cell) => cell.outcome === outcome);
  const names = [...new Set(cells.flatMap((cell) => cell.names ?? []))];
  if (isAll('allowed')) return { outcome: 'allowed', names: [], offAt };
  return { outcome: isAll('refused') ? 'refused' : 'partly', names, offAt };
}

/** What stands for a name in a template is one like any other. */
function withoutNames(path: string): string {
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, 'any');
}
