/**
 * The console as this application's OpenID provider: authorization code with PKCE, refresh, end of session.
 * `openid-client` makes and checks the messages; what is ours is which addresses they go to.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type ServerMetadata,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import { once } from '../../platform/async/once.ts';
import type { ConsoleFetch } from './console-fetch.ts';

/** One authorization request: what the answer has to fit. */
export interface AuthorizationState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** The newest; it names the sign-in when that is to end. */
  readonly idToken: string;
}

/** What a sign-in has shown. */
export interface SignIn {
  readonly tokens: Tokens;
  readonly subject: string;
  /** Session at the console, when it says so. */
  readonly sid: string | undefined;
}

export type RelyingParty = ReturnType<typeof createRelyingParty>;

export interface RelyingPartyDeps {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly requiresHttps: boolean;
  readonly clientId: string;
  readonly fetch: ConsoleFetch;
}

const scope = 'openid profile email offline_access';

export function createRelyingParty(deps: RelyingPartyDeps) {
  const configuration = once(() => configure(deps));

  return {
    /** @param prompt  `none` for a hidden frame: no page is shown, or an error comes back */
    async begin(
      redirectUri: string,
      prompt?: 'none',
    ): Promise<{ readonly authorization: AuthorizationState; readonly url: URL }> {
      const config = await configuration();
      const authorization = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        redirectUri,
      };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: authorization.state,
        nonce: authorization.nonce,
        code_challenge: await calculatePKCECodeChallenge(authorization.verifier),
        code_challenge_method: 'S256',
        ...(prompt ? { prompt } : {}),
      });
      return { authorization, url };
    },
    /**
     * Checks `state`, `iss`, the code and the ID token (signature, `iss`, `aud`, `exp`, `nonce`).
     *
     * @param query  as it came to the redirect URI
     * @throws {AuthorizationResponseError} | {ResponseBodyError} | {ClientError} of openid-client
     */
    async redeem(authorization: AuthorizationState, query: URLSearchParams): Promise<SignIn> {
      const url = new URL(authorization.redirectUri);
      url.search = query.toString();
      const answer = await authorizationCodeGrant(await configuration(), url, {
        pkceCodeVerifier: authorization.verifier,
        expectedState: authorization.state,
        expectedNonce: authorization.nonce,
        idTokenExpected: true,
      });
      const { sub, sid } = answer.claims()!;
      return { tokens: tokensOf(answer), subject: sub, sid: typeof sid === 'string' ? sid : undefined };
    },
    /** The refresh token works once; the answer has the next one. @throws as `redeem` */
    async renew({ tokens, subject }: SignIn): Promise<Tokens> {
      const answer = await refreshTokenGrant(await configuration(), tokens.refreshToken ?? '');
      const renewed = answer.claims();
      if (renewed && renewed.sub !== subject)
        throw new Error('the refreshed ID token is about somebody else');
      return tokensOf(answer, tokens);
    },
    async endSession(
      idToken: string,
      { returnTo, state }: { readonly returnTo: string; readonly state: string },
    ): Promise<URL> {
      return buildEndSessionUrl(await configuration(), {
        id_token_hint: idToken,
        post_logout_redirect_uri: returnTo,
        state,
      });
    },
    /** @throws when the console does not answer */
    async discover() {
      await configuration();
    },
  };
}

/** The key set comes from its own setting, whatever discovery says (docs/surface.md#dashboard-settings). */
async function configure({ issuer, jwksUri, requiresHttps, clientId, fetch }: RelyingPartyDeps) {
  const isPlain = !requiresHttps && [issuer, jwksUri].some((address) => address.startsWith('http:'));
  const own = { [customFetch]: (url: string, init: object) => fetch(url, init as RequestInit) };
  const found = await discovery(new URL(issuer), clientId, undefined, None(), {
    execute: isPlain ? [allowInsecureRequests] : [],
    ...own,
  });
  const metadata: ServerMetadata = Object.assign(found.serverMetadata(), { jwks_uri: jwksUri });
  const config = new Configuration(metadata, clientId, undefined, None());
  Object.assign(config, own);
  if (isPlain) allowInsecureRequests(config);
  // The token endpoint may be plain HTTP on loopback: the signature of the ID token is checked in any case.
  enableNonRepudiationChecks(config);
  return config;
}

type Answer = TokenEndpointResponse & TokenEndpointResponseHelpers;

function tokensOf(answer: Answer, before?: Tokens): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken,
    idToken: answer.id_token ?? before?.idToken ?? '',
  };
}
