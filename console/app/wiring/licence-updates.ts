/** Licence updates, with this console's keys, audit and way out. */
import { randomUUID } from 'node:crypto';
import { dashboardClientId } from '../../clients/clients.ts';
import { createSignUpdate } from '../../licence/licence-token.ts';
import { createLicenceUpdates, type LicenceUpdates } from '../../licence/licence-updates.ts';
import type { Shared } from './shared.ts';

/** They are sent from now on. */
export function composeLicenceUpdates({ services, audit, log }: Shared): LicenceUpdates {
  const { settings, keys, licences, licenceDeliveries: deliveries, outbound, now } = services;
  const updates = createLicenceUpdates({
    licences,
    deliveries,
    outbound,
    signUpdate: createSignUpdate({
      issuer: settings.url,
      audience: dashboardClientId,
      sign: (claims) => keys.signing('RS256').signJwt(claims, 'licence+jwt'),
      newId: randomUUID,
      now,
    }),
    audit,
    onError: (error) => log.error({ err: error }, 'a licence update failed'),
    now,
  });
  updates.start();
  return updates;
}
