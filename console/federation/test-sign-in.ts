/**
 * A sign-in that an administrator makes to see what a provider sends: its claims, the rules that match, and
 * the account that would come of it. Nobody is signed in by it and no account is made. It goes to the same
 * callback address as every sign-in, since that is the one that the provider knows.
 */
import type { Context, Middleware } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { renderTestSignIn, type TestSignInModel } from '../../views/test-sign-in.tsx';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import type { AccountContext, Guard, WithAccount } from '../http/guards.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import type { AuthorizationSecrets, UpstreamIdentity } from './connector.ts';
import { asProblemError } from './errors.ts';
import type { LinkPreview } from './link-preview.ts';
import type { ConfiguredProvider } from './providers/providers.ts';
import type { UpstreamSignIns } from './upstream-sign-in.ts';

export interface TestSignInDeps {
  readonly upstream: Pick<UpstreamSignIns, 'findConfigured' | 'beginTest' | 'identify'>;
  /** Sends whoever is not signed in to the sign-in. */
  readonly signedIn: Guard<WithAccount>;
  readonly preview: (provider: ConfiguredProvider, identity: UpstreamIdentity) => Promise<LinkPreview>;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly isSecure: boolean;
}

export type TestSignIn = ReturnType<typeof createTestSignIn>;

export function createTestSignIn({ upstream, signedIn, preview, csrf, isSecure }: TestSignInDeps) {
  /** Behind `signedIn`. @throws {ProblemError} `forbidden` */
  const administrator: Middleware<WithAccount> = (ctx, next) => {
    checkAdministrator(ctx.state.account);
    return next();
  };

  return {
    administrator,
    /** `GET /login/test/:provider`. */
    show(ctx: AccountContext): void {
      showPage(ctx, ctx.state.account, upstream.findConfigured(String(ctx.params.provider)), {});
    },
    /** `GET /login/test/:provider/start`: a link, as that of a sign-in. */
    async start(ctx: AccountContext): Promise<void> {
      const admin = ctx.state.account;
      const provider = upstream.findConfigured(String(ctx.params.provider));
      await showingError(ctx, admin, provider, () => upstream.beginTest(ctx, provider, admin.id));
    },
    /**
     * Back from the provider.
     *
     * @param adminId  who has begun it
     */
    async finish(
      ctx: Context,
      provider: ConfiguredProvider,
      reply: ReadonlyMap<string, string>,
      { adminId, secrets }: { readonly adminId: string; readonly secrets: AuthorizationSecrets },
    ): Promise<void> {
      await signedIn(ctx, async () => {
        const admin = ctx.state.account as UserRecord;
        checkAdministrator(admin);
        if (admin.id !== adminId) throw notYours();
        await showingError(ctx, admin, provider, async () => {
          const identity = await upstream.identify(provider, reply, secrets);
          showPage(ctx, admin, provider, { result: resultOf(identity, await preview(provider, identity)) });
        });
      });
    },
  };

  async function showingError(
    ctx: Context,
    admin: UserRecord,
    provider: ConfiguredProvider,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      const problem = asProblemError(error);
      if (!(problem instanceof ProblemError)) throw problem;
      ctx.status = problem.problem.status;
      showPage(ctx, admin, provider, { problem: problem.message });
    }
  }

  function showPage(
    ctx: Context,
    { username }: UserRecord,
    { id, name, isEnabled, connector: { kind } }: ConfiguredProvider,
    shown: Pick<TestSignInModel, 'result' | 'problem'>,
  ): void {
    setPageHeaders(ctx, isSecure, [], [], 'own');
    ctx.type = 'html';
    ctx.body = renderTestSignIn(
      {
        username,
        signOut: { action: '/connect/logout/confirm', csrf: csrf.token(ctx) },
        provider: { id, name, kind: kind === 'oidc' ? 'OpenID Connect' : 'SAML 2.0', isEnabled },
        startHref: `/login/test/${id}/start`,
        ...shown,
      },
      presentationOf(ctx),
    );
  }
}

function checkAdministrator({ roles }: UserRecord): void {
  if (roles.includes('Admin')) return;
  throw new ProblemError(problems.forbidden, 'Only administrators see what an identity provider sends.');
}

function resultOf(identity: UpstreamIdentity, preview: LinkPreview): NonNullable<TestSignInModel['result']> {
  const { subject, username, email, name, attributes } = identity;
  return {
    subject,
    username,
    email,
    name,
    claims: Object.entries(attributes).map(([claim, values]) => ({ name: claim, values })),
    rules: preview.rules.map(({ rule: { attribute, value, role }, isMatched }) => ({
      condition: `${attribute}=${value}`,
      role,
      isMatched,
    })),
    roles: preview.roles,
    account: { username: preview.username, state: preview.state },
  };
}

function notYours(): ProblemError {
  return new ProblemError(
    problems.csrfFailed,
    'This test was begun in another session. Begin it again on the page of the provider.',
  );
}
