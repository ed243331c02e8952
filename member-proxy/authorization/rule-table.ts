import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import type { PositionalFields } from '../forwarding/positional-body.ts';
import type { Permission, StructureNeed } from './permissions.ts';

/** One row of the policy: these methods on this path need this permission. */
export interface Rule {
  readonly methods: readonly string[];
  /** `{name}` stands for one path segment, `{name...}` for the rest of the path. */
  readonly template: string;
  readonly group: EndpointGroup;
  readonly permission: Permission;
  /** Set where a scope for the single map or queue would do as well. */
  readonly structure?: StructureNeed;
  /** Set where the body is positional: its fields start with the cluster's name and password. */
  readonly positionalFields?: PositionalFields;
  /** Set where the call acts on the member that takes it, and on no other (docs/member-surface.md#wan). */
  readonly isLocal?: boolean;
  /** Set where only the master of the cluster can do it (docs/member-surface.md#cp). */
  readonly isForMaster?: boolean;
  /** Set where that member ends by it. */
  readonly endsMember?: boolean;
  /**
   * Set where the real engine has it under another name (docs/member-surface.md#other-names); with `positions`, those of its
   * body there.
   */
  readonly atEngine?: {
    readonly method?: string;
    readonly path: string;
    readonly positionalFields?: PositionalFields;
  };
}

const get = ['GET', 'HEAD'];
/** A member takes `PUT` for `POST` on every path. */
const post = ['POST', 'PUT'];

const credentials: PositionalFields = ['clusterName', 'password'];
const source: PositionalFields = ['clusterOnSource', 'clusterPassword'];
const publisher: PositionalFields = [...source, 'wanRepName', 'publisherId'];

/**
 * Every call that the proxy forwards (docs/member-surface.md#endpoint-groups, with the names that the real engine has for
 * some of them). What is not here is refused. A fixed path may end in one more slash; nothing else
 * matches loosely, so the list is narrower than the prefix matching of a member.
 *
 * - A poll by `GET` removes an item, and so counts as a write; so does every `GET` on a queue but
 *   its size, because a member may take `a%2F5` for a poll of queue `a`.
 * - `POST` to `cluster/state` and `cluster/nodes` only asks.
 */
export const ruleTable: readonly Rule[] = [
  ...each(get, 'HEALTH_CHECK', 'svc:health:read', [
    '/svc/health',
    '/svc/health/ready',
    '/svc/health/node-state',
    '/svc/health/cluster-state',
    '/svc/health/cluster-safe',
    '/svc/health/migration-queue-size',
    '/svc/health/cluster-size',
  ]),
  ...each(get, 'CLUSTER_READ', 'svc:cluster:read', [
    '/svc/rest/cluster',
    '/svc/rest/instance',
    '/svc/rest/license',
    '/svc/rest/management/cluster/version',
    '/svc/rest/config/tcp-ip/member-list',
  ]),
  ...each(get, 'CLUSTER_READ', 'svc:cluster:read', ['/svc/rest/log-level'], { isLocal: true }),
  ...each(
    post,
    'CLUSTER_READ',
    'svc:cluster:read',
    ['/svc/rest/management/cluster/state', '/svc/rest/management/cluster/nodes'],
    { positionalFields: credentials },
  ),
  ...each(
    post,
    'CLUSTER_WRITE',
    'svc:cluster:write',
    ['/svc/rest/config/reload', '/svc/rest/management/cluster/clusterShutdown'],
    { positionalFields: credentials },
  ),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/config/upload'], {
    positionalFields: [...credentials, 'config'],
    atEngine: { path: '/svc/rest/config/update' },
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/config/update'], {
    positionalFields: [...credentials, 'config'],
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/config/tcp-ip/member-list'], {
    positionalFields: [...credentials, 'members'],
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/license'], {
    positionalFields: [...credentials, 'key'],
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/management/cluster/changeState'], {
    positionalFields: [...credentials, 'state'],
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/management/cluster/version'], {
    positionalFields: [...credentials, 'clusterVersion'],
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/log-level'], {
    positionalFields: [...credentials, 'level'],
    isLocal: true,
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/log-level/reset'], {
    positionalFields: credentials,
    isLocal: true,
  }),
  ...each(post, 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/management/cluster/memberShutdown'], {
    positionalFields: credentials,
    isLocal: true,
    endsMember: true,
  }),
  ...each(['DELETE'], 'CLUSTER_WRITE', 'svc:cluster:write', ['/svc/rest/log-level'], {
    isLocal: true,
    atEngine: { method: 'POST', path: '/svc/rest/log-level/reset', positionalFields: credentials },
  }),
  ...each(
    post,
    'PERSISTENCE',
    'svc:persistence:write',
    [
      '/svc/rest/management/cluster/forceStart',
      '/svc/rest/management/cluster/partialStart',
      '/svc/rest/management/cluster/backup',
      '/svc/rest/management/cluster/backupInterrupt',
      '/svc/rest/management/cluster/hotBackup',
      '/svc/rest/management/cluster/hotBackupInterrupt',
    ],
    { positionalFields: credentials },
  ),
  ...each(get, 'WAN', 'svc:wan:read', ['/svc/rest/wan/sync/progress/{uuid}']),
  ...each(post, 'WAN', 'svc:wan:write', ['/svc/rest/wan/sync/map', '/svc/rest/wan/consistencyCheck/map'], {
    positionalFields: [...publisher, 'mapName'],
  }),
  ...each(post, 'WAN', 'svc:wan:write', ['/svc/rest/wan/sync/allmaps'], { positionalFields: publisher }),
  ...each(post, 'WAN', 'svc:wan:write', ['/svc/rest/wan/addWanConfig'], {
    positionalFields: [...source, 'wanConfig'],
  }),
  ...each(
    post,
    'WAN',
    'svc:wan:write',
    [
      '/svc/rest/wan/clearWanQueues',
      '/svc/rest/wan/pausePublisher',
      '/svc/rest/wan/stopPublisher',
      '/svc/rest/wan/resumePublisher',
    ],
    { positionalFields: publisher, isLocal: true },
  ),
  ...each(get, 'CP', 'svc:cp:read', [
    '/svc/rest/cp-subsystem/members',
    '/svc/rest/cp-subsystem/groups',
    '/svc/rest/cp-subsystem/groups/{cpGroupName}',
    '/svc/rest/cp-subsystem/groups/{cpGroupName}/sessions',
  ]),
  ...each(get, 'CP', 'svc:cp:read', ['/svc/rest/cp-subsystem/members/local'], { isLocal: true }),
  ...each(
    post,
    'CP',
    'svc:cp:write',
    [
      '/svc/rest/cp-subsystem/members/{cpMemberUuid}/remove',
      '/svc/rest/cp-subsystem/groups/{cpGroupName}/remove',
      '/svc/rest/cp-subsystem/groups/{cpGroupName}/sessions/{cpSessionId}/remove',
    ],
    { positionalFields: credentials },
  ),
  // Promotes the member that takes it.
  ...each(post, 'CP', 'svc:cp:write', ['/svc/rest/cp-subsystem/members'], {
    positionalFields: credentials,
    isLocal: true,
  }),
  ...each(post, 'CP', 'svc:cp:write', ['/svc/rest/cp-subsystem/reset'], {
    positionalFields: credentials,
    isLocal: true,
    isForMaster: true,
  }),
  ...each(post, 'CP', 'svc:cp:write', ['/svc/rest/cp-subsystem/restart'], {
    positionalFields: credentials,
    isLocal: true,
    isForMaster: true,
    atEngine: { path: '/svc/rest/cp-subsystem/reset' },
  }),
  ...each(get, 'DATA', 'svc:data:read', ['/svc/rest/maps/{mapName}', '/svc/rest/maps/{mapName}/{key...}'], {
    structure: { kind: 'map', action: 'read' },
  }),
  ...each(
    [...post, 'DELETE'],
    'DATA',
    'svc:data:write',
    ['/svc/rest/maps/{mapName}', '/svc/rest/maps/{mapName}/{key...}'],
    { structure: { kind: 'map', action: 'write' } },
  ),
  ...each(get, 'DATA', 'svc:data:read', ['/svc/rest/queues/{queueName}/size'], {
    structure: { kind: 'queue', action: 'size' },
  }),
  ...each(
    post,
    'DATA',
    'svc:data:write',
    ['/svc/rest/queues/{queueName}', '/svc/rest/queues/{queueName}/{item}'],
    { structure: { kind: 'queue', action: 'offer' } },
  ),
  ...each(
    [...get, 'DELETE'],
    'DATA',
    'svc:data:write',
    ['/svc/rest/queues/{queueName}', '/svc/rest/queues/{queueName}/{seconds}'],
    { structure: { kind: 'queue', action: 'poll' } },
  ),
];

/** Whatever the path. */
export const surfaceMethods: ReadonlySet<string> = new Set(ruleTable.flatMap(({ methods }) => methods));

function each(
  methods: readonly string[],
  group: EndpointGroup,
  permission: Permission,
  templates: readonly string[],
  more: Pick<
    Rule,
    'structure' | 'positionalFields' | 'isLocal' | 'isForMaster' | 'endsMember' | 'atEngine'
  > = {},
): Rule[] {
  return templates.map((template) => ({ methods, template, group, permission, ...more }));
}
