/** The only file that constructs oidc-provider: what the library decides, with our answers filled in. */
import type { JsonWebKey } from 'node:crypto';
import type { Context } from 'koa';
import {
  type AsymmetricSigningAlgorithm,
  type ClaimsParameter,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { effectiveRoles, openElevation } from '../accounts/elevations/effective-roles.ts';
import type { SessionUse } from '../accounts/sessions/session-uses.ts';
import { cliClientId } from '../clients/cli-client.ts';
import { pkceOf, pkcePolicyMember, tokenTtlMember, tokenTtlOf } from '../clients/client-metadata.ts';
import { missingBinding } from '../clients/pkce.ts';
import { ceilingOf, rolesUnder } from '../clients/role-ceiling.ts';
import type { CookieNames } from '../http/cookies.ts';
import { isLoopbackHost } from '../http/outbound/loopback.ts';
import type { Keys } from '../keys/keys.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import { narrowClaims } from '../tokens/claims-parameter.ts';
import { loadGrant } from '../tokens/grants.ts';
import type { Resources } from '../tokens/resources.ts';
import { emailClaims, profileClaims } from '../tokens/user-claims.ts';
import { type AdapterDeps, createAdapter } from './adapter.ts';
import { type DeviceFlowDeps, deviceCodeSeconds, deviceFeature, devicePath } from './device-flow.ts';
import { checkCommandLine, checkResource, checkScopes } from './resource-checks.ts';
import { describeToken } from './user-access-token.ts';

export interface ProviderDeps extends AdapterDeps {
  readonly issuer: string;
  readonly resources: Resources;
  readonly keys: Pick<Keys, 'published'>;
  readonly cookies: { readonly names: CookieNames; readonly keys: readonly string[] };
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  /** The time to write into what is issued to it now, epoch seconds. */
  readonly issueTime: (user: UserRecord, nowMs: number) => number;
  readonly recordSessionUse: (use: SessionUse) => Promise<void>;
  readonly clientAddress: (ctx: Context) => string;
  readonly lifetimes: Lifetimes;
  /** Signatures that a DPoP proof may have. */
  readonly proofAlgs: readonly AsymmetricSigningAlgorithm[];
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly renderError: NonNullable<Configuration['renderError']>;
  readonly devicePages: DeviceFlowDeps['pages'];
}

/** Seconds. */
export interface Lifetimes {
  readonly accessToken: number;
  readonly sessionIdle: number;
  readonly sessionMax: number;
}

export const routes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  jwks: '/oauth2/jwks',
  userinfo: '/userinfo',
  end_session: '/connect/logout',
  introspection: '/oauth2/introspect',
  revocation: '/oauth2/revoke',
  pushed_authorization_request: '/oauth2/par',
  device_authorization: '/oauth2/device_authorization',
  code_verification: devicePath,
} as const;

/** Seconds a code may wait for its redemption (S19). */
const codeSeconds = 60;
const interactionSeconds = 600;
/** A session that nobody has signed in to yet: anonymous requests must not fill the store. */
const anonymousSessionSeconds = 300;

export function createProvider(deps: ProviderDeps): Provider {
  const provider = new Provider(deps.issuer, configuration(deps));
  pinAddresses(provider, deps.issuer);
  return provider;
}

function configuration(deps: ProviderDeps): Configuration {
  const { cookies, lifetimes, resources, issuer, findUser } = deps;
  const isSecure = issuer.startsWith('https:');
  return {
    adapter: createAdapter(deps),
    jwks: { keys: keysForLibrary(deps.keys) },
    extraClientMetadata: { properties: [pkcePolicyMember, tokenTtlMember] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { dPoPSigningAlgValues: deps.proofAlgs },
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access'],
    // auth_time tells the sessions of one person apart when an ID token comes back as a logout hint.
    claims: {
      openid: ['sub', 'auth_time', 'acr', 'amr'],
      profile: ['name', 'preferred_username', 'roles'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    pkce: {
      // Asked about a request without a challenge.
      required(ctx, client) {
        const missing = missingBinding(pkceOf(client), ctx.oidc.params?.nonce);
        if (missing !== undefined) throw new errors.InvalidRequest(missing);
        return false;
      },
    },
    routes,
    cookies: {
      names: {
        session: cookies.names.session,
        interaction: cookies.names.interaction,
        resume: cookies.names.resume,
      },
      keys: [...cookies.keys],
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure },
    },
    // Our own handlers stand in front of revocation, introspection, userinfo and logout; revocation and
    // introspection are on because opaque refresh tokens go on to them.
    features: {
      devInteractions: { enabled: false },
      // Proofs are checked in front as well, and each passes there once.
      dPoP: { enabled: true, allowReplay: true },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: deviceFeature({ ...deps, pages: deps.devicePages }),
      claimsParameter: { enabled: true, assertClaimsParameter: narrowed(deps) },
      introspection: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      // For `sid` in ID tokens; the library's own sender stands behind our handler.
      backchannelLogout: { enabled: true },
      userinfo: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, { clientId }) =>
          clientId === cliClientId ? resources.api : resources.members,
        useGrantedResource: () => true,
        async getResourceServerInfo(ctx, resource, client) {
          checkResource(resource, ctx.oidc.params?.resource, resources);
          checkCommandLine(client.clientId, resource, resources);
          const record = await deps.clients.find(client.clientId);
          checkScopes(ctx.oidc.params?.scope, record);
          return {
            scope: record?.scopes.join(' ') ?? '',
            audience: resource,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: record?.tokenAlg ?? 'RS256' } },
          };
        },
      },
    },
    formats: { customizers: { jwt: (ctx, token, jwt) => describeToken(deps, ctx, token, jwt) } },
    findAccount: async (ctx, id) => findAccount(ctx, await findUser(id), deps),
    loadExistingGrant: (ctx) => loadGrant(ctx, deps),
    interactions: { policy: prompts(issuer), url: (_ctx, interaction) => `/login/${interaction.uid}` },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Codes and refresh tokens end with the session they were issued under (S39).
    expiresWithSession: async () => true,
    ttl: {
      AccessToken: (ctx, _token, client) =>
        Math.min(tokenTtlOf(client) ?? lifetimes.accessToken, secondsLeft(ctx, deps.now())),
      AuthorizationCode: codeSeconds,
      ClientCredentials: lifetimes.accessToken,
      DeviceCode: deviceCodeSeconds,
      IdToken: lifetimes.accessToken,
      Interaction: interactionSeconds,
      RefreshToken: lifetimes.sessionMax,
      Grant: lifetimes.sessionMax + 60,
      Session: (_ctx, session) => sessionSeconds(session, lifetimes),
    },
    renderError: deps.renderError,
  };
}

/**
 * The library takes absolute addresses from the request; ours come from the issuer, whatever Host or
 * forwarded fields say (S24).
 */
export function pinAddresses(app: Pick<Provider, 'request'>, issuer: string): void {
  const base = new URL(issuer);
  Object.defineProperties(app.request, {
    protocol: { value: base.protocol.slice(0, -1) },
    host: { value: base.host },
    origin: { value: base.origin },
    href: {
      get(this: { path: string }) {
        return base.origin + this.path;
      },
    },
  });
}

/** Remaining life: idle time, cut at the absolute end. A library that gets 0 answers 500, so at least 1. */
export function sessionSeconds(
  { accountId, loginTs }: { accountId?: string | undefined; loginTs?: number | undefined },
  { sessionIdle, sessionMax }: Lifetimes,
): number {
  if (!accountId) return anonymousSessionSeconds;
  const untilEnd = (loginTs ?? 0) + sessionMax - Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(sessionIdle, untilEnd));
}

/** The signing key of each algorithm first; the others are published and verify hints. */
function keysForLibrary(keys: Pick<Keys, 'published'>): JsonWebKey[] {
  return keys.published().map(({ key, state }) => ({
    ...key.privateJwk,
    kid: key.kid,
    alg: key.alg,
    use: 'sig',
    ...(state === 'signing' ? {} : { key_ops: ['verify'] }),
  }));
}

/**
 * `max_age=0` asks for the password even in the second of the sign-in (OIDC Core §3.1.2.1). And who waits at a loopback
 * address of somebody's machine may be anybody, so a console that is elsewhere sends nobody there without asking,
 * each time and whoever the client is (RFC 8252 §8.6, S97).
 */
function prompts(issuer: string) {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const isAsked = ({ oidc }: KoaContextWithOIDC) =>
    Number(oidc.params?.max_age) === 0 && oidc.params?.max_age !== '' && !oidc.result?.login;
  policy.get('login')?.checks.add(new Check('max_age_zero', 'sign-in was asked for anew', isAsked));
  const isElsewhere = !isLoopbackHost(new URL(issuer).host);
  const isUnsure = ({ oidc }: KoaContextWithOIDC) =>
    isElsewhere && isLoopbackHost(hostOf(oidc.params?.redirect_uri)) && !oidc.result?.consent;
  policy
    .get('consent')
    ?.checks.add(
      new Check('loopback_redirect', 'a loopback address needs consent', 'consent_required', isUnsure),
    );
  return policy;
}

/** A redirect address has been found registered by then. */
function hostOf(uri: unknown): string {
  return URL.canParse(String(uri)) ? new URL(String(uri)).host : '';
}

function narrowed({ clients }: Pick<ProviderDeps, 'clients'>) {
  return async (
    ctx: KoaContextWithOIDC,
    claims: ClaimsParameter,
    { clientId }: { readonly clientId: string },
  ) => narrowClaims(ctx, claims, (await clients.find(clientId))?.scopes ?? []);
}

/** Of an elevation: tokens of the person end with it. A library that gets 0 takes it for no end, so at least 1. */
function secondsLeft({ oidc }: KoaContextWithOIDC, nowMs: number): number {
  const { elevationEndsAt } = (oidc.entities.Account ?? {}) as { readonly elevationEndsAt?: number };
  return elevationEndsAt === undefined ? Infinity : Math.max(1, Math.floor((elevationEndsAt - nowMs) / 1000));
}

const authorizationRoutes = new Set(['authorization', 'resume']);

/** @throws an error for the application when the account has gone since the sign-in; at the token endpoint the library has its own */
function findAccount(
  ctx: KoaContextWithOIDC,
  user: UserRecord | undefined,
  { clients, now }: Pick<ProviderDeps, 'clients' | 'now'>,
) {
  if (!user || user.disabled) {
    if (authorizationRoutes.has(ctx.oidc.route))
      throw new errors.AccessDenied('the account is disabled or removed');
    return undefined;
  }
  const { id: elevation, endsAt: elevationEndsAt } = openElevation(user, now()) ?? {};
  return {
    accountId: user.id,
    // For the life of tokens, and for their entries of the audit.
    elevation,
    elevationEndsAt,
    claims: async (_use: string, _scope: string, asked: ClaimsParameter['id_token'] = {}) => ({
      sub: user.id,
      ...profileClaims(user),
      // For the scope `email` userinfo has them (OIDC Core §5.4); an ID token when they are asked for one by one.
      ...('email' in asked || 'email_verified' in asked ? emailClaims(user) : {}),
      roles: shownRoles(effectiveRoles(user, now()), await clients.find(ctx.oidc.client?.clientId ?? '')),
    }),
  };
}

/** An ID token tells an application of no role that it does not get. */
function shownRoles(roles: readonly string[], client: ClientRecord | undefined): string[] {
  return client === undefined ? [] : [...rolesUnder(ceilingOf(client), roles)];
}
