import type { Context } from 'koa';
import type { Audit, AuditFields } from '../../platform/log.ts';
import { openElevation } from '../accounts/elevations/effective-roles.ts';
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
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Says what the store has, until the audit has it on the disk. */
  readonly sayStored: (line: readonly [event: string, fields: AuditFields]) => Promise<void>;
}

export function createSignInRecord({ metrics, audit, about, now, sayStored }: SignInRecordDeps) {
  /** Resolves when the entry of a sign-in is where a kill does not reach it, whatever the disk takes: nobody is signed in without. */
  return async (ctx: Context, outcome: SignInOutcome): Promise<void> => {
    const { account, reason, providerId = account?.federated?.provider } = outcome;
    metrics.signIn(reason ?? 'success');
    const said = { ...about(ctx), actor: account?.id, reason, provider: providerId };
    if (!account) return audit('login', { ...said, outcome: 'denied' });
    const elevation = openElevation(account, now())?.id;
    await sayStored(['login', { ...said, ...(elevation && { elevation }), outcome: 'success' }]);
    await audit.written?.();
  };
}
