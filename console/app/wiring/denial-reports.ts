import { createPlaceLimit, readRefusalBatch } from '../../access/reported-denials.ts';
import { createRefusalReports } from '../../admin-api/refusals.ts';
import { refusalReportsScope } from '../../clients/scopes.ts';
import type { Shared } from './shared.ts';

/** Refusals of member proxies in processes of their own lie beside those of this one. */
export function composeRefusalReports({ services: { refusals, now }, apiCallers: callers }: Shared) {
  const checkPlace = createPlaceLimit(now);
  return createRefusalReports({
    scope: refusalReportsScope,
    callers,
    async take(body, clientId) {
      const batch = readRefusalBatch(body);
      checkPlace(batch);
      await refusals.keepReported(batch, clientId);
    },
  });
}
