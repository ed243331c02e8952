import { type ClusterEndpointsDeps, createClusterRoutes } from './endpoints/cluster-endpoints.ts';
import { createHealthRoutes, type HealthEndpointsDeps } from './endpoints/health-endpoints.ts';
import { createMapRoutes, type MapEndpointsDeps } from './endpoints/map-endpoints.ts';
import { createQueueRoutes, type QueueEndpointsDeps } from './endpoints/queue-endpoints.ts';
import type { Route } from './router.ts';

export type RoutesDeps = MapEndpointsDeps & QueueEndpointsDeps & ClusterEndpointsDeps & HealthEndpointsDeps;

/** Every endpoint of the member: method, path, group (spec §4.1) and handler. */
export function createRoutes(deps: RoutesDeps): readonly Route[] {
  return [
    ...createMapRoutes(deps),
    ...createQueueRoutes(deps),
    ...createClusterRoutes(deps),
    ...createHealthRoutes(deps),
  ];
}
