/** One look at a member: does it answer, is it ready, and under which first path segment (S67). */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf, UpstreamFailure } from '../../http/client/failure.ts';
import { createProbeClient } from '../../http/client/probe-client.ts';
import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import { type ClusterView, readClusterView } from './cluster-view.ts';
import type { ProbeOutcome } from './member-health.ts';
import { type MemberPrefix, memberPrefixes } from './prefix.ts';

export interface Finding {
  readonly outcome: ProbeOutcome;
  /** Undefined as long as nothing that the member said tells it. */
  readonly prefix?: MemberPrefix;
  /** Whether it hung up on every path: its REST interface is off, or it is going down. */
  readonly isMute?: boolean;
  /** Why nothing came of it: a code of the system, of TLS, or `timeout`. */
  readonly reason?: string;
}

export interface Prober {
  /**
   * Asks for readiness.
   *
   * @param known  the prefix that the member has answered to before; without it both are tried side by side, for
   *   a listener of the advanced network hangs on paths that it does not know
   */
  probe(known: MemberPrefix | undefined): Promise<Finding>;
  /** The prefix that it answers to when it does not answer to this one. */
  otherThan(prefix: MemberPrefix): Promise<MemberPrefix | undefined>;
  /** What the member says about its cluster; undefined when it says nothing of use, or its group is off. */
  cluster(prefix: MemberPrefix): Promise<ClusterView | undefined>;
  /** The groups that are off: at those the real engine hangs up, and the member of this product answers 403. */
  groupsOff(prefix: MemberPrefix): Promise<ReadonlySet<EndpointGroup>>;
  close(): Promise<void>;
}

/** A path of each group; `HEAD` changes nothing on any of them (docs/member-surface.md#on-the-wire). */
const groupPaths: Readonly<Record<EndpointGroup, string>> = {
  HEALTH_CHECK: '/health',
  CLUSTER_READ: '/rest/cluster',
  CLUSTER_WRITE: '/rest/management/cluster/changeState',
  PERSISTENCE: '/rest/management/cluster/forceStart',
  WAN: '/rest/wan/sync/map',
  DATA: '/rest/maps/-/-',
  CP: '/rest/cp-subsystem/groups',
};

/** How long an answer under `svc` is waited for when there is one under the other prefix, milliseconds. */
const preferenceMs = 100;
/** More than a cluster of a thousand members says. */
const longestReply = 1024 * 1024;

/**
 * @param address  base address of the member
 * @param replyMs  longest wait for a connection, and for a reply, milliseconds
 * @param now      monotonic milliseconds
 */
export function createProber(address: string, replyMs: number, now: () => number): Prober {
  const member = createProbeClient({ address, replyMs, mostBytes: longestReply, now });

  return {
    async probe(known) {
      const probes = (known ? [known] : memberPrefixes).map(ask);
      const said = await firstThatSays(probes);
      if (said) return said;
      const findings = await Promise.all(probes);
      const lost = findings.find(({ outcome }) => outcome === 'unreachable');
      if (lost) return lost;
      if (known) return { outcome: 'silent', isMute: (await signsUnder(known)) === 'none' };
      return { outcome: 'silent', ...(await otherSign()) };
    },
    async otherThan(prefix) {
      const other = memberPrefixes.find((one) => one !== prefix)!;
      return saysSomething(await ask(other)) || (await cluster(other)) ? other : undefined;
    },
    cluster,
    async groupsOff(prefix) {
      const off = new Set<EndpointGroup>();
      let hungUp = 0;
      for (const [group, path] of Object.entries(groupPaths) as [EndpointGroup, string][]) {
        const sign = await signAt(`/${prefix}${path}`);
        if (sign === 'hung up') hungUp += 1;
        if (sign === 'hung up' || sign === 'rejected') off.add(group);
      }
      // A member that hangs up on everything may just be going down.
      return hungUp < Object.keys(groupPaths).length ? off : new Set();
    },
    close: member.close,
  };

  async function cluster(prefix: MemberPrefix): Promise<ClusterView | undefined> {
    try {
      const { status, text } = await member.ask('GET', `/${prefix}/rest/cluster`);
      return status === 200 ? readClusterView(text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** A member whose health group is off may still say who it is, or answer for another group. */
  async function otherSign(): Promise<Pick<Finding, 'prefix' | 'isMute'>> {
    for (const prefix of memberPrefixes) {
      if (await cluster(prefix)) return { prefix };
    }
    const [svc, hazelcast] = await Promise.all([signsUnder('svc'), signsUnder('hazelcast')]);
    if (svc === 'none' && hazelcast === 'none') return { isMute: true };
    // The real engine hangs up under a segment that is not its own; a member of this product answers to both.
    if (hazelcast === 'none' || (svc === 'rejected' && hazelcast === 'rejected')) return { prefix: 'svc' };
    return svc === 'none' ? { prefix: 'hazelcast' } : {};
  }

  /** `refused`: it told of a group that it is off, which the member of this product does. */
  async function signsUnder(prefix: MemberPrefix): Promise<'rejected' | 'other' | 'none'> {
    for (const path of Object.values(groupPaths)) {
      const sign = await signAt(`/${prefix}${path}`);
      if (sign === 'rejected') return 'rejected';
      if (sign === 'answered') return 'other';
    }
    return 'none';
  }

  async function signAt(path: string): Promise<'answered' | 'rejected' | 'hung up' | 'unreachable'> {
    try {
      const { status } = await member.ask('HEAD', path);
      return status === 403 ? 'rejected' : 'answered';
    } catch (error) {
      return hasHungUp(error) ? 'hung up' : 'unreachable';
    }
  }

  async function ask(prefix: MemberPrefix): Promise<Finding> {
    try {
      const { status } = await member.ask('GET', `/${prefix}/health/ready`);
      if (status === 200) return { outcome: 'ready', prefix };
      return status === 503 ? { outcome: 'notReady', prefix } : { outcome: 'silent' };
    } catch (error) {
      return hasHungUp(error) ? { outcome: 'silent' } : { outcome: 'unreachable', reason: reasonOf(error) };
    }
  }
}

/** The first that says whether it is ready, `svc` before the other where both do. */
async function firstThatSays(probes: readonly Promise<Finding>[]): Promise<Finding | undefined> {
  const saying = probes.map(async (probe) => {
    const finding = await probe;
    if (!saysSomething(finding)) throw new Error('it does not say');
    return finding;
  });
  const first = await Promise.any(saying).catch(() => undefined);
  if (first === undefined || first.prefix === memberPrefixes[0]) return first;
  const preferred = saying[0]!.catch(() => first);
  return Promise.race([preferred, pause(preferenceMs, first, { ref: false })]);
}

function saysSomething({ outcome }: Finding): boolean {
  return outcome === 'ready' || outcome === 'notReady';
}

/** How the real engine denies: it takes the connection and closes it without a byte (docs/member-surface.md#routing). */
function hasHungUp(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.reason === 'hungUp';
}
