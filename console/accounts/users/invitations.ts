/**
 * Links by which somebody chooses a password: the first one, or one in place of what was forgotten. An administrator
 * hands the link over; nothing is sent from here. Whoever holds it needs no other proof, so it counts once and not for
 * long, the store has its SHA-256 only, and a newer one makes those before it void.
 */
import { createHash } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { checkVersion } from '../../storage/record-version.ts';
import type { UserRecord } from '../../storage/records.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import { type Passwords, unknownPassword } from '../passwords.ts';
import type { AccountRecords } from '../voiding.ts';
import {
  type ChangedUser,
  type ChangeTerms,
  checkHasPasswordHere,
  unknownUser,
  unlessLastAdministrator,
} from './user-change.ts';

export interface InvitationsDeps {
  readonly records: AccountRecords;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'remove'>;
  readonly passwords: Passwords;
  /** At least 256 bits of randomness. */
  readonly newToken: () => string;
  /** Where the console is reached. */
  readonly url: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Invitation extends ChangedUser {
  /** A secret: shown once. */
  readonly link: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export interface InvitationTerms extends ChangeTerms {
  readonly ttlSeconds?: number | undefined;
}

export type Invitations = ReturnType<typeof createInvitations>;

const kind = 'Invitation';
const defaultTtlSeconds = 86_400;

export function createInvitations(deps: InvitationsDeps) {
  const { records, artifacts, passwords, newToken, url, now } = deps;

  return {
    /**
     * For somebody who has no password yet.
     *
     * @throws {ProblemError} `not_found`, `precondition_failed`; `conflict` for who has one, here or at a provider
     */
    invite: (id: string, terms: InvitationTerms = {}): Promise<Invitation> =>
      give(id, terms, (user) => {
        if (user.isInvited) return;
        const detail = `${user.username} has a password already: give another one by reset-password.`;
        throw new ProblemError(problems.conflict, detail);
      }),
    /**
     * The password of before is none any more, and every session ends.
     *
     * @throws {ProblemError} as {@link Invitations.invite}; `last_administrator`
     */
    reset: (id: string, terms: InvitationTerms = {}): Promise<Invitation> => give(id, terms, () => {}),
    /** Whose link it is. @throws {ProblemError} `forbidden` for one that does not count, or not any more */
    async find(token: string): Promise<UserRecord> {
      const { user } = await open(token);
      return user;
    },
    /** Uses the link up. @throws {ProblemError} `forbidden` as {@link Invitations.find}, `weak_password` */
    async accept(token: string, password: string): Promise<UserRecord> {
      const { user: invited } = await open(token);
      const { id, username, email } = invited;
      await passwords.check(password, [username, ...(email ? [email] : [])]);
      const passwordHash = await passwords.hash(password);
      const accepted = await records.change(async (transaction) => {
        const { isInvited: _isInvited, ...user } = (await transaction.get('users', id)) ?? notValid();
        // Of two who use it at the same time one does: the other finds another hash.
        if (user.disabled || user.passwordHash !== invited.passwordHash) notValid();
        transaction.put('users', { ...user, passwordHash });
        return (await transaction.get('users', id)) ?? user;
      });
      // It does not count any more as it is; if this fails, it goes when it has expired.
      await artifacts.remove(kind, token).catch(() => {});
      return accepted;
    },
  };

  /** The hash that nobody knows a password of is what the link belongs to. */
  function give(
    id: string,
    { version, checkMayGrant, ttlSeconds = defaultTtlSeconds }: InvitationTerms,
    check: (user: UserRecord) => void,
  ): Promise<Invitation> {
    const token = newToken();
    const expiresAt = Math.floor(now() / 1000) + ttlSeconds;
    return unlessLastAdministrator(
      records.change(async (transaction) => {
        const before = (await transaction.get('users', id)) ?? unknownUser();
        checkVersion(before, version);
        checkMayGrant?.(before);
        checkHasPasswordHere(before);
        check(before);
        const passwordHash = unknownPassword();
        transaction.put('users', { ...before, passwordHash, isInvited: true });
        const payload = { for: digestOf(passwordHash) };
        transaction.putArtifact({ kind, id: token }, { payload, expiresAt, accountId: id });
        const after = (await transaction.get('users', id)) ?? before;
        return { before, after, link: `${url}/invitation?token=${token}`, expiresAt };
      }),
    );
  }

  async function open(token: string): Promise<{ readonly user: UserRecord }> {
    const artifact = token === '' ? undefined : await artifacts.get(kind, token);
    const user = artifact?.accountId && (await records.get('users', artifact.accountId));
    if (!user || user.disabled || artifact?.payload.for !== digestOf(user.passwordHash)) notValid();
    return { user };
  }
}

function digestOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}

function notValid(): never {
  throw new ProblemError(
    problems.forbidden,
    'This link does not count, or not any more: it has been used, it is too old, or there is a newer one. Ask who gave it to you for another.',
  );
}
