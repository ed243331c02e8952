import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Handler, Route } from '../router.ts';

export interface HealthEndpointsDeps {
  /** Whether the member takes work: false from the moment it is told to stop. */
  readonly isReady: () => boolean;
}

/**
 * Health probes (spec §4.1, §4.4 for `ready`; the payloads, which the spec does not show, are the
 * real engine's). A member alone is always safe, has nothing to migrate and is a cluster of one.
 */
export function createHealthRoutes({ isReady }: HealthEndpointsDeps): readonly Route[] {
  const nodeState = () => (isReady() ? 'ACTIVE' : 'PASSIVE');

  /** Spec §4.4: 503 while the member is not to be used. */
  function ready({ res }: Call): void {
    replyEmpty(res, isReady() ? 200 : 503);
  }

  function overview({ res }: Call): void {
    replyJson(res, JSON.stringify({ nodeState: nodeState(), ...alone }));
  }

  /** The overview as header fields. */
  function overviewHead({ res }: Call): void {
    res.writeHead(200, [
      ...['Content-Length', '0'],
      ...['Hazelcast-NodeState', nodeState()],
      ...['Hazelcast-ClusterState', alone.clusterState],
      ...['Hazelcast-MigrationQueueSize', String(alone.migrationQueueSize)],
      ...['Hazelcast-ClusterSize', String(alone.clusterSize)],
    ]);
    res.end();
  }

  return [
    { method: 'GET', template: 'health', group: 'HEALTH_CHECK', handler: overview },
    { method: 'HEAD', template: 'health', group: 'HEALTH_CHECK', handler: overviewHead },
    { method: 'GET', template: 'health/ready', group: 'HEALTH_CHECK', handler: ready },
    { method: 'GET', template: 'health/node-state', group: 'HEALTH_CHECK', handler: show(nodeState) },
    {
      method: 'GET',
      template: 'health/cluster-state',
      group: 'HEALTH_CHECK',
      handler: show(() => alone.clusterState),
    },
    { method: 'GET', template: 'health/cluster-safe', group: 'HEALTH_CHECK', handler: safe },
    {
      method: 'GET',
      template: 'health/migration-queue-size',
      group: 'HEALTH_CHECK',
      handler: show(() => alone.migrationQueueSize),
    },
    {
      method: 'GET',
      template: 'health/cluster-size',
      group: 'HEALTH_CHECK',
      handler: show(() => alone.clusterSize),
    },
    { method: 'GET', template: 'health/{probe...}', group: 'HEALTH_CHECK', handler: unknownProbe },
  ];
}

const alone = { clusterState: 'ACTIVE', clusterSafe: true, migrationQueueSize: 0, clusterSize: 1 };

function show(value: () => unknown): Handler {
  return ({ res }) => replyJson(res, JSON.stringify(value()));
}

function safe({ res }: Call): void {
  replyEmpty(res, 200);
}

/** The real engine answers 400, not 404, to a probe that it does not know. */
function unknownProbe({ res }: Call): void {
  replyEmpty(res, 400);
}
