/** `/login/saml/<id>/metadata`: what an administrator hands to a SAML provider. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { callbackAddress, samlEntityId, samlLogoutAddress } from '../providers/connectors.ts';
import type { Providers } from '../providers/providers.ts';

export interface MetadataPageDeps {
  readonly providers: Pick<Providers, 'find'>;
  /** `CONSOLE_URL`. */
  readonly url: string;
}

export function createMetadataPage({ providers, url }: MetadataPageDeps) {
  /** Of a provider that is switched off too: it is set up on both sides before it is switched on. */
  return async function showMetadata(ctx: Context): Promise<void> {
    const id = String(ctx.params.provider);
    const provider = providers.find(id);
    if (provider?.kind !== 'saml') {
      throw new ProblemError(problems.notFound, 'There is no SAML identity provider at this address.');
    }
    const { saml } = provider;
    // Loading the protocol takes longer than the rest of a start.
    const { writeOwnMetadata } = await import('./metadata.ts');
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    ctx.type = 'application/samlmetadata+xml';
    const [entityId, callbackUrl] = [samlEntityId(url, id), callbackAddress(url, id)];
    // Answers have to be signed, and a provider that sends a request waits for one.
    const logoutUrl = saml.signing && samlLogoutAddress(url, id);
    ctx.body = writeOwnMetadata({ entityId, callbackUrl, logoutUrl }, saml);
  };
}
