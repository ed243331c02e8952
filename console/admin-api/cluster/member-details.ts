/** `/api/v1/members/{member}/details`: what one member says of itself. Each part is asked for alone, and what is not said is not known. */
import { z } from 'zod';
import type { EndpointGroup } from '../../../platform/endpoint-groups.ts';
import { ProblemError } from '../../../platform/errors.ts';
import type { MemberCall } from '../../../platform/member-call.ts';
import { mayRun } from '../../operations/access-check.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { type ClusterNeeds, memberName, mostShownBytes, objectIn } from './member-calls.ts';

interface DetailNeeds extends ClusterNeeds {
  readonly memberStates: {
    /** Throws {@link ProblemError} `not_found`. */
    get(name: string): {
      readonly id: string;
      readonly state: 'in' | 'out' | 'unknown';
      readonly groups: Readonly<Record<EndpointGroup, boolean>>;
    };
  };
  readonly sentConfig: { read(): Promise<ReadonlyMap<string, string | null>> };
  readonly roles: { permissionsOf: Parameters<typeof mayRun>[2]['permissionsOf'] };
}

type Said = Readonly<Record<string, unknown>>;

const count = z.number().int().nonnegative();
const parts = ['cluster', 'instance', 'nodes', 'memberList', 'health'] as const;
type PartName = (typeof parts)[number];
const detailsView = view({
  member: z.string().meta({ description: '`host:port`.', example: '10.0.0.1:5701' }),
  connections: z
    .strictObject({
      clients: count.nullable().meta({
        description:
          'Of clients and of this interface; where REST has a listener of its own, those of clients alone.',
      }),
      all: count.nullable().meta({ description: 'Those to other members too.' }),
    })
    .nullable(),
  sees: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Addresses of the members of its cluster, as it sees them, the master first.' }),
  instance: z.string().nullable().meta({ description: 'The name of its instance.' }),
  build: z.string().nullable().meta({ description: 'Version of its build.', example: '5.5.0' }),
  java: z.string().nullable().meta({ description: 'Version of its runtime.' }),
  nodeState: z.string().nullable().meta({ example: 'ACTIVE' }),
  migrationQueueSize: count.nullable(),
  memberList: z
    .array(z.string())
    .nullable()
    .meta({ description: 'By its configuration, where it looks for others by TCP/IP.' }),
  sentSections: z
    .array(z.string())
    .nullable()
    .meta({
      description:
        'Sections of the configuration that members were given from here, without what is in them; null for who may not know.',
      example: ['map orders'],
    }),
  unknown: z
    .array(z.strictObject({ part: z.enum(parts), reason: z.string() }))
    .meta({ description: 'What the member did not say, and why.' }),
}).meta({ id: 'MemberDetails' });

/** What a part is asked by, and the group that it is of. */
const calls: Readonly<Record<PartName, Omit<MemberCall, 'member'> & { readonly group: EndpointGroup }>> = {
  cluster: { method: 'GET', path: '/rest/cluster', group: 'CLUSTER_READ' },
  instance: { method: 'GET', path: '/rest/instance', group: 'CLUSTER_READ' },
  nodes: {
    method: 'POST',
    path: '/rest/management/cluster/nodes',
    positionalValues: [],
    group: 'CLUSTER_READ',
  },
  memberList: { method: 'GET', path: '/rest/config/tcp-ip/member-list', group: 'CLUSTER_READ' },
  health: { method: 'GET', path: '/health', group: 'HEALTH_CHECK' },
};

export const memberDetailOperations: readonly Operation<DetailNeeds>[] = [
  operation({
    id: 'readMemberDetails',
    method: 'GET',
    path: '/members/{member}/details',
    summary:
      'Shows what a member says of itself: connections, versions, and what of its configuration it tells.',
    description:
      'Members give little of their configuration by REST. What one does not say is null here, and `unknown` says why.',
    access: 'read',
    params: z.strictObject({ member: memberName }),
    answer: detailsView,
    async run({ params: { member }, actor }, needs: DetailNeeds) {
      const state = needs.memberStates.get(member);
      const answers = await Promise.all(parts.map((part) => ask(part, state, needs)));
      const said = Object.fromEntries(answers.map(({ part, said: of }) => [part, of])) as SaidByPart;
      const inspect = { object: 'operations', access: 'inspect' } as const;
      const mayKnow = actor.kind === 'local' || mayRun(inspect, actor, needs.roles);
      return {
        body: {
          member: state.id,
          ...detailsOf(said),
          sentSections: mayKnow ? [...(await needs.sentConfig.read()).keys()].sort() : null,
          unknown: answers.flatMap(({ part, reason }) => (reason === undefined ? [] : [{ part, reason }])),
        },
      };
    },
  }),
];

type SaidByPart = Readonly<Record<PartName, Said>>;

interface Answer {
  readonly part: PartName;
  readonly said: Said;
  /** Why nothing is. */
  readonly reason?: string;
}

async function ask(
  part: PartName,
  { id, state, groups }: ReturnType<DetailNeeds['memberStates']['get']>,
  { askMember }: ClusterNeeds,
): Promise<Answer> {
  const { group, ...call } = calls[part];
  // One that is away would hold up whoever looks at it.
  if (state !== 'in') return { part, said: {}, reason: 'The member does not answer.' };
  if (!groups[group]) return { part, said: {}, reason: `The endpoint group ${group} is off there.` };
  try {
    return { part, said: objectIn(await askMember({ ...call, member: id, mostBytes: mostShownBytes })) };
  } catch (error) {
    if (error instanceof ProblemError) return { part, said: {}, reason: error.message };
    throw error;
  }
}

/** Whatever is of another form than it should be is not known. */
function detailsOf({ cluster, instance, nodes, memberList, health }: SaidByPart) {
  const [clients, all] = [countIn(cluster.connectionCount), countIn(cluster.allConnectionCount)];
  const [, build, java] = textIn(nodes.response)?.split('\n') ?? [];
  return {
    connections: clients === null && all === null ? null : { clients, all },
    sees: Array.isArray(cluster.members) ? textsIn(cluster.members.map(addressOf)) : null,
    instance: textIn(instance.name),
    build: textIn(build),
    java: textIn(java),
    nodeState: textIn(health.nodeState),
    migrationQueueSize: countIn(health.migrationQueueSize),
    memberList: Array.isArray(memberList['member-list']) ? textsIn(memberList['member-list']) : null,
  };
}

const mostListed = 1000;
const longestText = 500;

function countIn(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, longestText) : null;
}

function textsIn(values: readonly unknown[]): readonly string[] {
  return values.slice(0, mostListed).flatMap((value) => textIn(value) ?? []);
}

/** `[host]:port`, or as the member writes it. */
function addressOf(member: unknown): unknown {
  const { address } = (member ?? {}) as { readonly address?: unknown };
  return typeof address === 'string' ? address.replace(/^\[([^\]:]+)\]/, '$1') : undefined;
}
