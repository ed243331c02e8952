/** An upstream OpenID Connect provider: code flow with PKCE, every check of S43 and S44. */
import { compactVerify, importJWK, type JWK } from 'jose';
import * as client from 'openid-client';
import type { Outbound } from '../../http/outbound/outbound.ts';
import {
  type AuthorizationSecrets,
  type CallbackReply,
  FederationError,
  type RedirectConnector,
} from '../connector.ts';
import { createOutboundFetch } from '../outbound-fetch.ts';
import type { ProviderDocument } from '../provider-uses.ts';
import type { OidcSettings } from '../providers/schema.ts';
import { type Claims, identityOf } from './claims.ts';
import { asFederationError } from './errors.ts';
import { createOidcKeys } from './keys.ts';
import { createOidcLogout } from './logout.ts';
import { createOidcMetadata } from './metadata.ts';

export interface OidcProviderConfig extends OidcSettings {
  /** Claims that role rules read: userinfo is asked when the ID token lacks one of them. */
  readonly claims?: readonly string[];
}

export interface OidcConnectorDeps {
  readonly config: OidcProviderConfig;
  readonly outbound: Pick<Outbound, 'send'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** What the provider publishes was read. */
  readonly onRead?: ((what: ProviderDocument) => void) | undefined;
}

export function createOidcConnector({ config, outbound, now, onRead }: OidcConnectorDeps): RedirectConnector {
  const fetch = createOutboundFetch(outbound);
  const { issuer, endpoints, clientId, scopes = ['email', 'profile'] } = config;
  const metadata = createOidcMetadata({
    ...{ issuer, endpoints, fetch, now },
    onRead: () => onRead?.('metadata'),
  });
  const alg = config.idTokenAlg ?? 'RS256';
  const keysDeps = { metadata, fetch, now, onRead: () => onRead?.('keys') };
  const [keys, logoutKeys] = [createOidcKeys(keysDeps), createOidcKeys(keysDeps)];
  let configured: { of: client.ServerMetadata; configuration: client.Configuration } | undefined;

  return {
    kind: 'oidc',
    ...createOidcLogout({ issuer, clientId, alg, metadata, keys: logoutKeys, now }),
    begin: ({ stateId, callbackUrl, reauthenticate }) =>
      inWords(async () => {
        const [nonce, verifier] = [client.randomNonce(), client.randomPKCECodeVerifier()];
        const location = client.buildAuthorizationUrl(await configuration(), {
          redirect_uri: callbackUrl,
          scope: ['openid', ...scopes].join(' '),
          state: stateId,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(reauthenticate ? { prompt: 'login', max_age: '0' } : {}),
        });
        const since = reauthenticate ? { provenSince: String(Math.floor(now() / 1000)) } : {};
        const secrets = { state: stateId, nonce, verifier, ...since };
        return { method: 'GET' as const, location: location.href, secrets };
      }),
    finish: (reply, secrets) =>
      inWords(async () => {
        const provider = await configuration();
        checkReply(reply, secrets, provider.serverMetadata());
        const tokens = await client.authorizationCodeGrant(provider, addressOf(reply), {
          expectedState: secrets.state!,
          expectedNonce: secrets.nonce!,
          pkceCodeVerifier: secrets.verifier!,
          idTokenExpected: true,
          ...(secrets.provenSince ? { maxAge: Math.max(0, now() / 1000 - Number(secrets.provenSince)) } : {}),
        });
        // Verified even though the token came straight from the provider (OIDC Core §3.1.3.7), and here: the
        // library does not read the keys again while they are fresh.
        await keys.verify((find) => compactVerify(tokens.id_token!, find, { algorithms: [alg] }));
        const claims = tokens.claims()!;
        checkAuthorizedParty(claims);
        const more = lacks(claims, provider)
          ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
          : {};
        // What is signed goes before what is only sent.
        return identityOf({ ...more, ...claims }, tokens.id_token!);
      }),
  };

  /** Made anew when the metadata are. */
  async function configuration(): Promise<client.Configuration> {
    const current = await metadata.current();
    if (configured?.of !== current) configured = { of: current, configuration: await configure(current) };
    return configured.configuration;
  }

  async function configure(server: client.ServerMetadata): Promise<client.Configuration> {
    const made = new client.Configuration(
      server,
      clientId,
      { id_token_signed_response_alg: alg },
      await authenticationOf(config.authentication),
    );
    made[client.customFetch] = fetch;
    // Which addresses may be http is for the guarded client to say: loopback, and nothing else.
    client.allowInsecureRequests(made);
    return made;
  }

  /** The library lets a token for one audience name any party (OIDC Core §3.1.3.7 item 5). */
  function checkAuthorizedParty({ azp }: Claims): void {
    if (azp === undefined || azp === clientId) return;
    throw new FederationError(401, 'The identity provider signed somebody in at another application.');
  }

  function lacks(claims: Claims, provider: client.Configuration): boolean {
    if (provider.serverMetadata().userinfo_endpoint === undefined) return false;
    return ['email', 'name', ...(config.claims ?? [])].some((claim) => claims[claim] === undefined);
  }
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFederationError(error);
  }
}

/** Before anything is sent anywhere: the answer is to this request and from this provider (S43, RFC 9207 §2.4). */
function checkReply(
  { parameters }: CallbackReply,
  { state }: AuthorizationSecrets,
  { issuer, authorization_response_iss_parameter_supported: sendsIssuer }: client.ServerMetadata,
): void {
  if (state === undefined || parameters.get('state') !== state) {
    throw new FederationError(400, 'This answer belongs to another sign-in. Please sign in again.');
  }
  const from = parameters.get('iss');
  if (from === undefined ? sendsIssuer === true : from !== issuer) {
    throw new FederationError(400, 'This answer is not from the identity provider that was asked.');
  }
}

function addressOf({ callbackUrl, parameters }: CallbackReply): URL {
  const address = new URL(callbackUrl);
  address.search = new URLSearchParams([...parameters]).toString();
  return address;
}

async function authenticationOf(authentication: OidcSettings['authentication']): Promise<client.ClientAuth> {
  switch (authentication.method) {
    case 'client_secret_basic':
      return client.ClientSecretBasic(authentication.secret.reveal());
    case 'client_secret_post':
      return client.ClientSecretPost(authentication.secret.reveal());
    case 'private_key_jwt': {
      const { kid, ...jwk } = JSON.parse(authentication.key.reveal()) as JWK;
      const key = (await importJWK(jwk)) as client.CryptoKey;
      return client.PrivateKeyJwt(kid === undefined ? key : { key, kid });
    }
    case 'none':
      return client.None();
  }
}
