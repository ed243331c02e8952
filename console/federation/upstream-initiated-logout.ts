/**
 * Logouts that upstream providers send, and their answers to ours. Sessions are found by what a message
 * says and never by a cookie: the message comes from a server, from a frame, or as another site's form.
 */
import type { Context, ParameterizedContext } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Sessions } from '../accounts/sessions.ts';
import { FormError, readForm } from '../http/form.ts';
import type { Guard, WithForm } from '../http/guards.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import {
  FederationError,
  type ReceivedLogout,
  type RedirectConnector,
  type SamlLogoutMessage,
  type SamlMessage,
} from './connector.ts';
import { samlLogoutAddress } from './providers/connectors.ts';
import type { LiveProvider, Providers } from './providers/providers.ts';
import type { ReturningLogouts } from './upstream-logout.ts';
import type { UpstreamSession, UpstreamSessions } from './upstream-sessions.ts';

export interface ReceivedLogoutsDeps {
  readonly providers: Pick<Providers, 'findRedirect'>;
  readonly upstreamSessions: Pick<UpstreamSessions, 'find' | 'forget'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly artifacts: Pick<ArtifactStore, 'count' | 'uncount'>;
  readonly upstreamLogouts: Pick<ReturningLogouts, 'finish' | 'send'>;
  /** The sign-out page goes on. @param ticket  undefined: with nothing to tell */
  readonly resume: (ctx: Context, ticket: string | undefined) => Promise<void>;
  /** `CONSOLE_URL`. */
  readonly url: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** @param accountIds  whose sessions have ended, one for each session */
  readonly onLogout: (ctx: Context, providerId: string, accountIds: readonly string[]) => void;
  readonly onRejected: (ctx: Context, providerId: string, error: FederationError) => void;
}

type Live = LiveProvider<RedirectConnector>;

interface WithProvider {
  provider: Live;
}

type ProviderContext = ParameterizedContext<WithProvider>;
type ProviderFormContext = ParameterizedContext<WithProvider & WithForm>;

export function createReceivedLogouts(deps: ReceivedLogoutsDeps) {
  const { providers, upstreamSessions, sessions, artifacts, upstreamLogouts, resume, url, now } = deps;
  const { onLogout, onRejected } = deps;

  return {
    /** Finds the provider of the address, which has to log out in this way. @throws {ProblemError} `not_found` */
    provider(ability: keyof RedirectConnector): Guard<WithProvider> {
      return (ctx, next) => {
        const provider = providers.findRedirect(String(ctx.params.provider));
        if (!provider?.connector[ability]) throw noSuchProvider();
        ctx.state.provider = provider;
        return next();
      };
    },
    /**
     * `POST /login/backchannel/<id>` (OpenID Connect Back-Channel Logout 1.0 §2.5-2.8). Reads its form itself: what is
     * wrong with it is told to a server.
     */
    async backChannel(ctx: ProviderContext): Promise<void> {
      const { provider } = ctx.state;
      try {
        const token = (await readForm(ctx.req)).get('logout_token');
        if (!token) throw new FederationError(400, 'There is no logout_token.');
        await endOnce(ctx, provider, await provider.connector.readLogoutToken!(token));
        ctx.status = 200;
        ctx.body = '';
      } catch (error) {
        answerServer(ctx, provider, error);
      }
    },
    /** `GET /login/frontchannel/<id>` (OpenID Connect Front-Channel Logout 1.0 §2), in a frame of the provider. */
    async frontChannel(ctx: ProviderFormContext): Promise<void> {
      const { provider, form } = ctx.state;
      const id = await rejecting(ctx, provider, async () => provider.connector.readFrontChannelLogout!(form));
      const found = await upstreamSessions.find(provider.id, { id });
      // Nobody has signed this: what ends no session is not worth a line of the audit log.
      if (found.length > 0) await endAll(ctx, provider, found);
      ctx.set({
        'Cache-Control': 'no-store',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
      });
      ctx.type = 'text';
      ctx.body = 'Signed out.\n';
    },
    /** `GET /login/logout/<id>`: an OpenID provider sends the browser back. */
    async returned(ctx: ProviderFormContext): Promise<void> {
      const { provider, form } = ctx.state;
      await resume(ctx, await upstreamLogouts.finish(provider.id, form.get('state') ?? '', true));
    },
    /** `GET /login/saml/<id>/logout`: a request of the provider, or its answer to ours. */
    samlRedirect: (ctx: ProviderContext) =>
      saml(ctx, { binding: 'redirect', query: ctx.querystring, logoutUrl: logoutUrlOf(ctx) }),
    /** The same by `POST`. */
    samlPost: (ctx: ProviderFormContext) =>
      saml(ctx, { binding: 'post', parameters: ctx.state.form, logoutUrl: logoutUrlOf(ctx) }),
  };

  function logoutUrlOf({ state: { provider } }: ProviderContext): string {
    return samlLogoutAddress(url, provider.id);
  }

  function saml(ctx: ProviderContext, message: SamlMessage): Promise<void> {
    const { provider } = ctx.state;
    return rejecting(ctx, provider, async () => {
      const read = await provider.connector.readSamlLogout!(message);
      if (read.type === 'request') return answer(ctx, provider, read);
      await resume(ctx, await upstreamLogouts.finish(provider.id, read.logoutId, read.isDone));
    });
  }

  async function answer(
    ctx: Context,
    provider: Live,
    request: Extract<SamlLogoutMessage, { readonly type: 'request' }>,
  ): Promise<void> {
    await endOnce(ctx, provider, request.logout);
    const message = await provider.connector.answerSamlLogout!(request);
    if (message) upstreamLogouts.send(ctx, provider.id, message);
    else await resume(ctx, undefined);
  }

  /** @throws {FederationError} when this very message has come before */
  async function endOnce(ctx: Context, provider: Live, logout: ReceivedLogout): Promise<void> {
    const { messageId, usableUntilMs } = logout;
    const [kind, id] = ['ReceivedLogout', `${provider.id} ${messageId}`];
    const windowSeconds = Math.max(1, Math.ceil((usableUntilMs - now()) / 1000));
    const { count } = await artifacts.count(kind, id, windowSeconds);
    if (count > 1) throw new FederationError(400, 'This logout message has been used before.');
    try {
      await endAll(ctx, provider, await sessionsOf(provider.id, logout));
    } catch (error) {
      // The provider may send it again: its sessions are not all over.
      await artifacts.uncount(kind, id);
      throw error;
    }
  }

  async function sessionsOf(providerId: string, { subject, sessionIds }: ReceivedLogout) {
    const about = sessionIds.length === 0 ? [{ subject }] : sessionIds.map((id) => ({ id, subject }));
    const found = await Promise.all(about.map((one) => upstreamSessions.find(providerId, one)));
    return [...new Map(found.flat().map((session) => [session.uid, session])).values()];
  }

  async function endAll(ctx: Context, provider: Live, found: readonly UpstreamSession[]): Promise<void> {
    const ended: string[] = [];
    for (const { uid, accountId } of found) {
      if (await sessions.end(uid)) ended.push(accountId);
      else await upstreamSessions.forget(uid);
    }
    onLogout(ctx, provider.id, ended);
  }

  /** As Back-Channel Logout §2.8 has it: the provider's server reads this, and nobody else. */
  function answerServer(ctx: Context, provider: Live, error: unknown): void {
    const isOurs = error instanceof FederationError || error instanceof FormError;
    if (!isOurs) throw error;
    if (error instanceof FederationError) onRejected(ctx, provider.id, error);
    if (error.status === 413) ctx.set('Connection', 'close');
    if (error.status === 503) ctx.set('Retry-After', '30');
    ctx.status = error.status;
    ctx.body = {
      error: error.status === 503 ? 'temporarily_unavailable' : 'invalid_request',
      error_description: error.message,
    };
  }

  /** An error is for the person whose browser has brought the message. */
  async function rejecting<T>(ctx: Context, provider: Live, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FederationError)) throw error;
      onRejected(ctx, provider.id, error);
      const row = error.status === 400 ? problems.invalidRequest : problems.forbidden;
      throw new ProblemError(row, error.message, { cause: error });
    }
  }
}

function noSuchProvider(): ProblemError {
  return new ProblemError(
    problems.notFound,
    'There is no identity provider at this address, it is switched off, or it logs out in another way.',
  );
}
