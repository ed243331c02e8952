/** A person proves once more who they are, for what wants a sign-in of late (RFC 9470); their applications stay open. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { confirmationBudget, type Throttle } from '../accounts/guessing/throttle.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Users } from '../accounts/users.ts';
import type { UserRecord } from '../storage/records.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';
import type { WithSession } from './signed-in.ts';

export interface StepUpDeps {
  readonly browserSessions: Pick<BrowserSessions, 'renew'>;
  readonly users: Pick<Users, 'issueTime'>;
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly throttle: Throttle;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onChange: (ctx: Context, event: string, account: UserRecord) => Promise<void>;
  readonly onRejected: (ctx: Context, event: string, account: UserRecord, reason: string) => void;
}

/** @throws {ProblemError} `invalid_request` for a wrong password, `too_many_requests`, `unauthorized` when the session has ended */
export type StepUp = (ctx: Context, here: WithSession, password: string) => Promise<BrowserSession>;

const event = 'session.reauthenticated';

export function createStepUp(deps: StepUpDeps): StepUp {
  const { browserSessions, users, now, onChange, onRejected } = deps;
  return async (ctx, { account }, password) => {
    try {
      await checkPassword(account, password, deps);
    } catch (error) {
      if (error instanceof ProblemError) onRejected(ctx, event, account, error.problem.code);
      throw error;
    }
    const renewed = await browserSessions.renew(ctx, account.id, users.issueTime(account, now()));
    if (!renewed) throw new ProblemError(problems.unauthorized, 'This session has ended: sign in again.');
    await onChange(ctx, event, account);
    return renewed;
  };
}

/**
 * Whoever has got hold of a session must not guess the password in it (S29).
 *
 * @throws {ProblemError}
 */
export async function checkPassword(
  account: UserRecord,
  password: string,
  { throttle, passwords }: Pick<StepUpDeps, 'throttle' | 'passwords'>,
): Promise<void> {
  const budget = confirmationBudget(account.id);
  await throttle.take([budget]);
  const isRight = await passwords.verify(account, password).catch(async (error: unknown) => {
    await throttle.giveBack(budget);
    throw error;
  });
  if (!isRight) throw new ProblemError(problems.invalidRequest, 'The current password is not right.');
  await throttle.forget(budget);
}
