import { createClusterRoutes } from './endpoints/cluster-endpoints.ts';
import { createConfigRoutes } from './endpoints/config-endpoints.ts';
import { createCpRoutes } from './endpoints/cp-endpoints.ts';
import { createHealthRoutes } from './endpoints/health-endpoints.ts';
import { createLicenceRoutes } from './endpoints/licence-endpoints.ts';
import { createLogLevelRoutes } from './endpoints/log-level-endpoints.ts';
import { createManagementRoutes } from './endpoints/management-endpoints.ts';
import { createMapRoutes } from './endpoints/map-endpoints.ts';
import { createPersistenceRoutes } from './endpoints/persistence-endpoints.ts';
import { createQueueRoutes } from './endpoints/queue-endpoints.ts';
import { createWanRoutes } from './endpoints/wan-endpoints.ts';
import { createWanReceiverRoutes } from './endpoints/wan-receiver-endpoints.ts';
import type { Route } from './router.ts';

const makers = [
  ...[createMapRoutes, createQueueRoutes, createClusterRoutes, createManagementRoutes, createLogLevelRoutes],
  ...[createLicenceRoutes, createCpRoutes, createConfigRoutes, createPersistenceRoutes, createWanRoutes],
  ...[createWanReceiverRoutes, createHealthRoutes],
];

type DepsOf<Makers> = [Makers] extends [(deps: infer Deps) => unknown] ? Deps : never;

/** What all of them need together. */
export type RoutesDeps = DepsOf<(typeof makers)[number]>;

/** Every endpoint of the member: method, path, group (docs/member-surface.md#endpoint-groups) and handler. */
export function createRoutes(deps: RoutesDeps): readonly Route[] {
  return makers.flatMap((make) => make(deps));
}
