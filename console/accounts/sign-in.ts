/** From a user name and a password to an account, or to the one error that tells nothing (S28). */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Guessing } from './guessing/guessing.ts';
import { type Passwords, passwordLimits } from './passwords.ts';
import type { Turn } from './places.ts';
import type { SignInTimes } from './sign-in-times.ts';
import type { Users } from './users.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** The client address. */
  readonly source: string;
  /** Names a browser that has signed in to this account before. */
  readonly browser?: string | undefined;
}

export interface SignedIn {
  readonly account: UserRecord;
  /** Epoch seconds: the time of this sign-in wherever it is written down. */
  readonly at: number;
}

/**
 * @throws {ProblemError} `invalid_request` for an oversized password, `too_many_requests`, `busy`, and
 *   as {@link Directories.verify} does
 * @returns undefined when name or password are wrong or the account is disabled
 */
export type SignIn = (credentials: Credentials) => Promise<SignedIn | undefined>;

/** Passwords that are kept elsewhere. */
export interface Directories {
  /**
   * @returns the account here; undefined when name or password are wrong or the account is disabled
   * @throws {ProblemError} `login_failed` when a directory does not answer, `forbidden` when its person gets no role
   */
  verify(username: string, password: string): Promise<UserRecord | undefined>;
  /** Takes as long, and fails as `verify` does, without anybody's name or password. */
  verifyNobody(): Promise<void>;
}

export interface SignInDeps {
  readonly users: Users;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly times: SignInTimes;
  readonly directories?: Directories;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const maxUsernameLength = 256;

export function createSignIn(deps: SignInDeps): SignIn {
  const { users, passwords, guessing, times, directories, now } = deps;

  return async ({ username, password, source, browser }) => {
    checkSize(username, password);
    const guess = await guessing.begin({ username, source, browser });
    const local = await verify(username, password, guess.turn).catch(async (error: unknown) => {
      await guess.giveBack();
      throw error;
    });
    const account =
      local ??
      (await verifyElsewhere(username, password).catch(async (error: unknown) => {
        await guess.leaveOpen();
        throw error;
      }));
    if (!account) {
      guess.fail();
      return undefined;
    }
    const at = users.issueTime(account, now());
    await Promise.all([guess.succeed(), times.record(account.id, at)]);
    if (local && passwords.needsRehash(local.passwordHash)) await rehash(local, password);
    return { account, at };
  };

  async function verify(username: string, password: string, turn: Turn): Promise<UserRecord | undefined> {
    const known = await findLocal(username);
    // Who cannot sign in takes as long as who is not there (S28).
    const isRight = await passwords.verify(known?.disabled ? undefined : known, password, turn);
    if (!known || !isRight) return undefined;
    // Hashing takes time, in which an administrator may have changed the account.
    const account = await users.find(known.id);
    const isUnchanged = account?.tokensValidFrom === known.tokensValidFrom;
    return account && isUnchanged && !account.disabled ? account : undefined;
  }

  /**
   * A password that is kept here goes to nobody else; asking about nobody then keeps the answer from
   * coming sooner, or from coming at all while a directory is away (S28).
   */
  async function verifyElsewhere(username: string, password: string): Promise<UserRecord | undefined> {
    // Before the first administrator is made, nobody signs in at all (S27).
    if (!directories || username === '' || password === '' || !(await users.hasAny())) return undefined;
    if (!(await findLocal(username))) return directories.verify(username, password);
    await directories.verifyNobody();
    return undefined;
  }

  /** An account of an upstream provider has no password here that could be right. */
  async function findLocal(username: string): Promise<UserRecord | undefined> {
    const known = await users.findByName(username);
    return known?.federated ? undefined : known;
  }

  /** Can wait for the next sign-in when too many hashes are under way. */
  async function rehash(account: UserRecord, password: string): Promise<void> {
    try {
      await users.rehash(account, password);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem !== problems.busy) throw error;
    }
  }
}

function checkSize(username: string, password: string): void {
  if (username.length <= maxUsernameLength && Buffer.byteLength(password) <= passwordLimits.maxBytes) return;
  throw new ProblemError(problems.invalidRequest, 'The user name or the password is too long.');
}
