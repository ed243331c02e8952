import { type Cluster, type ClusterState, clusterStates } from '../cluster/cluster.ts';
import type { Lifecycle } from '../cluster/lifecycle.ts';
import { acceptClusterVersion } from '../cluster/version.ts';
import { clusterVersion } from '../identity.ts';
import type { ManagementEndpoint, ManagementRoute } from '../management/management-route.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';
import { management } from './management-paths.ts';

export interface ManagementEndpointsDeps {
  readonly cluster: Cluster;
  readonly lifecycle: Lifecycle;
  readonly managementRoute: ManagementRoute;
  /** Stops the member, replies under way first; more than one call is one. */
  readonly shutDown: () => void;
}

/**
 * What changes the cluster (docs/member-surface.md#changes-of-the-cluster). The replies, which the specification does not
 * show, are the real engine's.
 */
export function createManagementRoutes({
  cluster,
  lifecycle,
  managementRoute,
  shutDown,
}: ManagementEndpointsDeps): readonly Route[] {
  /** `fail` says that the cluster was in that state before; nothing else of the reply differs. */
  function changeState({ res }: Call, [name = '']: readonly string[]): void {
    const state = stateNamed(name);
    const status = cluster.changeState(state) ? 'success' : 'fail';
    replyJson(res, JSON.stringify({ status, state: state.toLowerCase() }));
  }

  function changeVersion({ res }: Call, [version = '']: readonly string[]): void {
    acceptClusterVersion(version);
    replyJson(res, JSON.stringify({ status: 'success', version: clusterVersion }));
  }

  /** No write is taken any more once the cluster is PASSIVE; then every member, this one, stops. */
  function shutDownCluster(call: Call): void {
    stopAfterReply(call, () => {
      if (lifecycle.isReady) cluster.changeState('PASSIVE');
      shutDown();
    });
  }

  function shutDownMember(call: Call): void {
    stopAfterReply(call, shutDown);
  }

  /** The caller hears of it first: the connection ends with the member. */
  function stopAfterReply({ res }: Call, stop: () => void): void {
    res.shouldKeepAlive = false;
    res.once('close', stop);
    replyJson(res, success);
  }

  const route = (operation: string, valueCount: number, handler: ManagementEndpoint['handler']): Route =>
    managementRoute({
      template: `${management}/${operation}`,
      group: 'CLUSTER_WRITE',
      valueCount: valueCount,
      handler,
    });

  return [
    route('changeState', 3, changeState),
    route('version', 3, changeVersion),
    route('clusterShutdown', 2, shutDownCluster),
    route('memberShutdown', 2, shutDownMember),
  ];
}

const success = JSON.stringify({ status: 'success' });

/** @throws {OperationFailedError} also for `in_transition`, which the real engine keeps for itself */
function stateNamed(text: string): ClusterState {
  const name = text.toUpperCase();
  const state = clusterStates.find((each) => each === name);
  if (state !== undefined) return state;
  throw new OperationFailedError(`no such cluster state to change to; known are ${clusterStates.join(', ')}`);
}
