import type { Licences } from '../management/licence.ts';
import type { ManagementRoute } from '../management/management-route.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';

export interface LicenceEndpointsDeps {
  readonly licences: Licences;
  readonly managementRoute: ManagementRoute;
}

/**
 * The licence key of the member (docs/member-surface.md#changes-of-the-cluster). The replies, which the specification does
 * not show, are those of the real engine's enterprise edition.
 */
export function createLicenceRoutes({ licences, managementRoute }: LicenceEndpointsDeps): readonly Route[] {
  /** Without a key 404, as in the community edition. */
  function show({ res }: Call) {
    const { current: licenseInfo } = licences;
    if (licenseInfo === undefined) return replyEmpty(res, 404);
    replyJson(res, JSON.stringify({ licenseInfo }));
  }

  function change({ res }: Call, [key = '']: readonly string[]): void {
    const licenseInfo = licences.set(key);
    replyJson(res, JSON.stringify({ status: 'success', licenseInfo, message: untilRestart }));
  }

  return [
    { method: 'GET', template: 'rest/license', group: 'CLUSTER_READ', handler: show },
    managementRoute({
      template: 'rest/license',
      group: 'CLUSTER_WRITE',
      valueCount: 3,
      handler: change,
    }),
  ];
}

const untilRestart =
  'License updated at run time - please make sure to update the license in the persistent configuration to avoid losing the changes on restart.';
