import { type EndpointGroup, endpointGroups } from '../../platform/endpoint-groups.ts';
import {
  builtInConfig,
  defaultCp,
  defaultDynamicConfiguration,
  defaultLimits,
  defaultMap,
  defaultPersistence,
  defaultPort,
  defaultPublisher,
  defaultQueue,
} from './built-in-config.ts';
import type {
  ConfigSource,
  EvictionConfig,
  MapConfig,
  MapPersistenceConfig,
  MemberConfig,
  PersistenceConfig,
  PortConfig,
  QueueConfig,
  RestConfig,
  SecurityConfig,
  WanPublisherConfig,
  WanReplicationConfig,
} from './config.ts';
import type { MemberSection } from './config-schema.ts';
import { defaultGroups, groupNamed } from './endpoint-groups.ts';
import { endpointsIn } from './schema/wan.ts';

export interface Origin {
  readonly source: ConfigSource | undefined;
  readonly notices: readonly string[];
}

/**
 * Fills in what a checked configuration leaves out. A `map` or `queue` section that is there is the
 * whole list, so that a file can have no `default` and with it no structure that it does not name;
 * one that is left out is the built-in list.
 */
export function complete(section: MemberSection, { source, notices }: Origin): MemberConfig {
  const builtIn = builtInConfig();
  const { limits = {}, 'cp-subsystem': cp = {}, 'dynamic-configuration': dynamic = {} } = section;
  return {
    source,
    notices,
    clusterName: section['cluster-name'] ?? builtIn.clusterName,
    instanceName: section['instance-name'],
    licenceKey: section['license-key'],
    port: portOf(memberPort(section)),
    rest: restOf(section),
    join: joinOf(section),
    security: securityOf(section),
    maps: section.map === undefined ? builtIn.maps : eachNamed(section.map, mapOf),
    queues: section.queue === undefined ? builtIn.queues : eachNamed(section.queue, queueOf),
    wanReplications: eachNamed(section['wan-replication'] ?? {}, wanReplicationOf),
    cp: {
      memberCount: cp['cp-member-count'] ?? defaultCp.memberCount,
      sessionTimeToLiveSeconds: cp['session-time-to-live-seconds'] ?? defaultCp.sessionTimeToLiveSeconds,
      sessionHeartbeatIntervalSeconds:
        cp['session-heartbeat-interval-seconds'] ?? defaultCp.sessionHeartbeatIntervalSeconds,
    },
    persistence: persistenceOf(section.persistence ?? section['hot-restart-persistence'] ?? {}),
    dynamicConfiguration: {
      persistenceEnabled: dynamic['persistence-enabled'] ?? defaultDynamicConfiguration.persistenceEnabled,
      backupDir: dynamic['backup-dir'] ?? defaultDynamicConfiguration.backupDir,
      backupCount: dynamic['backup-count'] ?? defaultDynamicConfiguration.backupCount,
    },
    limits: {
      bodyBytes: limits['body-bytes'] ?? defaultLimits.bodyBytes,
      keyBytes: limits['key-bytes'] ?? defaultLimits.keyBytes,
      memoryBytes: limits['memory-bytes'] ?? defaultLimits.memoryBytes,
      pollSeconds: limits['poll-seconds'] ?? defaultLimits.pollSeconds,
      waitersPerQueue: limits['waiters-per-queue'] ?? defaultLimits.waitersPerQueue,
      waiters: limits.waiters ?? defaultLimits.waiters,
      structures: limits.structures ?? defaultLimits.structures,
    },
  };
}

type Network = NonNullable<MemberSection['network']>;
type PortSection = NonNullable<Network['port']>;

/** The advanced network, once it is on, takes the place of the plain one (as in the real engine). */
function memberPort({ network, 'advanced-network': advanced }: MemberSection): PortSection | undefined {
  return advanced?.enabled ? advanced['member-server-socket-endpoint-config']?.port : network?.port;
}

function portOf(section: PortSection = {}): PortConfig {
  return {
    port: section.port ?? defaultPort.port,
    autoIncrement: section['auto-increment'] ?? defaultPort.autoIncrement,
    portCount: section['port-count'] ?? defaultPort.portCount,
  };
}

/** A REST listener of the advanced network switches REST on by being there; without one it is off. */
function restOf({ network, 'advanced-network': advanced }: MemberSection): RestConfig {
  if (advanced?.enabled) {
    const listener = advanced['rest-server-socket-endpoint-config'];
    return {
      enabled: listener !== undefined,
      groups: groupsOn(listener?.['endpoint-groups'] ?? {}),
      listener: listener && portOf(listener.port),
    };
  }
  const rest = network?.['rest-api'];
  return {
    enabled: rest?.enabled ?? false,
    groups: groupsOn(rest?.['endpoint-groups'] ?? {}),
    listener: undefined,
  };
}

function groupsOn(switches: Readonly<Record<string, { enabled: boolean }>>): readonly EndpointGroup[] {
  const groups = new Set(defaultGroups);
  for (const [name, { enabled }] of Object.entries(switches)) {
    const group = groupNamed(name)!; // the schema has refused every other name
    if (enabled) groups.add(group);
    else groups.delete(group);
  }
  return endpointGroups.filter((group) => groups.has(group));
}

function joinOf({ network, 'advanced-network': advanced }: MemberSection): MemberConfig['join'] {
  const tcpIp = (advanced?.enabled ? advanced.join : network?.join)?.['tcp-ip'] ?? {};
  const { 'member-list': list = [], member = '', members = '' } = tcpIp;
  const others = [member, ...members.split(/[,; ]+/)].filter((one) => one !== '');
  return { enabled: tcpIp.enabled ?? false, memberList: [...list, ...others] };
}

function securityOf({ security }: MemberSection): SecurityConfig {
  const realmName = security?.['member-authentication']?.realm;
  const realm = security?.realms?.find(({ name }) => name === realmName);
  const users = realm?.authentication?.simple?.users ?? [];
  const identity = realm?.identity?.['username-password'];
  return {
    enabled: security?.enabled ?? false,
    users: new Map(users.map(({ username, password }) => [username, password])),
    identity: identity && { name: identity.username, password: identity.password },
  };
}

type MapSection = NonNullable<MemberSection['map']>[string];

export function mapOf(map: MapSection): MapConfig {
  const { eviction = {}, 'merkle-tree': tree = {} } = map;
  return {
    timeToLiveSeconds: map['time-to-live-seconds'] ?? defaultMap.timeToLiveSeconds,
    maxIdleSeconds: map['max-idle-seconds'] ?? defaultMap.maxIdleSeconds,
    eviction: evictionOf(eviction),
    wanReplicationRefs: Object.entries(map['wan-replication-ref'] ?? {}).map(([name, ref]) => ({
      name,
      republishingEnabled: ref['republishing-enabled'] ?? false,
    })),
    merkleTree: {
      enabled: tree.enabled ?? defaultMap.merkleTree.enabled,
      depth: tree.depth ?? defaultMap.merkleTree.depth,
    },
    persistence: mapPersistenceOf(map['data-persistence'] ?? map['hot-restart'] ?? {}),
  };
}

export function queueOf(queue: NonNullable<MemberSection['queue']>[string]): QueueConfig {
  return { maxSize: queue['max-size'] ?? defaultQueue.maxSize };
}

function evictionOf(eviction: NonNullable<MapSection['eviction']>): EvictionConfig {
  return {
    policy: eviction['eviction-policy'] ?? defaultMap.eviction.policy,
    maxSizePolicy: eviction['max-size-policy'] ?? defaultMap.eviction.maxSizePolicy,
    size: eviction.size ?? defaultMap.eviction.size,
  };
}

function mapPersistenceOf(persistence: NonNullable<MapSection['data-persistence']>): MapPersistenceConfig {
  return {
    enabled: persistence.enabled ?? defaultMap.persistence.enabled,
    fsync: persistence.fsync ?? defaultMap.persistence.fsync,
  };
}

type ReplicationSection = NonNullable<MemberSection['wan-replication']>[string];
type PublisherSection = ReplicationSection['batch-publisher'][string];

export function wanReplicationOf(replication: ReplicationSection, name: string): WanReplicationConfig {
  const publishers = Object.entries(replication['batch-publisher']).map(([key, publisher]) =>
    publisherOf(publisher, key),
  );
  return { name, publishers: new Map(publishers.map((publisher) => [publisher.publisherId, publisher])) };
}

/** The key is the publisher's id; without a cluster name it is that too, as in the real engine. */
function publisherOf(publisher: PublisherSection, key: string): WanPublisherConfig {
  return {
    publisherId: publisher['publisher-id'] ?? key,
    clusterName: publisher['cluster-name'] ?? key,
    batchSize: publisher['batch-size'] ?? defaultPublisher.batchSize,
    batchMaxDelayMillis: publisher['batch-max-delay-millis'] ?? defaultPublisher.batchMaxDelayMillis,
    responseTimeoutMillis: publisher['response-timeout-millis'] ?? defaultPublisher.responseTimeoutMillis,
    acknowledgeType: publisher['acknowledge-type'] ?? defaultPublisher.acknowledgeType,
    initialPublisherState: publisher['initial-publisher-state'] ?? defaultPublisher.initialPublisherState,
    snapshotEnabled: publisher['snapshot-enabled'] ?? defaultPublisher.snapshotEnabled,
    queueFullBehavior: publisher['queue-full-behavior'] ?? defaultPublisher.queueFullBehavior,
    queueCapacity: publisher['queue-capacity'] ?? defaultPublisher.queueCapacity,
    targetEndpoints: endpointsIn(publisher['target-endpoints']),
    sync: {
      consistencyCheckStrategy:
        publisher.sync?.['consistency-check-strategy'] ?? defaultPublisher.sync.consistencyCheckStrategy,
    },
  };
}

function persistenceOf(section: NonNullable<MemberSection['persistence']>): PersistenceConfig {
  const baseDir = section['base-dir'] ?? defaultPersistence.baseDir;
  return {
    enabled: section.enabled ?? defaultPersistence.enabled,
    baseDir,
    backupDir: section['backup-dir'] ?? `${baseDir}-backup`,
    validationTimeoutSeconds:
      section['validation-timeout-seconds'] ?? defaultPersistence.validationTimeoutSeconds,
    durability: section.durability ?? defaultPersistence.durability,
    periodMillis: section['period-millis'] ?? defaultPersistence.periodMillis,
  };
}

function eachNamed<From, To>(
  sections: Readonly<Record<string, From>>,
  convert: (from: From, name: string) => To,
): ReadonlyMap<string, To> {
  return new Map(Object.entries(sections).map(([name, from]) => [name, convert(from, name)]));
}
