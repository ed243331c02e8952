/** What is known of an upstream OpenID Connect provider: asked for, or set by hand; kept for a while. */
import * as client from 'openid-client';
import { FederationError } from '../connector.ts';

/** Addresses of a provider that publishes no metadata. */
export interface OidcEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly keys: string;
  readonly userinfo?: string;
  readonly endSession?: string;
  /** Whether its answers carry `iss` (RFC 9207 §3). */
  readonly sendsIssuer?: boolean;
}

export interface OidcMetadataDeps {
  readonly issuer: string;
  /** Instead of discovery. */
  readonly endpoints?: OidcEndpoints | undefined;
  readonly fetch: client.CustomFetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface OidcMetadata {
  /** @throws {FederationError} or what the library throws */
  current(): Promise<client.ServerMetadata>;
}

/** Providers change their addresses rarely, and announce it. */
const metadataMs = 600_000;
/** A provider that is away is asked again after this long; what was known serves meanwhile. */
const retryMs = 30_000;

export function createOidcMetadata({ issuer, endpoints, fetch, now }: OidcMetadataDeps): OidcMetadata {
  let known: client.ServerMetadata | undefined = endpoints && checked(asMetadata(issuer, endpoints));
  let freshUntil = endpoints ? Infinity : 0;
  let renewal: Promise<client.ServerMetadata> | undefined;

  return {
    async current() {
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

function asMetadata(issuer: string, endpoints: OidcEndpoints): client.ServerMetadata {
  const { authorization, token, keys, userinfo, endSession, sendsIssuer = false } = endpoints;
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    jwks_uri: keys,
    ...(userinfo === undefined ? {} : { userinfo_endpoint: userinfo }),
    ...(endSession === undefined ? {} : { end_session_endpoint: endSession }),
    authorization_response_iss_parameter_supported: sendsIssuer,
  };
}
