/** Licences on their way to the dashboard: what the feature needs. It has no addresses. */
import type { Logger } from '../../platform/log.ts';
import type { Deliveries } from './deliveries.ts';
import { createSignUpdate, type LicenceTokenDeps } from './licence-token.ts';
import { createLicenceUpdates, type LicenceUpdates, type LicenceUpdatesDeps } from './licence-updates.ts';

export interface LicenceNeeds
  extends Pick<LicenceUpdatesDeps, 'licences' | 'outbound' | 'audit' | 'now'>,
    Partial<Pick<LicenceUpdatesDeps, 'isLeading'>>,
    Pick<LicenceTokenDeps, 'audience'> {
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
  readonly keys: {
    signing(algorithm: 'RS256'): { signJwt(claims: object, type: string): Promise<string> };
  };
  readonly licenceDeliveries: Deliveries;
  readonly log: Pick<Logger, 'error'>;
}

/** They are sent from now on. */
export function createLicenceModule(needs: LicenceNeeds): Pick<LicenceUpdates, 'close'> {
  const { settings, keys, licenceDeliveries: deliveries, audience, log, now } = needs;
  const updates = createLicenceUpdates({
    isLeading: () => true,
    ...needs,
    deliveries,
    signUpdate: createSignUpdate({
      issuer: settings.url,
      audience,
      sign: (claims) => keys.signing('RS256').signJwt(claims, 'licence+jwt'),
      now,
    }),
    onError: (error) => log.error({ err: error }, 'a licence update failed'),
  });
  updates.start();
  return updates;
}
