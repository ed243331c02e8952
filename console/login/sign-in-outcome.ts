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
  /** Resolves when the entry of a sign-in is where a kill does not reach it: nobody is signed in without. */
  return async (ctx: Context, outcome: SignInOutcome): Promise<void> => {
    const { account, reason, providerId = account?.federated?.provider } = outcome;
    metrics.signIn(reason ?? 'success');
    audit('login', {
      ...about(ctx),
      actor: account?.id,
      outcome: account ? 'success' : 'denied',
      reason,
      provider: providerId,
    });
    if (account) await audit.written?.();
  };
}
