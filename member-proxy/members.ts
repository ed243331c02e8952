/**
 * The members behind the proxy: their connections, whether they take part, and which of them gets a
 * call. Only probes and refused connections speak against a member; how it answers a call never does,
 * because callers decide that (S67).
 */
import { type Candidate, inOrder } from './choose-member.ts';
import type { ProxyLimits } from './limits.ts';
import {
  createMemberHealth,
  type HealthRules,
  healthRules,
  type MemberHealth,
  type ProbeOutcome,
} from './member-health.ts';
import type { MemberCredentials } from './positions.ts';
import type { MemberPrefix } from './prefix.ts';
import { createProber, type Prober } from './probe.ts';
import type { EndpointGroup } from './rule-table.ts';
import { createPool, type MemberPool, type PoolLimits } from './upstream/pool.ts';

/** A member that may be asked. */
export interface Member {
  /** Base address, such as `http://10.0.0.1:5701`. */
  readonly address: string;
  readonly pool: MemberPool;
  /** What the first path segment is there: as configured, as it answered, `svc` until then. */
  readonly prefix: MemberPrefix;
  /** Known once it has told it; a restart changes it. */
  readonly uuid: string | undefined;
  /** Endpoint groups that are off there, as far as its silence tells. */
  readonly offGroups: ReadonlySet<EndpointGroup>;
  /** Its cluster's name and password; the same object at all members of a set. Undefined: the proxy's own. */
  readonly credentials: MemberCredentials | undefined;
  /** Whether it is in, and nothing since its last good probe speaks against it. */
  readonly isTrusted: boolean;
  /** Calls under way; the exchange counts. */
  pending: number;
}

export interface MemberStatus {
  readonly address: string;
  readonly uuid: string | undefined;
  readonly prefix: MemberPrefix;
  readonly isIn: boolean;
  readonly offGroups: readonly EndpointGroup[];
  /** Undefined before the first probe. */
  readonly lastProbe: ProbeOutcome | undefined;
  readonly pending: number;
}

export interface Members {
  /**
   * In the order in which they should be tried: least pending first, those that are out at the end. Members
   * where the group is off are left out while there are others.
   */
  choose(group: EndpointGroup): readonly Member[];
  /** @param name  UUID, or `host:port` as configured or as the member gives it */
  find(name: string): Member | undefined;
  /** All of them, in the order of their configuration. */
  list(): readonly Member[];
  statuses(): readonly MemberStatus[];
  /** Waits for calls under way and closes the connections. */
  close(): Promise<void>;
}

export type MemberLimits = Pick<
  ProxyLimits,
  'connectMs' | 'memberConnections' | 'memberPolls' | 'memberWaiting' | 'replyMs' | 'waitMs'
>;

export interface MembersDeps {
  /** Base addresses. */
  readonly addresses: readonly string[];
  /** Follow the cluster: members that those of `addresses` name are asked too (spec 2.3). */
  readonly isDiscovering?: boolean;
  /** The first path segment at all of them, when it is known from elsewhere. */
  readonly prefix?: MemberPrefix | undefined;
  /** What members of a set of their own take; one that is discovered takes what the member that named it does. */
  readonly credentialsOf?: (address: string) => MemberCredentials | undefined;
  readonly limits: MemberLimits;
  /** Undefined: members are taken as they are. */
  readonly probes?: ProbeTimes | undefined;
  readonly health?: HealthRules;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Hears of a member that comes in, goes out, or tells its prefix. */
  readonly onChange?: (status: MemberStatus) => void;
}

export interface ProbeTimes {
  /** Pause between two probes of one member, milliseconds. */
  readonly everyMs: number;
  /** Longest wait for an answer, milliseconds. */
  readonly replyMs: number;
}

export const probeTimes: ProbeTimes = { everyMs: 2_000, replyMs: 2_000 };

/** How often a member's groups are looked at anew, milliseconds. */
const groupsMs = 60_000;
const none: ReadonlySet<EndpointGroup> = new Set();

interface Entry extends Candidate {
  isTrusted: boolean;
  prefix: MemberPrefix;
  uuid: string | undefined;
  offGroups: ReadonlySet<EndpointGroup>;
  hasToldPrefix: boolean;
  /** Monotonic milliseconds at which the groups were looked at; undefined when they have to be. */
  groupsSeenAt: number | undefined;
  readonly isConfigured: boolean;
  /** `host:port` names by which it may be called. */
  readonly names: Set<string>;
  readonly health: MemberHealth;
  readonly prober: Prober | undefined;
  timer: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

export function createMembers(deps: MembersDeps): Members {
  const { addresses, isDiscovering = false, limits, probes, now, onChange } = deps;
  const { credentialsOf = () => undefined } = deps;
  let entries: readonly Entry[] = addresses.map((address) => open(address, credentialsOf(address), true));
  let turn = 0;
  if (probes) for (const entry of entries) void watch(entry);

  return {
    choose(group) {
      if (entries.length < 2) return entries;
      turn = (turn + 1) % entries.length;
      return inOrder(withGroup(group), turn, now());
    },
    find(name) {
      const wanted = name.toLowerCase();
      return entries.find(({ uuid, names }) => uuid === wanted || names.has(wanted));
    },
    list: () => entries,
    statuses: () => entries.map(statusOf),
    async close() {
      await Promise.all(entries.map(shut));
    },
  };

  function withGroup(group: EndpointGroup): readonly Entry[] {
    if (entries.every(({ offGroups }) => !offGroups.has(group))) return entries;
    const open = entries.filter(({ offGroups }) => !offGroups.has(group));
    return open.length > 0 ? open : entries;
  }

  function open(address: string, credentials: MemberCredentials | undefined, isConfigured: boolean): Entry {
    const { host } = new URL(address);
    const health = createMemberHealth(deps.health ?? healthRules);
    const onRefused = () => doubt(entry);
    const entry: Entry = {
      address,
      credentials,
      pool: createPool({ address, limits: poolLimits(limits), now, onRefused }),
      prefix: deps.prefix ?? 'svc',
      hasToldPrefix: deps.prefix !== undefined,
      uuid: undefined,
      offGroups: none,
      groupsSeenAt: undefined,
      pending: 0,
      isConfigured,
      names: new Set([host.toLowerCase()]),
      health,
      get isIn() {
        return health.isIn;
      },
      share: health.share,
      isTrusted: true,
      rank: 0,
      prober: probes && createProber(address, probes.replyMs, now),
      timer: undefined,
      isClosed: false,
    };
    return entry;
  }

  async function shut(entry: Entry): Promise<void> {
    if (entry.isClosed) return;
    entry.isClosed = true;
    clearTimeout(entry.timer);
    await Promise.all([entry.prober?.close(), entry.pool.close()]);
  }

  /** Probes one member for as long as it is one. */
  async function watch(entry: Entry): Promise<void> {
    const { prober, health } = entry;
    if (!prober || !probes) return;
    entry.timer = undefined;
    const finding = await prober.look(entry.hasToldPrefix ? entry.prefix : undefined);
    if (entry.isClosed) return;
    const isNews = followPrefix(entry, finding.prefix);
    const hasMoved = health.note(finding.outcome, now());
    entry.isTrusted = health.isIn && finding.outcome !== 'unreachable';
    if (finding.outcome === 'unreachable') {
      entry.uuid = undefined;
      entry.groupsSeenAt = undefined;
      // Reads that wait there can be answered elsewhere, long before their time is over.
      entry.pool.suspect();
    } else {
      await followGroups(entry, prober);
    }
    if (isNews || hasMoved) onChange?.(statusOf(entry));
    // One whose health group is off may still tell its cluster.
    if (finding.outcome === 'ready' || finding.outcome === 'silent') await followCluster(entry, prober);
    if (entry.isClosed) return;
    entry.timer = setTimeout(() => void watch(entry), probes.everyMs).unref();
  }

  /** A connection was refused: others are asked first until a probe, which comes at once, says better. */
  function doubt(entry: Entry): void {
    if (!probes || !entry.isTrusted || entry.isClosed) return;
    entry.isTrusted = false;
    if (entry.timer === undefined) return;
    clearTimeout(entry.timer);
    void watch(entry);
  }

  /** @returns whether something was learnt */
  function followPrefix(entry: Entry, found: MemberPrefix | undefined): boolean {
    if (found === undefined || (entry.hasToldPrefix && entry.prefix === found)) return false;
    entry.prefix = found;
    entry.hasToldPrefix = true;
    return true;
  }

  /** Groups follow from a member's configuration, which it reads when it starts. */
  async function followGroups(entry: Entry, prober: Prober): Promise<void> {
    const isFresh = entry.groupsSeenAt !== undefined && now() - entry.groupsSeenAt < groupsMs;
    if (isFresh || !entry.hasToldPrefix) return;
    const offGroups = await prober.groupsOff(entry.prefix);
    entry.offGroups = offGroups;
    entry.groupsSeenAt = now();
  }

  /** The UUID is asked for once; the list of members, when it is followed, each time. */
  async function followCluster(entry: Entry, prober: Prober): Promise<void> {
    if (entry.offGroups.has('CLUSTER_READ')) return;
    if (entry.uuid !== undefined && !(isDiscovering && entry.isConfigured)) return;
    const view = await prober.cluster(entry.prefix);
    if (!view || entry.isClosed) return;
    if (view.local) {
      entry.uuid = view.local.uuid;
      entry.names.add(view.local.address.toLowerCase());
    }
    if (isDiscovering && entry.isConfigured) {
      followMembers(
        view.members.map(({ address }) => address),
        entry.credentials,
      );
    }
  }

  /** Members that the cluster names join; those that it no longer names, and nobody configured, leave. */
  function followMembers(found: readonly string[], credentials: MemberCredentials | undefined): void {
    const { protocol } = new URL(addresses[0]!);
    const known = (name: string) => entries.some(({ names }) => names.has(name.toLowerCase()));
    const joining = found
      .filter((name) => !known(name))
      .map((name) => open(`${protocol}//${name}`, credentials, false));
    const leaving = entries.filter(
      // Members of another set are of another cluster, which this one does not name.
      (entry) =>
        !entry.isConfigured &&
        entry.credentials === credentials &&
        !found.some((name) => entry.names.has(name.toLowerCase())),
    );
    if (joining.length === 0 && leaving.length === 0) return;
    entries = [...entries.filter((entry) => !leaving.includes(entry)), ...joining];
    for (const entry of joining) void watch(entry);
    for (const entry of leaving) void shut(entry);
  }
}

function statusOf({ address, uuid, prefix, offGroups, health, pending }: Entry): MemberStatus {
  return {
    address,
    uuid,
    prefix,
    isIn: health.isIn,
    offGroups: [...offGroups],
    lastProbe: health.last,
    pending,
  };
}

function poolLimits(limits: MemberLimits): PoolLimits {
  return {
    connectMs: limits.connectMs,
    stallMs: limits.replyMs,
    connections: limits.memberConnections,
    polls: limits.memberPolls,
    waiting: limits.memberWaiting,
    waitMs: limits.waitMs,
  };
}
