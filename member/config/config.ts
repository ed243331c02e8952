import type { EndpointGroup } from '../../platform/endpoint-groups.ts';

/** Everything that a member can be told, checked and complete. */
export interface MemberConfig {
  /** The file and the overrides that it was made of, which a reload reads again; `undefined` when built in. */
  readonly source: ConfigSource | undefined;
  readonly clusterName: string;
  /** `undefined`: named after the cluster and the port. */
  readonly instanceName: string | undefined;
  readonly licenceKey: string | undefined;
  readonly port: PortConfig;
  readonly rest: RestConfig;
  readonly join: JoinConfig;
  readonly security: SecurityConfig;
  /** By name or pattern; a name that none matches is refused (docs/member-surface.md#names-and-keys). */
  readonly maps: ReadonlyMap<string, MapConfig>;
  readonly queues: ReadonlyMap<string, QueueConfig>;
  readonly wanReplications: ReadonlyMap<string, WanReplicationConfig>;
  readonly cp: CpConfig;
  readonly persistence: PersistenceConfig;
  readonly dynamicConfiguration: DynamicConfigurationConfig;
  readonly limits: MemberLimits;
  /** What the configuration says that has no effect on this member, a sentence each: for the log. */
  readonly notices: readonly string[];
}

export interface ConfigSource {
  readonly file: string;
  /** The overrides that were put over it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface RestConfig {
  readonly enabled: boolean;
  readonly groups: readonly EndpointGroup[];
  /** The advanced network's own listener for REST; `undefined`: REST is at the member's port. */
  readonly listener: PortConfig | undefined;
}

/** The TCP/IP join, for its REST calls alone (docs/member-surface.md#cluster-information); this member joins nobody. */
export interface JoinConfig {
  readonly enabled: boolean;
  /** As configured: `host` or `host:port`. */
  readonly memberList: readonly string[];
}

/** With security on, the first two body positions are a user of the realm and the password (docs/member-surface.md#credentials). */
export interface SecurityConfig {
  readonly enabled: boolean;
  /** Password by user name, of the member-authentication realm; never empty when security is on. */
  readonly users: ReadonlyMap<string, string>;
  /** What this member says of itself to a secured cluster (docs/member-surface.md#credentials); `undefined`: nothing. */
  readonly identity: MemberIdentityConfig | undefined;
}

export interface MemberIdentityConfig {
  readonly name: string;
  readonly password: string;
}

export interface MapConfig {
  /** Seconds after the last write at which an entry expires; 0 is never. */
  readonly timeToLiveSeconds: number;
  /** Seconds after the last read or write at which an entry expires; 0 is never. */
  readonly maxIdleSeconds: number;
  readonly eviction: EvictionConfig;
  /** The WAN replications that get this map's changes. */
  readonly wanReplicationRefs: readonly WanReplicationRef[];
  /** `depth`: levels of the tree, 2 to 27: 2^depth - 1 nodes. */
  readonly merkleTree: { readonly enabled: boolean; readonly depth: number };
  /**
   * Has an effect where the member persists; there, all maps do that do not say otherwise. `fsync`: whether a write of
   * this map is on the disk before it is answered, whatever the member's durability is.
   */
  readonly persistence: { readonly enabled: boolean; readonly fsync: boolean };
}

/** Which entries leave a map that is too large. */
export type EvictionPolicy = 'NONE' | 'LRU' | 'LFU' | 'RANDOM';

/** What `size` counts; the heap is the member's `limits.memoryBytes`. */
export type MaxSizePolicy =
  | 'PER_NODE'
  | 'USED_HEAP_SIZE'
  | 'USED_HEAP_PERCENTAGE'
  | 'FREE_HEAP_SIZE'
  | 'FREE_HEAP_PERCENTAGE';

export interface EvictionConfig {
  /** `NONE`: nothing is evicted, whatever the size is. */
  readonly policy: EvictionPolicy;
  readonly maxSizePolicy: MaxSizePolicy;
  /** Entries (`PER_NODE`), MiB (`…_SIZE`) or per cent (`…_PERCENTAGE`); 0 is unbounded. */
  readonly size: number;
}

export interface WanReplicationRef {
  /** Key of {@link MemberConfig.wanReplications}. */
  readonly name: string;
  /** Whether changes that came over WAN are passed on. */
  readonly republishingEnabled: boolean;
}

export interface WanReplicationConfig {
  readonly name: string;
  /** By publisher id; at least one. */
  readonly publishers: ReadonlyMap<string, WanPublisherConfig>;
}

export const defaultMap: MapConfig = {
  timeToLiveSeconds: 0,
  maxIdleSeconds: 0,
  eviction: { policy: 'NONE', maxSizePolicy: 'PER_NODE', size: 0 },
  wanReplicationRefs: [],
  merkleTree: { enabled: false, depth: 10 },
  persistence: { enabled: true, fsync: false },
};

export const defaultQueue = {
  /** Items that the queue holds at most; 0 is unbounded. */
  maxSize: 0,
};

export type QueueConfig = Readonly<typeof defaultQueue>;

export const defaultPort = {
  port: 5701,
  /** Take the next free port when `port` is taken, `portCount` ports in all. */
  autoIncrement: true,
  portCount: 100,
};

export type PortConfig = Readonly<typeof defaultPort>;

/** What a publisher needs beside these: its id, the target's cluster name and endpoints. */
export const defaultPublisher = {
  batchSize: 500,
  batchMaxDelayMillis: 1000,
  responseTimeoutMillis: 60_000,
  acknowledgeType: 'ACK_ON_OPERATION_COMPLETE' as 'ACK_ON_RECEIPT' | 'ACK_ON_OPERATION_COMPLETE',
  initialPublisherState: 'REPLICATING' as 'REPLICATING' | 'PAUSED' | 'STOPPED',
  /** Whether only the latest change of a key is sent. */
  snapshotEnabled: false,
  queueFullBehavior: 'DISCARD_AFTER_MUTATION' as
    | 'DISCARD_AFTER_MUTATION'
    | 'THROW_EXCEPTION'
    | 'THROW_EXCEPTION_ONLY_IF_REPLICATION_ACTIVE',
  queueCapacity: 10_000,
  sync: { consistencyCheckStrategy: 'NONE' as 'NONE' | 'MERKLE_TREES' },
};

/** A batch publisher: sends the changes of maps to members of another cluster. */
export type WanPublisherConfig = Readonly<typeof defaultPublisher> & {
  readonly publisherId: string;
  /** The target cluster's name, for its credentials. */
  readonly clusterName: string;
  /** `host:port`, at least one. */
  readonly targetEndpoints: readonly string[];
};

export const defaultCp = {
  /** 0: the CP subsystem is off. */
  memberCount: 0,
  sessionTimeToLiveSeconds: 300,
  sessionHeartbeatIntervalSeconds: 5,
};

export type CpConfig = Readonly<typeof defaultCp>;

export const defaultPersistence = {
  enabled: false,
  /** Relative to the working directory of the process. */
  baseDir: 'persistence',
  backupDir: 'persistence-backup',
  /** How long the start may wait for the data directory to be validated. */
  validationTimeoutSeconds: 120,
  /** `sync`: a write is on the disk before it is answered; `periodic`: at most `periodMillis` later. */
  durability: 'sync' as 'sync' | 'periodic',
  periodMillis: 100,
};

export type PersistenceConfig = Readonly<typeof defaultPersistence>;

/** What becomes of configuration that is added at run time. */
export const defaultDynamicConfiguration = {
  /** Whether it is written into the configuration file. */
  persistenceEnabled: false,
  /** Where the file is copied to before it is written. */
  backupDir: 'dynamic-configuration-backups',
  /** How many of the copies are kept. */
  backupCount: 5,
};

export type DynamicConfigurationConfig = Readonly<typeof defaultDynamicConfiguration>;

/** The specification names no limits (docs/member-surface.md#limits); these keep one caller from taking the whole process. */
export const defaultLimits = {
  /** Largest request body, in bytes: more is 413. */
  bodyBytes: 10 * 1024 * 1024,
  /** Longest decoded key or structure name, in bytes of UTF-8: more is 413. */
  keyBytes: 8 * 1024,
  /** All values, keys and bodies in flight, in bytes: more is 503. */
  memoryBytes: 512 * 1024 * 1024,
  /** Longest poll, in seconds: more is 400. */
  pollSeconds: 3600,
  /** Polls that wait at once, for one queue and for all: more is 503. */
  waitersPerQueue: 16_000,
  waiters: 20_000,
  /** Maps and queues that are configured, together, up to which more are added while the member runs. */
  structures: 1000,
};

export type MemberLimits = Readonly<typeof defaultLimits>;
