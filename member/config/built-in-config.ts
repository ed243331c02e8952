import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import type {
  CpConfig,
  DynamicConfigurationConfig,
  MapConfig,
  MemberConfig,
  MemberLimits,
  PersistenceConfig,
  PortConfig,
  QueueConfig,
  WanPublisherConfig,
} from './config.ts';
import { defaultGroups } from './endpoint-groups.ts';

export const defaultMap: MapConfig = {
  timeToLiveSeconds: 0,
  maxIdleSeconds: 0,
  eviction: { policy: 'NONE', maxSizePolicy: 'PER_NODE', size: 0 },
  wanReplicationRefs: [],
  merkleTree: { enabled: false, depth: 10 },
  persistence: { enabled: true, fsync: false },
};

export const defaultQueue: QueueConfig = { maxSize: 0 };

export const defaultPort: PortConfig = { port: 5701, autoIncrement: true, portCount: 100 };

/** What a publisher needs beside these: its id, the target's cluster name and endpoints. */
export const defaultPublisher: Omit<WanPublisherConfig, 'publisherId' | 'clusterName' | 'targetEndpoints'> = {
  batchSize: 500,
  batchMaxDelayMillis: 1000,
  responseTimeoutMillis: 60_000,
  acknowledgeType: 'ACK_ON_OPERATION_COMPLETE',
  initialPublisherState: 'REPLICATING',
  snapshotEnabled: false,
  queueFullBehavior: 'DISCARD_AFTER_MUTATION',
  queueCapacity: 10_000,
  sync: { consistencyCheckStrategy: 'NONE' },
};

export const defaultCp: CpConfig = {
  memberCount: 0,
  sessionTimeToLiveSeconds: 300,
  sessionHeartbeatIntervalSeconds: 5,
};

export const defaultPersistence: PersistenceConfig = {
  enabled: false,
  baseDir: 'persistence',
  backupDir: 'persistence-backup',
  validationTimeoutSeconds: 120,
  durability: 'sync',
  periodMillis: 100,
};

export const defaultDynamicConfiguration: DynamicConfigurationConfig = {
  persistenceEnabled: false,
  backupDir: 'dynamic-configuration-backups',
  backupCount: 5,
};

export const defaultLimits: MemberLimits = {
  bodyBytes: 10 * 1024 * 1024,
  keyBytes: 8 * 1024,
  memoryBytes: 512 * 1024 * 1024,
  pollSeconds: 3600,
  waitersPerQueue: 16_000,
  waiters: 20_000,
  structures: 1000,
};

/**
 * The configuration of a member that has no file: REST off for the stand-alone one (docs/member-surface.md#endpoint-groups), on
 * for the embedded one. Maps and queues have the pattern `default`, which matches every name.
 */
export function builtInConfig({
  restEnabled = false,
  groups = defaultGroups,
}: {
  readonly restEnabled?: boolean;
  readonly groups?: readonly EndpointGroup[];
} = {}): MemberConfig {
  return {
    source: undefined,
    clusterName: 'dev',
    instanceName: undefined,
    licenceKey: undefined,
    port: defaultPort,
    rest: { enabled: restEnabled, groups, listener: undefined },
    join: { enabled: false, memberList: [] },
    security: { enabled: false, users: new Map(), identity: undefined },
    maps: new Map([['default', defaultMap]]),
    queues: new Map([['default', defaultQueue]]),
    wanReplications: new Map(),
    cp: defaultCp,
    persistence: defaultPersistence,
    dynamicConfiguration: defaultDynamicConfiguration,
    limits: defaultLimits,
    notices: [],
  };
}
