/** How the cluster is, and what may be done to it, as far as members tell before it is tried. */
import { z } from 'zod';
import type { EndpointGroup } from '../../../platform/endpoint-groups.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { MemberCall } from '../../../platform/member-call.ts';
import { view } from '../../operations/resource-fields.ts';
import { type ClusterNeeds, objectIn } from './member-calls.ts';

export interface MemberListNeeds {
  readonly memberStates: {
    list(): readonly {
      readonly id: string;
      readonly state: 'in' | 'out' | 'unknown';
      readonly isDrained: boolean;
      readonly groups: Readonly<Record<EndpointGroup, boolean>>;
    }[];
  };
}

export const settableStates = ['active', 'no_migration', 'frozen', 'passive'] as const;
export type ClusterState = (typeof settableStates)[number] | 'in_transition';

/** Each by the endpoint group that it takes. */
const operationGroups = {
  state: 'CLUSTER_WRITE',
  version: 'CLUSTER_WRITE',
  reload: 'CLUSTER_WRITE',
  config: 'CLUSTER_WRITE',
  licence: 'CLUSTER_WRITE',
  shutdown: 'CLUSTER_WRITE',
  'hot-backup': 'PERSISTENCE',
  'hot-backup-interrupt': 'PERSISTENCE',
  'force-start': 'PERSISTENCE',
  'partial-start': 'PERSISTENCE',
} as const satisfies Readonly<Record<string, EndpointGroup>>;

const known = 'null: no member tells.';
export const clusterView = view({
  clusterState: z
    .enum([...settableStates, 'in_transition'])
    .nullable()
    .meta({ description: known, example: 'active' }),
  clusterVersion: z.string().nullable().meta({ description: known, example: '5.5' }),
  instanceName: z
    .string()
    .nullable()
    .meta({ description: `Of the member that was asked; ${known}` }),
  isSafe: z
    .boolean()
    .nullable()
    .meta({ description: `Whether backups are in sync and nothing migrates; ${known}` }),
  migrationQueueSize: z.number().int().nullable().meta({ description: known }),
  clusterSize: z.number().int().nullable().meta({ description: known }),
  may: z
    .array(
      view({
        operation: z.enum(Object.keys(operationGroups) as [keyof typeof operationGroups]),
        isPossible: z.boolean(),
        reason: z.string().nullable().meta({ description: 'Why not.' }),
      }),
    )
    .meta({ description: 'What may be done now, as far as that is known before it is tried.' }),
}).meta({ id: 'Cluster' });

export type Cluster = z.infer<typeof clusterView>;

export async function readCluster(needs: ClusterNeeds & MemberListNeeds): Promise<Cluster> {
  const [state, version, instance, health] = await Promise.all([
    answerOf(needs, { method: 'POST', path: '/rest/management/cluster/state', positionalValues: [] }),
    answerOf(needs, { method: 'GET', path: '/rest/management/cluster/version' }),
    answerOf(needs, { method: 'GET', path: '/rest/instance' }),
    answerOf(needs, { method: 'GET', path: '/health' }),
  ]);
  const clusterState = stateIn(state?.state) ?? stateIn(health?.clusterState);
  return {
    clusterState: clusterState ?? null,
    clusterVersion: typeof version?.version === 'string' ? version.version : null,
    instanceName: typeof instance?.name === 'string' ? instance.name : null,
    isSafe: typeof health?.clusterSafe === 'boolean' ? health.clusterSafe : null,
    migrationQueueSize: numberIn(health?.migrationQueueSize),
    clusterSize: numberIn(health?.clusterSize),
    may: whatMay(needs, clusterState),
  };
}

/** @returns undefined where no member tells: its group is off, it is not there, or it rejects the question */
async function answerOf(
  { askMember }: ClusterNeeds,
  call: MemberCall,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return objectIn(await askMember(call));
  } catch (error) {
    if (error instanceof ProblemError && !crashes.has(error.problem.code)) return undefined;
    throw error;
  }
}

const crashes: ReadonlySet<string> = new Set([problems.serverError.code, problems.invalidRequest.code]);

function stateIn(text: unknown): ClusterState | undefined {
  const name = typeof text === 'string' ? text.toLowerCase() : '';
  return [...settableStates, 'in_transition' as const].find((one) => one === name);
}

function numberIn(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

function whatMay({ memberStates }: MemberListNeeds, state: ClusterState | undefined): Cluster['may'] {
  const takers = memberStates.list().filter(({ isDrained }) => !isDrained);
  return (Object.keys(operationGroups) as (keyof typeof operationGroups)[]).map((operation) => {
    const group = operationGroups[operation];
    const reason = whyNot(takers, group, operation === 'state' && state === 'in_transition');
    return { operation, isPossible: reason === null, reason };
  });
}

function whyNot(
  takers: ReturnType<MemberListNeeds['memberStates']['list']>,
  group: EndpointGroup,
  isMoving: boolean,
): string | null {
  if (!takers.some(({ state }) => state === 'in')) return 'No member that takes calls answers.';
  if (!takers.some(({ groups }) => groups[group])) {
    return `The endpoint group ${group} is off at every member (network.rest-api.endpoint-groups.${group}.enabled).`;
  }
  return isMoving ? 'Another change of the state is under way.' : null;
}
