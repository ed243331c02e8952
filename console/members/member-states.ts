/** How the members are, for people and programs, and which of them take calls. */
import type { MemberStatus } from '../../member-proxy/members/members.ts';
import { type EndpointGroup, endpointGroups } from '../../platform/endpoint-groups.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { MemberRecords } from './member-records.ts';

export interface MemberState {
  /** `host:port`. */
  readonly id: string;
  readonly address: string;
  readonly uuid: string | null;
  /** Of its release; null until its cluster has told it, as what comes next. */
  readonly version: string | null;
  readonly kind: 'data' | 'lite' | null;
  /** What its last probe has found; null before the first one. */
  readonly health: 'ready' | 'notReady' | 'silent' | 'unreachable' | null;
  /** Whether it gets its share of calls, or others are asked first, or it is out; null until it has been asked. */
  readonly circuit: 'closed' | 'halfOpen' | 'open' | null;
  /** Whether it gets calls; unknown until it has been asked, and where no console runs. */
  readonly state: 'in' | 'out' | 'unknown';
  /** Why its last probe came to nothing. */
  readonly reason: string | null;
  readonly isDrained: boolean;
  /** Calls that are under way there; null where no console runs. */
  readonly inFlight: number | null;
  /** False: off there, as far as its answers tell. */
  readonly groups: Readonly<Record<EndpointGroup, boolean>>;
}

export interface MemberStatesDeps {
  readonly memberRecords: MemberRecords;
  /** Absent where no console runs. */
  readonly statuses?: (() => readonly MemberStatus[]) | undefined;
  /** Base addresses, as the settings name them. */
  readonly configured: readonly string[];
}

export function createMemberStates({ memberRecords, statuses, configured }: MemberStatesDeps) {
  const list = (): readonly MemberState[] => {
    const drained = memberRecords.drained();
    if (statuses) return statuses().map((status) => stateOf(status, drained));
    return configured.map((address) => unasked(address, drained));
  };
  /** @param name  `host:port`, or its UUID while a console runs. @throws {ProblemError} `not_found` */
  const get = (name: string): MemberState => find(list(), name.toLowerCase());

  return {
    list,
    get,
    /**
     * Gives it no call any more but those that name it.
     *
     * @returns whether it is new
     * @throws {ProblemError} `not_found`; `conflict` for the only one that takes calls
     */
    async drain(name: string): Promise<boolean> {
      const { id } = get(name);
      if (!list().some((other) => other.id !== id && !other.isDrained)) {
        throw new ProblemError(
          problems.conflict,
          `${id} is the only member that takes calls: undrain another first.`,
        );
      }
      return memberRecords.drain(id);
    },
    /** One that is not there any more can be undrained all the same. @returns whether it was drained */
    undrain(name: string): Promise<boolean> {
      const isGone = memberRecords.drained().has(name.toLowerCase());
      return memberRecords.undrain(isGone ? name.toLowerCase() : get(name).id);
    },
  };
}

function find(all: readonly MemberState[], name: string): MemberState {
  const found = all.find(({ id, uuid }) => id === name || uuid === name);
  if (found) return found;
  throw new ProblemError(
    problems.notFound,
    `There is no member ${JSON.stringify(name)}. npx console member list shows them by host:port.`,
  );
}

function stateOf(status: MemberStatus, drained: ReadonlySet<string>): MemberState {
  const { address, uuid, isIn, lastProbe, trouble, answersTo, pending, offGroups } = status;
  const id = new URL(address).host;
  const isGood = lastProbe === 'ready' || lastProbe === 'silent';
  return {
    id,
    address,
    uuid: uuid ?? null,
    version: status.release?.version ?? null,
    kind: status.release ? (status.release.isLite ? 'lite' : 'data') : null,
    health: lastProbe ?? null,
    circuit: lastProbe === undefined ? null : !isIn ? 'open' : status.isTrusted ? 'closed' : 'halfOpen',
    state: lastProbe === undefined ? 'unknown' : isIn && lastProbe !== 'unreachable' ? 'in' : 'out',
    reason: answersTo
      ? `answers to /${answersTo}`
      : (trouble ?? (isGood ? null : (lastProbe ?? 'not asked yet'))),
    isDrained: drained.has(id),
    inFlight: pending,
    groups: groupsWithout(offGroups),
  };
}

function unasked(address: string, drained: ReadonlySet<string>): MemberState {
  const id = new URL(address).host;
  return {
    id,
    address,
    uuid: null,
    version: null,
    kind: null,
    health: null,
    circuit: null,
    state: 'unknown',
    reason: 'no console runs',
    isDrained: drained.has(id),
    inFlight: null,
    groups: groupsWithout([]),
  };
}

function groupsWithout(off: readonly EndpointGroup[]): Readonly<Record<EndpointGroup, boolean>> {
  return Object.fromEntries(endpointGroups.map((group) => [group, !off.includes(group)])) as Readonly<
    Record<EndpointGroup, boolean>
  >;
}
