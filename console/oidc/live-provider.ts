/**
 * The library reads its keys once, at construction, which takes about a millisecond. So a change of
 * keys makes a new provider, and whoever asks gets the newest.
 */
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { bindingName } from '../clients/pkce.ts';
import type { Keys } from '../keys/keys.ts';
import type { ListedArtifact } from '../storage/storage.ts';
import { jtiPrefix } from '../tokens/grant-jti-prefix.ts';
import { isStillWaiting } from './device-flow.ts';
import type { PendingExchange } from './exchanges.ts';
import { createProvider, type ProviderDeps } from './provider.ts';

export interface LiveProviderDeps extends ProviderDeps {
  readonly keys: Pick<Keys, 'published' | 'onChange'>;
  readonly onServerError: (ctx: KoaContextWithOIDC, error: Error) => void;
  /** A refresh token was used under this session. @param known  the session, when it was read for that */
  readonly onRefresh: (sessionUid: string, known: ListedArtifact | undefined) => Promise<void>;
  readonly onOutcome: (ctx: KoaContextWithOIDC, event: string, fields: OutcomeFields) => void;
}

/** For the audit log. */
export interface OutcomeFields {
  readonly outcome: 'success' | 'denied';
  readonly actor: string | undefined;
  readonly actorKind?: 'user';
  readonly session?: string;
  /** As the `jti` of its tokens begins. */
  readonly grantId?: string;
  /** Of the access token. */
  readonly jti?: string;
  readonly clientId: string | undefined;
  readonly grantType?: string;
  /** How the code is tied to who asked for it: the challenge's method, `nonce` or `none`. */
  readonly pkce?: string;
  /** Under which the person has acted. */
  readonly elevation?: string;
  readonly reason?: string;
}

export function createLiveProvider(deps: LiveProviderDeps): { current(): Provider } {
  const report = createReport(deps.onOutcome);
  let provider = make();
  deps.keys.onChange(() => {
    provider = make();
  });
  return { current: () => provider };

  function make(): Provider {
    const made = createProvider(deps);
    made.on('server_error', deps.onServerError);
    made.on('grant.success', (ctx) => {
      // Said before anything is committed.
      const pending = deps.exchanges.current();
      pending?.onDone(() => recordIssued(ctx, pending));
    });
    made.on('grant.error', (ctx, error) => {
      if (!isStillWaiting(error)) report(ctx, 'token.refused', 'denied', error);
    });
    made.on('code_verification.error', (ctx, error) => {
      if (error.name === 'AbortedError') report(ctx, 'authorization.refused', 'denied', error);
    });
    made.on('authorization.error', (ctx, error) => report(ctx, 'authorization.refused', 'denied', error));
    made.on('authorization.success', (ctx) => report(ctx, 'authorization.granted', 'success'));
    return made;
  }

  function recordIssued(ctx: KoaContextWithOIDC, { reads }: PendingExchange): void {
    report(ctx, 'token.issued', 'success');
    const { RefreshToken } = ctx.oidc.entities;
    const sessionUid = ctx.oidc.params?.grant_type === 'refresh_token' ? RefreshToken?.sessionUid : undefined;
    if (sessionUid)
      deps.onRefresh(sessionUid, reads.session(sessionUid)).catch((error) => deps.onServerError(ctx, error));
  }
}

/** Tells of an outcome with what the library knows of the request. */
export function createReport(onOutcome: LiveProviderDeps['onOutcome']) {
  return (ctx: KoaContextWithOIDC, event: string, outcome: OutcomeFields['outcome'], error?: Error): void => {
    const { session, client, entities, params } = ctx.oidc;
    const { elevation } = (entities.Account ?? {}) as { readonly elevation?: string };
    onOutcome(ctx, event, {
      outcome,
      actor: session?.accountId ?? entities.Account?.accountId,
      clientId: client?.clientId,
      ...joinsOf(ctx),
      ...(typeof params?.grant_type === 'string' ? { grantType: params.grant_type } : {}),
      ...pkceOf(ctx, event),
      ...(elevation !== undefined && { elevation }),
      ...(error ? { reason: error.message } : {}),
    });
  };
}

/** By which a token leads to its grant, as its `jti` begins, and that to the session. */
function joinsOf({
  oidc,
}: KoaContextWithOIDC): Pick<OutcomeFields, 'actorKind' | 'session' | 'grantId' | 'jti'> {
  const { AccessToken, Account, AuthorizationCode, DeviceCode, Grant, RefreshToken } = oidc.entities;
  const source = AuthorizationCode ?? RefreshToken ?? DeviceCode;
  const session = source?.sessionUid ?? oidc.session?.uid;
  const grantId = source?.grantId ?? Grant?.jti;
  const isOfPerson = (oidc.session?.accountId ?? Account?.accountId) !== undefined;
  return {
    ...(isOfPerson && { actorKind: 'user' }),
    ...(isOfPerson && session !== undefined && { session }),
    ...(grantId !== undefined && { grantId: jtiPrefix(grantId) }),
    ...(grantId !== undefined && AccessToken && { jti: `${jtiPrefix(grantId)}.${AccessToken.jti}` }),
  };
}

/** Of an authorization request as it was sent, of a redemption as the code remembers it. */
function pkceOf({ oidc: { entities, params } }: KoaContextWithOIDC, event: string): { pkce?: string } {
  const { AuthorizationCode: code } = entities;
  if (code) return { pkce: bindingName({ challengeMethod: code.codeChallengeMethod, nonce: code.nonce }) };
  if (!event.startsWith('authorization.')) return {};
  return { pkce: bindingName({ challengeMethod: params?.code_challenge_method, nonce: params?.nonce }) };
}
