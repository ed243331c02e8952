import type { Context } from 'koa';
import type { Audit } from '../../platform/log.ts';
import type { About } from '../http/request-id.ts';
import type { UserRecord } from '../storage/records.ts';

/** For audit trail and metrics; a failed attempt names what was typed only when it is an account. */
export interface SignInOutcome {
  readonly account: UserRecord | undefined;
  readonly reason?: string;
  /** Of an upstream provider, when it was one that could not be asked. */
  readonly providerId?: string;
}

export interface SignInRecordDeps {
  readonly metrics: { signIn(outcome: string): void };
  readonly audit: Audit;
  readonly about: About;
}

export function createSignInRecord({ metrics, audit, about }: SignInRecordDeps) {
  return (ctx: Context, outcome: SignInOutcome): void => {
    const { account, reason, providerId = account?.federated?.provider } = outcome;
    metrics.signIn(reason ?? 'success');
    audit('login', {
      ...about(ctx),
      actor: account?.id,
      outcome: account ? 'success' : 'denied',
      reason,
      provider: providerId,
    });
  };
}
