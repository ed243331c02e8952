/** Probes members for as long as they are some, and notes on each what was found (S67). */
import type { ClusterView } from './cluster-view.ts';
import type { KnownMember, Leaving } from './member.ts';
import type { MemberPrefix } from './prefix.ts';
import type { Finding, Prober } from './probe.ts';

export interface HealthChecker {
  /** Begins to probe it. Resolves after the first time. */
  start(member: KnownMember): Promise<void>;
  /** Asks it at once what it knows of its cluster. @returns undefined where it does not say */
  askForCluster(member: KnownMember): Promise<ClusterView | undefined>;
  /** Something speaks against it: others are asked first until a probe, which comes at once, says better. */
  doubt(member: KnownMember): void;
  /** It goes, by its own word or because it is told to: it is out at once, and its probes say when it is back. */
  leave(member: KnownMember, way: Leaving): void;
  stay(member: KnownMember): void;
}

export interface HealthCheckerDeps {
  /** Pause between two probes of one member, milliseconds; undefined for none at all. */
  readonly everyMs: number | undefined;
  /** Whether what a member says of its cluster is wanted from it each time, or once, for its UUID. */
  readonly isFollowed: (member: KnownMember) => boolean;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Hears of a member that comes in, goes out, or tells its prefix. */
  readonly onChange: (member: KnownMember) => void;
  /** Hears of a member that could not be reached the first time, or that answers to another prefix than is set for it. */
  readonly onTrouble: (member: KnownMember) => void;
  /** Hears what a member says of its cluster. */
  readonly onCluster: (member: KnownMember, view: ClusterView) => void;
}

/** How long a member that is told to go may take until its probes say so, milliseconds. */
const leavingMs = 10_000;
/** How often a member's groups are looked at anew, milliseconds. */
const groupsMs = 60_000;

export function createHealthChecker(deps: HealthCheckerDeps): HealthChecker {
  const { everyMs, isFollowed, now, onChange, onTrouble, onCluster } = deps;

  return {
    start: probe,
    async askForCluster(member) {
      const isKnown = member.isPrefixKnown && !member.isClosed && !member.offGroups.has('CLUSTER_READ');
      return isKnown && member.prober ? askForCluster(member, member.prober) : undefined;
    },
    doubt(member) {
      if (everyMs === undefined || !member.isTrusted || member.isClosed) return;
      member.isTrusted = false;
      if (member.timer !== undefined) probeNow(member);
    },
    leave(member, way) {
      // Nothing would bring it back.
      if (everyMs === undefined || member.isClosed) return;
      const hasMoved = member.health.leave(way === 'told' ? now() + leavingMs : now());
      member.isTrusted = false;
      if (!hasMoved) return;
      onChange(member);
      member.pool.suspect();
      if (member.timer !== undefined) probeNow(member);
    },
    stay(member) {
      if (everyMs === undefined || !member.health.stay()) return;
      member.isTrusted = true;
      onChange(member);
    },
  };

  function probeNow(member: KnownMember): void {
    clearTimeout(member.timer);
    void probe(member);
  }

  /** Once, and the next time after a pause. */
  async function probe(member: KnownMember): Promise<void> {
    const { prober, health } = member;
    if (!prober || everyMs === undefined) return;
    member.timer = undefined;
    const finding = await prober.probe(member.isPrefixKnown ? member.prefix : undefined);
    if (member.isClosed) return;
    const isNewPrefix = recordPrefix(member, finding.prefix);
    await recordTrouble(member, finding, prober);
    if (member.isClosed) return;
    const hasMoved = health.record(finding.outcome, now());
    // One that hangs up on everything would fail each call that nobody may repeat, while others could take it.
    member.isTrusted = health.isIn && finding.outcome !== 'unreachable' && finding.isMute !== true;
    if (finding.outcome === 'unreachable') {
      member.uuid = undefined;
      member.groupsSeenAt = undefined;
      // Reads that wait there can be answered elsewhere, long before their time is over.
      member.pool.suspect();
    } else {
      if (hasMoved && !health.isIn) member.pool.suspect();
      await probeGroups(member, prober);
    }
    if (isNewPrefix || hasMoved) onChange(member);
    // One whose health group is off may still tell its cluster.
    if (finding.outcome === 'ready' || finding.outcome === 'silent') {
      // One that was away has another UUID when it was started anew.
      const isWanted = member.uuid === undefined || isFollowed(member) || (hasMoved && health.isIn);
      if (isWanted && !member.offGroups.has('CLUSTER_READ')) await askForCluster(member, prober);
    }
    if (member.isClosed) return;
    member.timer = setTimeout(() => void probe(member), everyMs).unref();
  }

  /** Groups follow from a member's configuration, which it reads when it starts. */
  async function probeGroups(member: KnownMember, prober: Prober): Promise<void> {
    const isFresh = member.groupsSeenAt !== undefined && now() - member.groupsSeenAt < groupsMs;
    if (isFresh || !member.isPrefixKnown) return;
    member.offGroups = await prober.groupsOff(member.prefix);
    member.groupsSeenAt = now();
  }

  async function askForCluster(member: KnownMember, prober: Prober): Promise<ClusterView | undefined> {
    const view = await prober.cluster(member.prefix);
    if (!view || member.isClosed) return undefined;
    if (view.local) {
      member.uuid = view.local.uuid;
      member.names.add(view.local.address.toLowerCase());
    }
    onCluster(member, view);
    return view;
  }

  async function recordTrouble(member: KnownMember, finding: Finding, prober: Prober): Promise<void> {
    const isFirst = member.health.last === undefined;
    const before = member.answersTo;
    member.trouble = finding.reason;
    const isDeaf = finding.isMute === true || finding.reason === 'timeout';
    member.answersTo = member.isPrefixSet && isDeaf ? await prober.otherThan(member.prefix) : undefined;
    const isWrong = member.answersTo !== undefined && member.answersTo !== before;
    if ((isFirst && finding.outcome === 'unreachable') || isWrong) onTrouble(member);
  }
}

/** @returns whether something was learnt */
function recordPrefix(member: KnownMember, found: MemberPrefix | undefined): boolean {
  if (found === undefined || (member.isPrefixKnown && member.prefix === found)) return false;
  member.prefix = found;
  member.isPrefixKnown = true;
  return true;
}
