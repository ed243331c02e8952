import { createPlaceLimit, readDenialBatch } from '../../access/reported-denials.ts';
import { createDenialReports } from '../../admin-api/denials.ts';
import { denialReportsScope } from '../../clients/scopes.ts';
import type { Shared } from './shared.ts';

/** Denials of member proxies in processes of their own lie beside those of this one. */
export function composeDenialReports({ services: { denials, now }, apiCallers: callers }: Shared) {
  const checkPlace = createPlaceLimit(now);
  return createDenialReports({
    scope: denialReportsScope,
    callers,
    async take(body, clientId) {
      const batch = readDenialBatch(body);
      checkPlace(batch);
      await denials.recordReported(batch, clientId);
    },
  });
}
