/**
 * The members behind the proxy: which there are, and which of them gets a call. Only probes and refused
 * connections speak against a member; how it answers a call never does, because callers decide that (S67).
 */

import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import type { MemberCredentials } from '../forwarding/positional-body.ts';
import type { ClusterView } from './cluster-view.ts';
import { createHealthChecker } from './health-checker.ts';
import { rankMembers } from './load-balancing.ts';
import {
  closeMember,
  type KnownMember,
  type Member,
  type MemberLimits,
  type MemberStatus,
  openMember,
  statusOf,
} from './member.ts';
import { changesIn } from './member-discovery.ts';
import type { HealthRules } from './member-health.ts';
import type { MemberPrefix } from './prefix.ts';

export type { Member, MemberStatus };

export interface Members {
  /**
   * In the order in which they should be tried: least pending first, those that are out at the end. Members
   * where the group is off are left out while there are others, and those that are drained in any case.
   */
  rank(group: EndpointGroup): readonly Member[];
  /** @param name  UUID, or `host:port` as configured or as the member gives it */
  find(name: string): Member | undefined;
  /** The same, after the members have been asked once more what their cluster is. */
  resolve(name: string): Promise<Member | undefined>;
  /** The master of a member's cluster, which some calls are for; undefined where it is not known. */
  masterOf(member: Member): Promise<Member | undefined>;
  /** @param names  `host:port` of those that get no calls but by their name, and of nobody else */
  drain(names: ReadonlySet<string>): void;
  /** All of them, in the order of their configuration. */
  list(): readonly Member[];
  statuses(): readonly MemberStatus[];
  /** Resolves when each has been probed once. */
  readonly firstProbe: Promise<void>;
  /** Waits for in-flight calls and closes the connections. */
  close(): Promise<void>;
}

export interface MembersDeps {
  /** Base addresses. */
  readonly addresses: readonly string[];
  /** Follow the cluster: members that those of `addresses` name are asked too (docs/member-surface.md#cluster-information). */
  readonly isDiscovering?: boolean;
  /** What was discovered before this process began, as {@link MembersDeps.onDiscovered} told it. */
  readonly remembered?: readonly DiscoveredMember[];
  /** Hears of all that have been discovered, whenever that changes. */
  readonly onDiscovered?: (members: readonly DiscoveredMember[]) => void;
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
  /** Hears of a member that could not be reached the first time, or that answers to another prefix than is set. */
  readonly onTrouble?: (status: MemberStatus) => void;
}

export interface DiscoveredMember {
  /** Base address. */
  readonly address: string;
  /** Base address of the configured member that has named it. */
  readonly namedBy: string;
}

export interface ProbeTimes {
  /** Pause between two probes of one member, milliseconds. */
  readonly everyMs: number;
  /** Longest wait for an answer, milliseconds. */
  readonly replyMs: number;
}

export const probeTimes: ProbeTimes = { everyMs: 2_000, replyMs: 2_000 };

/** Shortest time between two rounds of questions that names of unknown members cause, milliseconds. */
const resolveEveryMs = 250;

export function createMembers(deps: MembersDeps): Members {
  const { addresses, isDiscovering = false, limits, probes, health, now, onChange } = deps;
  const { prefix, credentialsOf = () => undefined } = deps;
  const healthChecker = createHealthChecker({
    everyMs: probes?.everyMs,
    isFollowed: ({ isConfigured }) => isDiscovering && isConfigured,
    now,
    onChange: (member) => onChange?.(statusOf(member)),
    onTrouble: (member) => deps.onTrouble?.(statusOf(member)),
    onCluster(reporter, view) {
      recordUuids(view);
      if (isDiscovering && reporter.isConfigured) follow(reporter, view);
    },
  });
  const open = (address: string, known: Pick<KnownMember, 'credentials' | 'isConfigured'>) =>
    openMember(address, known, {
      prefix,
      limits,
      health,
      probeReplyMs: probes?.replyMs,
      now,
      onUnreachable: healthChecker.doubt,
      onLeaving: healthChecker.leave,
      onStaying: healthChecker.stay,
    });
  let all: readonly KnownMember[] = addresses.map((address) =>
    open(address, { credentials: credentialsOf(address), isConfigured: true }),
  );
  let discovered: readonly DiscoveredMember[] = isDiscovering
    ? (deps.remembered ?? []).filter(
        ({ address, namedBy }) => addresses.includes(namedBy) && !isHere(address),
      )
    : [];
  all = [
    ...all,
    ...discovered.map(({ address, namedBy }) =>
      open(address, { credentials: credentialsOf(namedBy), isConfigured: false }),
    ),
  ];
  let drained: ReadonlySet<string> = new Set();
  /** Those that calls are given to which name no member. */
  let takers = all;
  let turn = 0;
  let askedAt = -Infinity;
  let clusterQuestion: Promise<unknown> | undefined;
  const firstProbe = Promise.all(all.map((member) => healthChecker.start(member))).then(() => {});

  return {
    rank(group) {
      if (takers.length < 2) return takers;
      turn = (turn + 1) % takers.length;
      return rankMembers(withGroup(group), turn, now());
    },
    find,
    async resolve(name) {
      if (clusterQuestion === undefined && now() - askedAt >= resolveEveryMs) {
        askedAt = now();
        clusterQuestion = Promise.all(all.map(healthChecker.askForCluster)).finally(() => {
          clusterQuestion = undefined;
        });
      }
      await clusterQuestion;
      return find(name);
    },
    async masterOf(member) {
      const view = await healthChecker.askForCluster(member as KnownMember);
      // The longest in the cluster comes first (docs/member-surface.md#cluster-information).
      const [master] = view?.members ?? [];
      return master && (find(master.uuid) ?? find(master.address));
    },
    drain(names) {
      drained = names;
      updateDrained();
    },
    list: () => all,
    statuses: () => all.map(statusOf),
    firstProbe,
    async close() {
      await Promise.all(all.map(closeMember));
    },
  };

  function find(name: string): KnownMember | undefined {
    const wanted = name.toLowerCase();
    return all.find(({ uuid, names }) => uuid === wanted || names.has(wanted));
  }

  function isHere(address: string): boolean {
    return addresses.includes(address);
  }

  function withGroup(group: EndpointGroup): readonly KnownMember[] {
    if (takers.every(({ offGroups }) => !offGroups.has(group))) return takers;
    const able = takers.filter(({ offGroups }) => !offGroups.has(group));
    return able.length > 0 ? able : takers;
  }

  function updateDrained(): void {
    for (const member of all) member.isDrained = [...member.names].some((name) => drained.has(name));
    takers = all.some(({ isDrained }) => isDrained) ? all.filter(({ isDrained }) => !isDrained) : all;
  }

  /** One that was started anew is known by its new UUID as soon as another member says so. */
  function recordUuids({ members }: ClusterView): void {
    for (const { address, uuid, version, isLite } of members) {
      const member = all.find(({ names }) => names.has(address.toLowerCase()));
      if (member) member.release = { version, isLite };
      if (member && (member.uuid === undefined || !member.isIn)) member.uuid = uuid;
    }
  }

  /** One that joins takes the credentials that the member that named it does. */
  function follow(reporter: KnownMember, view: ClusterView): void {
    const { joining, leaving } = changesIn(all, reporter, view);
    if (joining.length === 0 && leaving.length === 0) return;
    const { credentials } = reporter;
    const joined = joining.map((address) => open(address, { credentials, isConfigured: false }));
    all = [...all.filter((member) => !leaving.includes(member)), ...joined];
    updateDrained();
    for (const member of joined) void healthChecker.start(member);
    for (const member of leaving) void closeMember(member);
    discovered = [
      ...discovered.filter(({ address }) => all.some((member) => member.address === address)),
      ...joining.map((address) => ({ address, namedBy: reporter.address })),
    ];
    deps.onDiscovered?.(discovered);
    recordUuids(view);
  }
}
