import { type ClusterEndpointsDeps, createClusterRoutes } from './endpoints/cluster-endpoints.ts';
import { type ConfigEndpointsDeps, createConfigRoutes } from './endpoints/config-endpoints.ts';
import { type CpEndpointsDeps, createCpRoutes } from './endpoints/cp-endpoints.ts';
import { createHealthRoutes, type HealthEndpointsDeps } from './endpoints/health-endpoints.ts';
import { createLicenceRoutes, type LicenceEndpointsDeps } from './endpoints/licence-endpoints.ts';
import { createLogLevelRoutes, type LogLevelEndpointsDeps } from './endpoints/log-level-endpoints.ts';
import { createManagementRoutes, type ManagementEndpointsDeps } from './endpoints/management-endpoints.ts';
import { createMapRoutes, type MapEndpointsDeps } from './endpoints/map-endpoints.ts';
import { createPersistenceRoutes, type PersistenceEndpointsDeps } from './endpoints/persistence-endpoints.ts';
import { createQueueRoutes, type QueueEndpointsDeps } from './endpoints/queue-endpoints.ts';
import { createWanRoutes, type WanEndpointsDeps } from './endpoints/wan-endpoints.ts';
import {
  createWanReceiverRoutes,
  type WanReceiverEndpointsDeps,
} from './endpoints/wan-receiver-endpoints.ts';
import type { Route } from './router.ts';

export type RoutesDeps = MapEndpointsDeps &
  QueueEndpointsDeps &
  ClusterEndpointsDeps &
  ManagementEndpointsDeps &
  LogLevelEndpointsDeps &
  LicenceEndpointsDeps &
  CpEndpointsDeps &
  ConfigEndpointsDeps &
  PersistenceEndpointsDeps &
  WanEndpointsDeps &
  WanReceiverEndpointsDeps &
  HealthEndpointsDeps;

/** Every endpoint of the member: method, path, group (docs/member-surface.md#endpoint-groups) and handler. */
export function createRoutes(deps: RoutesDeps): readonly Route[] {
  return [
    ...createMapRoutes(deps),
    ...createQueueRoutes(deps),
    ...createClusterRoutes(deps),
    ...createManagementRoutes(deps),
    ...createLogLevelRoutes(deps),
    ...createLicenceRoutes(deps),
    ...createCpRoutes(deps),
    ...createConfigRoutes(deps),
    ...createPersistenceRoutes(deps),
    ...createWanRoutes(deps),
    ...createWanReceiverRoutes(deps),
    ...createHealthRoutes(deps),
  ];
}
