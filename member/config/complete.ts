import { type EndpointGroup, endpointGroups } from '../../platform/endpoint-groups.ts';
import {
  type ConfigSource,
  defaultCp,
  defaultDynamicConfiguration,
  defaultLimits,
  defaultMap,
  defaultPersistence,
  defaultPort,
  defaultPublisher,
  defaultQueue,
  type MapConfig,
  type MemberConfig,
  type PersistenceConfig,
  type RestConfig,
  type SecurityConfig,
  type WanPublisherConfig,
  type WanReplicationConfig,
} from './config.ts';
import type { MemberSection } from './config-schema.ts';
import { defaultGroups, groupNamed } from './endpoint-groups.ts';
import { isObject } from './source-tree.ts';
import { endpointsIn } from './target-endpoints.ts';

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
  const cp = section['cp-subsystem'];
  return {
    source,
    notices,
    clusterName: section['cluster-name'] ?? 'dev',
    instanceName: section['instance-name'],
    licenceKey: section['license-key'],
    port: portOf(memberPort(section)),
    rest: restOf(section),
    join: joinOf(section),
    security: securityOf(section),
    maps: eachNamed(section.map ?? { default: {} }, mapOf),
    queues: eachNamed(section.queue ?? { default: {} }, queueOf),
    wanReplications: eachNamed(section['wan-replication'] ?? {}, wanReplicationOf),
    cp: { ...filled(defaultCp, cp), memberCount: cp?.['cp-member-count'] ?? defaultCp.memberCount },
    persistence: persistenceOf(section.persistence ?? section['hot-restart-persistence'] ?? {}),
    dynamicConfiguration: filled(defaultDynamicConfiguration, section['dynamic-configuration']),
    limits: filled(defaultLimits, section.limits),
  };
}

/**
 * The values of a section, and the defaults of what it leaves out. A section has the names of the defaults in the
 * spelling of files.
 */
export function filled<Defaults extends object>(
  defaults: Defaults,
  section: unknown,
  spelling: (name: string) => string = inKebabCase,
): Defaults {
  const given = isObject(section) ? section : {};
  const values = Object.entries(defaults).map(([name, value]) => {
    const own = given[spelling(name)];
    return [name, isObject(value) ? filled(value, own, spelling) : (own ?? value)];
  });
  return Object.fromEntries(values);
}

export function inKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type Network = NonNullable<MemberSection['network']>;
type PortSection = NonNullable<Network['port']>;

/** The advanced network, once it is on, takes the place of the plain one (as in the real engine). */
function memberPort({ network, 'advanced-network': advanced }: MemberSection): PortSection | undefined {
  return advanced?.enabled ? advanced['member-server-socket-endpoint-config']?.port : network?.port;
}

const portOf = (section: PortSection | undefined) => filled(defaultPort, section);

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
  const config = filled(defaultMap, map);
  const policy = map.eviction?.['eviction-policy'] ?? defaultMap.eviction.policy;
  return {
    ...config,
    eviction: { ...config.eviction, policy },
    wanReplicationRefs: Object.entries(map['wan-replication-ref'] ?? {}).map(([name, ref]) => ({
      name,
      republishingEnabled: ref['republishing-enabled'] ?? false,
    })),
    persistence: filled(defaultMap.persistence, map['data-persistence'] ?? map['hot-restart']),
  };
}

export const queueOf = (queue: unknown) => filled(defaultQueue, queue);

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
    ...filled(defaultPublisher, publisher),
    publisherId: publisher['publisher-id'] ?? key,
    clusterName: publisher['cluster-name'] ?? key,
    targetEndpoints: endpointsIn(publisher['target-endpoints']),
  };
}

function persistenceOf(section: NonNullable<MemberSection['persistence']>): PersistenceConfig {
  const config = filled(defaultPersistence, section);
  return { ...config, backupDir: section['backup-dir'] ?? `${config.baseDir}-backup` };
}

function eachNamed<From, To>(
  sections: Readonly<Record<string, From>>,
  convert: (from: From, name: string) => To,
): ReadonlyMap<string, To> {
  return new Map(Object.entries(sections).map(([name, from]) => [name, convert(from, name)]));
}
