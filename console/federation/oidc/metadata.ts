/** What is known of an upstream OpenID Connect provider: asked for, or set by hand; kept for a while. */
import * as client from 'openid-client';
import { defined } from '../../../platform/defined.ts';
import { FederationError } from '../connector.ts';
import type { OidcSettings } from '../providers/schema.ts';

export interface OidcMetadataDeps {
  readonly issuer: string;
  /** Instead of discovery. */
  readonly endpoints?: OidcSettings['endpoints'] | undefined;
  readonly fetch: client.CustomFetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The provider was asked, and what it says of itself is in use. */
  readonly onRead?: (() => void) | undefined;
}

export type OidcMetadata = ReturnType<typeof createOidcMetadata>;

/** Providers change their addresses rarely, and announce it. */
const metadataMs = 600_000;
/** A provider that is away is asked again after this long; what was known serves meanwhile. */
const retryMs = 30_000;

export function createOidcMetadata({ issuer, endpoints, fetch, now, onRead }: OidcMetadataDeps) {
  let known: client.ServerMetadata | undefined = endpoints && checked(asMetadata(issuer, endpoints));
  let freshUntil = endpoints ? Infinity : 0;
  let renewal: Promise<client.ServerMetadata> | undefined;

  return {
    /** @throws {FederationError} or what the library throws */
    async current(): Promise<client.ServerMetadata> {
      if (known && now() < freshUntil) return known;
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
  };

  async function renew(): Promise<client.ServerMetadata> {
    try {
      known = checked(await discover());
      freshUntil = now() + metadataMs;
      onRead?.();
    } catch (error) {
      // An answer that is wrong is no reason to go on with an older one: only silence is.
      if (!known || error instanceof FederationError) throw error;
      freshUntil = now() + retryMs;
    }
    return known;
  }

  async function discover(): Promise<client.ServerMetadata> {
    const configuration = await client.discovery(new URL(issuer), 'discovery', undefined, client.None(), {
      [client.customFetch]: fetch,
      // Which addresses may be http is for the guarded client to say: loopback, and nothing else.
      execute: [client.allowInsecureRequests],
    });
    return configuration.serverMetadata();
  }

  /** Exactly: the library would let a slash at the end differ (OIDC Discovery §4.3). */
  function checked(metadata: client.ServerMetadata): client.ServerMetadata {
    if (metadata.issuer !== issuer) {
      throw new FederationError(401, 'The identity provider calls itself by another name than configured.');
    }
    for (const field of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
      if (metadata[field] !== undefined) continue;
      throw new FederationError(503, `The metadata of the identity provider lack ${field}.`);
    }
    checkBrowserAddress(metadata.authorization_endpoint!);
    return metadata;
  }

  /** The browser goes there itself, past the guarded client. */
  function checkBrowserAddress(address: string): void {
    if (isBrowserAddress(issuer, address)) return;
    throw new FederationError(503, 'The sign-in address of the identity provider is not an https address.');
  }
}

/** Whether a browser may be sent to this address of a provider: where the provider itself is https, it is too. */
export function isBrowserAddress(issuer: string, address: string): boolean {
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}

function asMetadata(
  issuer: string,
  endpoints: NonNullable<OidcSettings['endpoints']>,
): client.ServerMetadata {
  const { authorization, token, keys, userinfo, endSession, sendsIssuer = false } = endpoints;
  return defined({
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    jwks_uri: keys,
    userinfo_endpoint: userinfo,
    end_session_endpoint: endSession,
    authorization_response_iss_parameter_supported: sendsIssuer,
  });
}
