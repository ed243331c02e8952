/** Logout at upstream providers: passed on by the sign-out pages, received at addresses that providers call. */
import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { FederationError } from '../../federation/connector.ts';
import { createReceivedLogouts } from '../../federation/upstream-initiated-logout.ts';
import { createUpstreamLogouts, type ReturningLogouts } from '../../federation/upstream-logout.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { SignedOut } from '../../logout/logged-out-page.ts';
import type { Shared } from './shared.ts';

export function composeUpstreamLogouts(
  { services, audit, about, log }: Shared,
  isSecure: boolean,
): ReturningLogouts {
  const { settings, storage, providers, upstreamSessions, cipher, now } = services;
  return createUpstreamLogouts({
    providers,
    upstreamSessions,
    artifacts: storage.artifacts,
    cipher,
    url: settings.url,
    isSecure,
    newId: () => randomBytes(18).toString('base64url'),
    now,
    onSent(ctx, provider, error) {
      audit('logout.passed', { ...about(ctx), outcome: error ? 'failure' : 'success', provider });
      if (error) warn(ctx, provider, error);
    },
  });

  function warn(ctx: Context, provider: string, error: FederationError): void {
    const { message: reason, cause } = error;
    log.warn({ provider, requestId: requestIdOf(ctx.req), reason, err: cause }, 'a logout was not passed on');
  }
}

export function composeReceivedLogouts(
  { services, audit, about, log }: Shared,
  upstreamLogouts: ReturningLogouts,
  resume: SignedOut['resume'],
) {
  const { settings, storage, providers, upstreamSessions, sessions, now } = services;
  return createReceivedLogouts({
    providers,
    upstreamSessions,
    sessions,
    artifacts: storage.artifacts,
    upstreamLogouts,
    resume,
    url: settings.url,
    now,
    /** One line for each session; a message about none is worth one too. */
    onLogout(ctx, provider, accountIds) {
      const fields = { ...about(ctx), outcome: 'success', provider } as const;
      if (accountIds.length === 0) audit('logout.received', { ...fields, sessions: 0 });
      for (const actor of accountIds) audit('logout.received', { ...fields, actor });
    },
    onRejected(ctx, provider, { status, message: reason, cause }) {
      const outcome = status === 503 ? 'failure' : 'denied';
      audit('logout.received', { ...about(ctx), outcome, provider, reason });
      if (status === 503)
        log.warn({ provider, requestId: requestIdOf(ctx.req), reason, err: cause }, 'a logout was not taken');
    },
  });
}
