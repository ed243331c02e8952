import { builtInConfig, defaultLimits, defaultMap, defaultPort, defaultQueue } from './built-in-config.ts';
import { type ConfigFile, configFile } from './config-schema.ts';
import { defaultGroups, type EndpointGroup, endpointGroups, groupNamed } from './endpoint-groups.ts';
import { readYaml } from './yaml-file.ts';

/** Everything that a member can be told, checked and complete. */
export interface MemberConfig {
  readonly clusterName: string;
  /** `undefined`: named after the cluster and the port. */
  readonly instanceName: string | undefined;
  readonly port: PortConfig;
  readonly rest: RestConfig;
  /** By name or pattern; a name that none matches is refused (spec §2.1). */
  readonly maps: ReadonlyMap<string, MapConfig>;
  readonly queues: ReadonlyMap<string, QueueConfig>;
  readonly limits: MemberLimits;
}

export interface PortConfig {
  readonly port: number;
  /** Take the next free port when `port` is taken, `portCount` ports in all. */
  readonly autoIncrement: boolean;
  readonly portCount: number;
}

export interface RestConfig {
  readonly enabled: boolean;
  readonly groups: readonly EndpointGroup[];
}

export interface MapConfig {
  /** Seconds after the last write at which an entry expires; 0 is never. */
  readonly timeToLiveSeconds: number;
  /** Seconds after the last read or write at which an entry expires; 0 is never. */
  readonly maxIdleSeconds: number;
}

export interface QueueConfig {
  /** Items that the queue holds at most; 0 is unbounded. */
  readonly maxSize: number;
}

/** The spec names no limits (§8); these keep one caller from taking the whole process. */
export interface MemberLimits {
  /** Largest request body, in bytes: more is 413. */
  readonly bodyBytes: number;
  /** Longest decoded key or structure name, in bytes of UTF-8: more is 413. */
  readonly keyBytes: number;
  /** All values, keys and bodies in flight, in bytes: more is 503. */
  readonly memoryBytes: number;
  /** Longest poll, in seconds: more is 400. */
  readonly pollSeconds: number;
  /** Polls that wait at once, for one queue and for all: more is 503. */
  readonly waitersPerQueue: number;
  readonly waiters: number;
}

/**
 * Reads a member configuration (spec §1.6; `docs/member.md` lists the keys).
 *
 * @param text  YAML, or `undefined` when there is no file: the stand-alone default
 * @param file  its path, for the messages
 * @throws {MemberConfigError} with every problem of the file, each with file, line and path
 */
export function loadMemberConfig(
  text: string | undefined,
  { file }: { readonly file: string },
): MemberConfig {
  const builtIn = builtInConfig();
  if (text === undefined) return builtIn;
  const { svc, hazelcast } = readYaml(text, file, configFile);
  return withDefaults(svc ?? hazelcast ?? {}, builtIn);
}

type MemberSection = NonNullable<ConfigFile['svc']>;

/**
 * A `map` or `queue` section that is there is the whole list, so that a file can have no `default`
 * and with it no structure that it does not name; one that is left out is the built-in list.
 */
function withDefaults(section: MemberSection, builtIn: MemberConfig): MemberConfig {
  const { port, 'rest-api': rest } = section.network ?? {};
  const { limits = {} } = section;
  return {
    clusterName: section['cluster-name'] ?? builtIn.clusterName,
    instanceName: section['instance-name'],
    port: {
      port: port?.port ?? defaultPort.port,
      autoIncrement: port?.['auto-increment'] ?? defaultPort.autoIncrement,
      portCount: port?.['port-count'] ?? defaultPort.portCount,
    },
    rest: { enabled: rest?.enabled ?? false, groups: groupsOn(rest?.['endpoint-groups'] ?? {}) },
    maps: eachNamed(section.map, builtIn.maps, (map) => ({
      timeToLiveSeconds: map['time-to-live-seconds'] ?? defaultMap.timeToLiveSeconds,
      maxIdleSeconds: map['max-idle-seconds'] ?? defaultMap.maxIdleSeconds,
    })),
    queues: eachNamed(section.queue, builtIn.queues, (queue) => ({
      maxSize: queue['max-size'] ?? defaultQueue.maxSize,
    })),
    limits: {
      bodyBytes: limits['body-bytes'] ?? defaultLimits.bodyBytes,
      keyBytes: limits['key-bytes'] ?? defaultLimits.keyBytes,
      memoryBytes: limits['memory-bytes'] ?? defaultLimits.memoryBytes,
      pollSeconds: limits['poll-seconds'] ?? defaultLimits.pollSeconds,
      waitersPerQueue: limits['waiters-per-queue'] ?? defaultLimits.waitersPerQueue,
      waiters: limits.waiters ?? defaultLimits.waiters,
    },
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

function eachNamed<From, To>(
  named: Readonly<Record<string, From>> | undefined,
  builtIn: ReadonlyMap<string, To>,
  convert: (from: From) => To,
): ReadonlyMap<string, To> {
  if (named === undefined) return builtIn;
  return new Map(Object.entries(named).map(([name, from]) => [name, convert(from)]));
}
