/**
 * The members behind the proxy: which there are, and which of them gets a call. Only probes and refused
 * connections speak against a member; how it answers a call never does, because callers decide that (S67).
 */
import { inOrder } from './choose-member.ts';
import type { ClusterView } from './cluster-view.ts';
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
import { createMemberWatch } from './member-watch.ts';
import type { MemberCredentials } from './positions.ts';
import type { MemberPrefix } from './prefix.ts';
import type { EndpointGroup } from './rule-table.ts';

export type { Member, MemberStatus };

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

export function createMembers(deps: MembersDeps): Members {
  const { addresses, isDiscovering = false, limits, probes, health, now, onChange } = deps;
  const { prefix, credentialsOf = () => undefined } = deps;
  const watch = createMemberWatch({
    everyMs: probes?.everyMs,
    isFollowed: ({ isConfigured }) => isDiscovering && isConfigured,
    now,
    onChange: (member) => onChange?.(statusOf(member)),
    onCluster: follow,
  });
  const open = (address: string, known: Pick<KnownMember, 'credentials' | 'isConfigured'>) =>
    openMember(address, known, {
      prefix,
      limits,
      health,
      probeReplyMs: probes?.replyMs,
      now,
      onRefused: watch.doubt,
      onLeaving: watch.leave,
      onStaying: watch.stay,
    });
  let all: readonly KnownMember[] = addresses.map((address) =>
    open(address, { credentials: credentialsOf(address), isConfigured: true }),
  );
  let turn = 0;
  for (const member of all) watch.start(member);

  return {
    choose(group) {
      if (all.length < 2) return all;
      turn = (turn + 1) % all.length;
      return inOrder(withGroup(group), turn, now());
    },
    find(name) {
      const wanted = name.toLowerCase();
      return all.find(({ uuid, names }) => uuid === wanted || names.has(wanted));
    },
    list: () => all,
    statuses: () => all.map(statusOf),
    async close() {
      await Promise.all(all.map(closeMember));
    },
  };

  function withGroup(group: EndpointGroup): readonly KnownMember[] {
    if (all.every(({ offGroups }) => !offGroups.has(group))) return all;
    const able = all.filter(({ offGroups }) => !offGroups.has(group));
    return able.length > 0 ? able : all;
  }

  /** One that joins takes the credentials that the member that named it does. */
  function follow(teller: KnownMember, view: ClusterView): void {
    const { joining, leaving } = changesIn(all, teller, view);
    if (joining.length === 0 && leaving.length === 0) return;
    const { credentials } = teller;
    const joined = joining.map((address) => open(address, { credentials, isConfigured: false }));
    all = [...all.filter((member) => !leaving.includes(member)), ...joined];
    for (const member of joined) watch.start(member);
    for (const member of leaving) void closeMember(member);
  }
}
