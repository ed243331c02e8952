/** The state of the cluster, as a member that stands alone tells and changes it. */
import { OperationFailedError } from '../operation-failed.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The states that a cluster may be set to, each from each (docs/member-surface.md#cluster-states). */
export const clusterStates = ['ACTIVE', 'NO_MIGRATION', 'FROZEN', 'PASSIVE'] as const;

export type ClusterState = (typeof clusterStates)[number];

/** What a member says of itself: PASSIVE with its cluster, and while it stops. */
export type NodeState = 'STARTING' | 'ACTIVE' | 'PASSIVE' | 'SHUT_DOWN';

/**
 * The state of the cluster that this member is, and what follows from it. With nobody to join, to leave
 * and to migrate to, NO_MIGRATION and FROZEN forbid nothing that could happen here; PASSIVE forbids writes.
 */
export interface Cluster {
  readonly state: ClusterState;
  readonly nodeState: NodeState;
  /** Maps and queues take writes, polls among them; if not, a write is 500 and changes nothing. */
  readonly isWritable: boolean;
  /**
   * @param operation  what was to be done, such as `map put`, for the log
   * @throws {OperationFailedError} unless `isWritable`
   */
  assertWritable(operation: string): void;
  /**
   * @returns whether it was in another state before
   * @throws {OperationFailedError} while the member starts or stops
   */
  changeState(state: ClusterState): boolean;
}

export interface ClusterDeps {
  readonly lifecycle: Lifecycle;
  /** Hears of every change, from a state to another. */
  readonly onChange?: (from: ClusterState, to: ClusterState) => void;
}

export function createCluster({ lifecycle, onChange = () => {} }: ClusterDeps): Cluster {
  let state: ClusterState = 'ACTIVE';

  return {
    get state() {
      return state;
    },
    get nodeState() {
      if (lifecycle.phase === 'starting') return 'STARTING';
      if (lifecycle.phase === 'stopped') return 'SHUT_DOWN';
      return lifecycle.phase === 'stopping' || state === 'PASSIVE' ? 'PASSIVE' : 'ACTIVE';
    },
    get isWritable() {
      return state !== 'PASSIVE';
    },
    assertWritable(operation) {
      if (state !== 'PASSIVE') return;
      throw new OperationFailedError(`Cluster is in PASSIVE state! Operation: ${operation}`);
    },
    changeState(to) {
      if (!lifecycle.isReady) {
        throw new OperationFailedError(
          `the cluster state cannot change while the member is ${lifecycle.phase}`,
        );
      }
      if (to === state) return false;
      const from = state;
      state = to;
      onChange(from, to);
      return true;
    },
  };
}
