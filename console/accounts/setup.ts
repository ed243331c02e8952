import { randomBytes } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import { isSameText } from '../../platform/secret.ts';
import { normalName } from '../storage/name-keys.ts';
import type { SignedIn } from './sign-in.ts';
import type { SignInTimes } from './sign-in-times.ts';
import { checkForm, type NewUser } from './users/user-records.ts';
import type { Users } from './users.ts';
import { issueTime } from './validity.ts';

/** The first administrator has a password from the beginning. */
export type FirstUser = Omit<NewUser, 'roles' | 'password'> & { readonly password: string };

/** First-run set-up: whoever holds the link that the start printed makes the first administrator, once (S27). */
export interface Setup {
  /** The secret of this start's link; nobody is told of it when there is a user already. */
  readonly token: string;
  /** Whether there is no user yet. */
  isOpen(): Promise<boolean>;
  /** @throws {ProblemError} `forbidden` when the link is wrong or used */
  checkToken(token: string): Promise<void>;
  /** What stands above the password in the form. @throws {ProblemError} `invalid_request` */
  checkUser(user: Omit<FirstUser, 'password'>): void;
  /** @throws {ProblemError} as {@link Setup.checkToken} and {@link Users.add} */
  createAdministrator(token: string, user: FirstUser): Promise<SignedIn>;
}

export interface SetupDeps {
  readonly users: Users;
  readonly times: SignInTimes;
  /** The secret of this start, the same in all its processes. */
  readonly setupToken: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function newSetupToken(): string {
  return randomBytes(24).toString('base64url');
}

export function createSetup({ users, times, setupToken, now }: SetupDeps): Setup {
  const token = setupToken;

  async function checkToken(given: string): Promise<void> {
    if (await users.hasAny()) {
      throw new ProblemError(problems.forbidden, 'The first administrator has been made: sign in instead.');
    }
    if (!isSameText(given, token)) {
      throw new ProblemError(
        problems.forbidden,
        'This is not the set-up link of this start. The newest one is in the output of the running console.',
      );
    }
  }

  return {
    token,
    isOpen: async () => !(await users.hasAny()),
    checkToken,
    checkUser: ({ username, ...user }) => checkForm({ ...user, username: normalName(username), roles: [] }),
    async createAdministrator(given, user) {
      await checkToken(given);
      const account = await users.add({ ...user, roles: ['Admin'] }, { isFirst: true });
      const at = issueTime(account, now());
      await times.record(account.id, at);
      return { account, at };
    },
  };
}
