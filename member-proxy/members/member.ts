import { createPool, type MemberPool, type PoolLimits } from '../../http/client/pool.ts';
import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import type { MemberCredentials } from '../forwarding/positional-body.ts';
import type { ProxyLimits } from '../limits.ts';
import {
  createMemberHealth,
  type HealthRules,
  healthRules,
  type MemberHealth,
  type ProbeOutcome,
} from './member-health.ts';
import type { MemberPrefix } from './prefix.ts';
import { createProber, type Prober } from './probe.ts';

/** A member that may be asked. */
export interface Member {
  /** Base address, such as `http://10.0.0.1:5701`. */
  readonly address: string;
  readonly pool: MemberPool;
  /** What the first path segment is there: as configured, as it answered, `svc` until then. */
  readonly prefix: MemberPrefix;
  /** Known once it has told it; a restart changes it. */
  readonly uuid: string | undefined;
  /** Endpoint groups that are off there, as far as its answers and its silence tell. */
  readonly offGroups: ReadonlySet<EndpointGroup>;
  /** Its cluster's name and password; the same object at all members of a set. Undefined: the proxy's own. */
  readonly credentials: MemberCredentials | undefined;
  /** Whether it is in, answers anything at all, and nothing since its last good probe speaks against it. */
  readonly isTrusted: boolean;
  /** Whether it is out by its own word, and nothing but reads may be sent to it a second time elsewhere. */
  readonly isLeaving: boolean;
  /** Whether it gets no calls but those that name it. */
  readonly isDrained: boolean;
  /** Why its last probe came to nothing, for people. */
  readonly trouble: string | undefined;
  /** The first path segment that it answers to, where it is not the one that is set for it. */
  readonly answersTo: MemberPrefix | undefined;
  /** In-flight calls; the exchange counts. */
  pending: number;
  /** It has said in an answer that it is going, or is told to go: it gets nothing more while there are others. */
  leave(way: Leaving): void;
  /** It was told to go, and has refused. */
  stay(): void;
  /** Asks it whether it is ready. @returns whether it is leaving by its own word, or is gone by now */
  askIfLeaving(): Promise<boolean>;
}

/** `said`: its probes say from now on that it is not ready; `told`: they may still say for a moment that it is. */
export type Leaving = 'said' | 'told';

export interface MemberStatus {
  readonly address: string;
  readonly uuid: string | undefined;
  /** What its cluster says of it; undefined until then. */
  readonly release: MemberRelease | undefined;
  readonly prefix: MemberPrefix;
  readonly isIn: boolean;
  /** Nothing since its last good probe speaks against it. */
  readonly isTrusted: boolean;
  readonly offGroups: readonly EndpointGroup[];
  /** Undefined before the first probe. */
  readonly lastProbe: ProbeOutcome | undefined;
  readonly isDrained: boolean;
  readonly trouble: string | undefined;
  readonly answersTo: MemberPrefix | undefined;
  readonly pending: number;
}

export interface MemberRelease {
  readonly version: string | undefined;
  readonly isLite: boolean;
}

export type MemberLimits = Pick<
  ProxyLimits,
  'connectMs' | 'memberConnections' | 'memberPolls' | 'memberWaiting' | 'replyMs' | 'waitMs'
>;

/** A member with what its probes have found. */
export interface KnownMember extends Candidate {
  isTrusted: boolean;
  isDrained: boolean;
  trouble: string | undefined;
  answersTo: MemberPrefix | undefined;
  /** Whether its prefix is known from elsewhere. */
  readonly isPrefixSet: boolean;
  /** The question of {@link Member.askIfLeaving} that is under way. */
  asked: Promise<boolean> | undefined;
  prefix: MemberPrefix;
  uuid: string | undefined;
  release: MemberRelease | undefined;
  offGroups: ReadonlySet<EndpointGroup>;
  isPrefixKnown: boolean;
  /** Monotonic milliseconds at which the groups were looked at; undefined when they have to be. */
  groupsSeenAt: number | undefined;
  /** Whether it stays when its cluster does not name it. */
  readonly isConfigured: boolean;
  /** `host:port` names by which it may be called. */
  readonly names: Set<string>;
  readonly health: MemberHealth;
  /** Undefined: it is taken as it is. */
  readonly prober: Prober | undefined;
  /** Of the next probe. */
  timer: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

export interface OpenMemberDeps {
  /** The first path segment, when it is known from elsewhere. */
  readonly prefix?: MemberPrefix | undefined;
  readonly limits: MemberLimits;
  readonly health?: HealthRules | undefined;
  /** Longest wait for the answer to a probe, milliseconds; undefined for no probes. */
  readonly probeReplyMs: number | undefined;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Hears of a connection that was refused. */
  readonly onUnreachable: (member: KnownMember) => void;
  /** Hear that it goes, or does not go after all. */
  readonly onLeaving: (member: KnownMember, way: Leaving) => void;
  readonly onStaying: (member: KnownMember) => void;
}

const none: ReadonlySet<EndpointGroup> = new Set();

/** Nothing is sent to it yet. */
export function openMember(
  address: string,
  { credentials, isConfigured }: Pick<KnownMember, 'credentials' | 'isConfigured'>,
  deps: OpenMemberDeps,
): KnownMember {
  const { prefix, limits, health: rules = healthRules, probeReplyMs, now, onUnreachable } = deps;
  const health = createMemberHealth(rules);
  const member: KnownMember = {
    address,
    credentials,
    pool: createPool({
      address,
      limits: poolLimits(limits),
      now,
      onUnreachable: () => onUnreachable(member),
    }),
    prefix: prefix ?? 'svc',
    isPrefixKnown: prefix !== undefined,
    uuid: undefined,
    release: undefined,
    offGroups: none,
    groupsSeenAt: undefined,
    pending: 0,
    isConfigured,
    names: new Set([new URL(address).host.toLowerCase()]),
    health,
    get isIn() {
      return health.isIn;
    },
    share: health.share,
    isTrusted: true,
    get isLeaving() {
      return health.isLeaving;
    },
    leave: (way) => deps.onLeaving(member, way),
    stay: () => deps.onStaying(member),
    askIfLeaving() {
      member.asked ??= askIfLeaving(member).finally(() => {
        member.asked = undefined;
      });
      return member.asked;
    },
    asked: undefined,
    isDrained: false,
    trouble: undefined,
    answersTo: undefined,
    isPrefixSet: prefix !== undefined,
    rank: 0,
    prober: probeReplyMs === undefined ? undefined : createProber(address, probeReplyMs, now),
    timer: undefined,
    isClosed: false,
  };
  return member;
}

async function askIfLeaving(member: KnownMember): Promise<boolean> {
  const finding = await member.prober?.probe(member.isPrefixKnown ? member.prefix : undefined);
  if (finding?.outcome === 'notReady') member.leave('said');
  return member.isLeaving || finding?.outcome === 'unreachable' || finding?.isMute === true;
}

/** Waits for in-flight calls, and closes its connections. */
export async function closeMember(member: KnownMember): Promise<void> {
  if (member.isClosed) return;
  member.isClosed = true;
  clearTimeout(member.timer);
  await Promise.all([member.prober?.close(), member.pool.close()]);
}

export function statusOf(member: KnownMember): MemberStatus {
  const { address, uuid, prefix, offGroups, health, isDrained, trouble, answersTo, pending } = member;
  return {
    address,
    uuid,
    release: member.release,
    prefix,
    isIn: health.isIn,
    isTrusted: member.isTrusted,
    offGroups: [...offGroups],
    lastProbe: health.last,
    isDrained,
    trouble,
    answersTo,
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

/** A member, as far as the choice goes by it. */
export interface Candidate extends Member {
  readonly isIn: boolean;
  /** Share of calls that it should get, 0 to 1: less than 1 for some time after it came back. */
  share(at: number): number;
  /** Its place in the order; the least comes first. Worked out anew for each call. */
  rank: number;
}
