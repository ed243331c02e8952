import type { Cluster } from '../cluster/cluster.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Handler, Route } from '../router.ts';

export interface HealthEndpointsDeps {
  readonly cluster: Cluster;
  /** Whether the member takes work: not while it starts, reads its data and stops. */
  readonly isReady: () => boolean;
}

/**
 * Health probes (docs/member-surface.md#health; the payloads, which the specification does not show, are the
 * real engine's). A member alone is always safe, has nothing to migrate and is a cluster of one.
 */
export function createHealthRoutes({ cluster, isReady }: HealthEndpointsDeps): readonly Route[] {
  /** 503 while the member is not to be used (docs/member-surface.md#health). */
  function ready({ res }: Call): void {
    replyEmpty(res, isReady() ? 200 : 503);
  }

  function overview({ res }: Call): void {
    const { nodeState, state: clusterState } = cluster;
    replyJson(res, JSON.stringify({ nodeState, clusterState, clusterSafe: true, ...alone }));
  }

  /** The overview as header fields. */
  function overviewHead({ res }: Call): void {
    res.writeHead(200, [
      ...['Content-Length', '0'],
      ...['Hazelcast-NodeState', cluster.nodeState],
      ...['Hazelcast-ClusterState', cluster.state],
      ...['Hazelcast-MigrationQueueSize', String(alone.migrationQueueSize)],
      ...['Hazelcast-ClusterSize', String(alone.clusterSize)],
    ]);
    res.end();
  }

  const values = {
    'node-state': () => cluster.nodeState,
    'cluster-state': () => cluster.state,
    'migration-queue-size': () => alone.migrationQueueSize,
    'cluster-size': () => alone.clusterSize,
  };
  const probe = (method: 'GET' | 'HEAD', template: string, handler: Handler): Route => ({
    method,
    template,
    group: 'HEALTH_CHECK',
    // Only `ready` may have something behind it (docs/member-surface.md#health).
    handler: handler === ready ? handler : exactly(template, method === 'HEAD' ? 404 : 400, handler),
  });

  return [
    probe('GET', 'health', overview),
    probe('HEAD', 'health', overviewHead),
    probe('GET', 'health/ready', ready),
    probe('GET', 'health/cluster-safe', safe),
    ...Object.entries(values).map(([name, value]) => probe('GET', `health/${name}`, show(value))),
    { method: 'GET', template: 'health/{probe...}', group: 'HEALTH_CHECK', handler: unknownProbe },
  ];
}

/** A slash or a query behind the path makes another probe of it, which nobody knows. */
function exactly(template: string, otherwise: 400 | 404, handler: Handler): Handler {
  return (call, ...names) => {
    const { url = '' } = call.req;
    const isExact = url.endsWith(`/${template}`) && !url.includes('?');
    return isExact ? handler(call, ...names) : replyEmpty(call.res, otherwise);
  };
}

const alone = { migrationQueueSize: 0, clusterSize: 1 };

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
