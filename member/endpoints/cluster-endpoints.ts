import type { Cluster } from '../cluster/cluster.ts';
import { bracketedAddress, clusterVersion, type MemberIdentity, memberVersion } from '../identity.ts';
import type { ManagementEndpoint, ManagementRoute } from '../management/management-route.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Handler, Route } from '../router.ts';
import { management } from './management-paths.ts';

export interface ClusterEndpointsDeps {
  readonly identity: MemberIdentity;
  readonly cluster: Cluster;
  readonly managementRoute: ManagementRoute;
  /** Open connections of the REST interface, the asking one included. */
  readonly countConnections: () => Promise<number>;
  /** Whether REST has a listener of its own, which other clients do not use. */
  readonly isRestApart: boolean;
}

/** What the cluster is, read only (docs/member-surface.md#cluster-information). */
export function createClusterRoutes({
  identity,
  cluster,
  managementRoute,
  countConnections,
  isRestApart,
}: ClusterEndpointsDeps): readonly Route[] {
  const instance = JSON.stringify({ name: identity.instanceName });
  const version = JSON.stringify({ status: 'success', version: clusterVersion });
  const nodes = JSON.stringify({ status: 'success', response: describeNodes(identity) });

  /**
   * As in docs/member-surface.md#cluster-information. There is no other member, so all connections are clients'; one to a listener that is
   * for REST alone counts for no client, as in the real engine.
   */
  async function showCluster({ res }: Call): Promise<void> {
    const connections = await countConnections();
    const { address, uuid } = identity;
    replyJson(
      res,
      JSON.stringify({
        members: [{ address, liteMember: false, localMember: true, uuid, memberVersion }],
        connectionCount: isRestApart ? 0 : connections,
        allConnectionCount: connections,
      }),
    );
  }

  function showState({ res }: Call): void {
    replyJson(res, JSON.stringify({ status: 'success', state: cluster.state.toLowerCase() }));
  }

  const known = (operation: string, handler: ManagementEndpoint['handler']): Route =>
    managementRoute({
      template: `${management}/${operation}`,
      group: 'CLUSTER_READ',
      valueCount: 2,
      handler,
    });

  return [
    { method: 'GET', template: 'rest/cluster', group: 'CLUSTER_READ', handler: showCluster },
    { method: 'GET', template: 'rest/instance', group: 'CLUSTER_READ', handler: show(instance) },
    { method: 'GET', template: `${management}/version`, group: 'CLUSTER_READ', handler: show(version) },
    known('state', showState),
    known('nodes', ({ res }) => replyJson(res, nodes)),
    { method: 'HEAD', template: 'rest/cluster', group: 'CLUSTER_READ', handler: head },
    { method: 'HEAD', template: 'rest/instance', group: 'CLUSTER_READ', handler: head },
    { method: 'HEAD', template: `${management}/version`, group: 'CLUSTER_READ', handler: head },
  ];
}

/** The real engine's text: the members, the build version, the version of the runtime. */
function describeNodes({ address, uuid }: MemberIdentity): string {
  return `[Member ${bracketedAddress(address)} - ${uuid} this]\n${memberVersion}\n${process.versions.node}`;
}

function show(json: string): Handler {
  return ({ res }) => replyJson(res, json);
}

function head({ res }: Call): void {
  replyEmpty(res, 200);
}
