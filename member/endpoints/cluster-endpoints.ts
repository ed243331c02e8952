import { clusterVersion, type MemberIdentity, memberVersion } from '../identity.ts';
import { positionsOf } from '../positions.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { ReadBody } from '../request-body.ts';
import type { Call, Handler, Route } from '../router.ts';

export interface ClusterEndpointsDeps {
  readonly identity: MemberIdentity;
  readonly readBody: ReadBody;
  /** Open connections, the asking one included. */
  readonly countConnections: () => Promise<number>;
}

/** What the cluster is, read only (spec §4.3; §4.4 for the state). One member, always active. */
export function createClusterRoutes({
  identity,
  readBody,
  countConnections,
}: ClusterEndpointsDeps): readonly Route[] {
  const instance = JSON.stringify({ name: identity.instanceName });
  const version = JSON.stringify({ status: 'success', version: clusterVersion });
  const state = JSON.stringify({ status: 'success', state: 'active' });
  const nodes = JSON.stringify({ status: 'success', response: describeNodes(identity) });

  /** Spec §2.3. All connections are clients': there is no other member. */
  async function showCluster({ res }: Call): Promise<void> {
    const connections = await countConnections();
    const { address, uuid } = identity;
    replyJson(
      res,
      JSON.stringify({
        members: [{ address, liteMember: false, localMember: true, uuid, memberVersion }],
        connectionCount: connections,
        allConnectionCount: connections,
      }),
    );
  }

  /** Answers `json` to a caller whose body names the cluster; the password may be empty (spec §5.1). */
  function showToKnown(json: string): Handler {
    return async (call) => {
      const body = await readBody(call);
      if (body === undefined) return;
      const positions = positionsOf(body, 2);
      if (positions === undefined) return replyEmpty(call.res, 400);
      if (positions[0] !== identity.clusterName) return replyJson(call.res, unauthenticated, 403);
      replyJson(call.res, json);
    };
  }

  return [
    { method: 'GET', template: 'rest/cluster', group: 'CLUSTER_READ', handler: showCluster },
    { method: 'GET', template: 'rest/instance', group: 'CLUSTER_READ', handler: show(instance) },
    { method: 'GET', template: `${management}/version`, group: 'CLUSTER_READ', handler: show(version) },
    { method: 'POST', template: `${management}/state`, group: 'CLUSTER_READ', handler: showToKnown(state) },
    { method: 'POST', template: `${management}/nodes`, group: 'CLUSTER_READ', handler: showToKnown(nodes) },
    { method: 'HEAD', template: 'rest/cluster', group: 'CLUSTER_READ', handler: head },
    { method: 'HEAD', template: 'rest/instance', group: 'CLUSTER_READ', handler: head },
    { method: 'HEAD', template: `${management}/version`, group: 'CLUSTER_READ', handler: head },
  ];
}

const management = 'rest/management/cluster';

/** Spec §7 leaves the form of this refusal open: it is the real engine's. */
const unauthenticated = JSON.stringify({ status: 'fail', message: 'unauthenticated' });

/** The real engine's text: the members, the build version, the version of the runtime. */
function describeNodes({ address, uuid }: MemberIdentity): string {
  const separator = address.lastIndexOf(':');
  const host = address.slice(0, separator).replace(/^\[|\]$/g, '');
  const port = address.slice(separator + 1);
  return `[Member [${host}]:${port} - ${uuid} this]\n${memberVersion}\n${process.versions.node}`;
}

function show(json: string): Handler {
  return ({ res }) => replyJson(res, json);
}

function head({ res }: Call): void {
  replyEmpty(res, 200);
}
