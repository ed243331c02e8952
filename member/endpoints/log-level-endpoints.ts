import type { LogLevels } from '../management/log-levels.ts';
import type { ManagementRoute } from '../management/management-route.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';

export interface LogLevelEndpointsDeps {
  readonly logLevels: LogLevels;
  readonly managementRoute: ManagementRoute;
  readonly isSecured: boolean;
}

/**
 * The level of this member's log (docs/member-surface.md#changes-of-the-cluster). The replies, which the specification does
 * not show, are the real engine's.
 */
export function createLogLevelRoutes({
  logLevels,
  managementRoute,
  isSecured,
}: LogLevelEndpointsDeps): readonly Route[] {
  function show({ res }: Call): void {
    replyJson(res, JSON.stringify({ logLevel: logLevels.level }));
  }

  function change({ res }: Call, [level = '']: readonly string[]): void {
    logLevels.set(level);
    replyJson(res, JSON.stringify({ status: 'success', message: 'log level is changed' }));
  }

  function reset({ res }: Call): void {
    logLevels.reset();
    replyJson(res, JSON.stringify({ status: 'success', message: 'log level is reset' }));
  }

  /**
   * The specification's form of a reset. A `DELETE` has no body to carry a name and a password in, so it asks for
   * none; where a realm guards the member it must have them all the same.
   */
  const deletion: Route = isSecured
    ? managementRoute({ method: 'DELETE', template, group: 'CLUSTER_WRITE', valueCount: 2, handler: reset })
    : { method: 'DELETE', template, group: 'CLUSTER_WRITE', handler: reset };

  return [
    { method: 'GET', template, group: 'CLUSTER_READ', handler: show },
    { method: 'HEAD', template, group: 'CLUSTER_READ', handler: ({ res }) => replyEmpty(res, 200) },
    managementRoute({ template, group: 'CLUSTER_WRITE', valueCount: 3, handler: change }),
    managementRoute({ template: `${template}/reset`, group: 'CLUSTER_WRITE', valueCount: 2, handler: reset }),
    deletion,
  ];
}

const template = 'rest/log-level';
