/** Password rules and hashing (S25, S26): off the event loop, a few at a time; what is made here is Argon2id. */
import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { UserRecord } from '../storage/records.ts';
import { whyGuessable } from './password-blocklist.ts';
import { parameters } from './password-hashes/argon2.ts';
import { createEvenTime } from './password-hashes/even-time.ts';
import { needsReplacing, readHash, verifyHash } from './password-hashes/hashes.ts';
import { createPlaces, type Turn } from './places.ts';

/** An administrator, or somebody in a session. */
const trusted: Turn = { standing: 'known', group: '' };

export const passwordLimits = { maxCharacters: 256, maxBytes: 1024 } as const;

export interface PasswordsDeps {
  /** At least 12 unless configured otherwise. */
  readonly minCharacters: number;
  /** Hashes at the same time; the thread pool has four threads and signing needs some of them. */
  readonly concurrency: number;
  /** Hashes that may wait; one more is answered 503. */
  readonly maxWaiting: number;
  /** The costliest of the imported hashes, or one like it; by default there are none. */
  readonly costliestImported?: () => string | undefined;
  /** Nobody signs in to this account by a password, until it gets another one. */
  readonly onDamagedHash?: (accountId: string) => void;
}

type WithHash = Pick<UserRecord, 'id' | 'passwordHash'>;

export interface Passwords {
  readonly minCharacters: number;
  /**
   * @param personal  the account's own words, which must not make up the password
   * @throws {ProblemError} `weak_password` that says why
   */
  check(password: string, personal: readonly string[]): Promise<void>;
  /** @throws {ProblemError} `busy` when too many hashes wait */
  hash(password: string): Promise<string>;
  /**
   * Takes as long without an account as for a wrong password (S28), also where others have hashes from elsewhere,
   * which take longer. No password is that of a damaged hash.
   *
   * @param turn  of who asks, when many do
   * @throws {ProblemError} `busy` when too many hashes wait
   */
  verify(account: WithHash | undefined, password: string, turn?: Turn): Promise<boolean>;
  /** Whether the stored hash is of another kind than today's, or has other parameters. */
  needsRehash(stored: string): boolean;
}

export function createPasswords(deps: PasswordsDeps): Passwords {
  const { minCharacters, concurrency, maxWaiting, costliestImported = () => undefined, onDamagedHash } = deps;
  const places = createPlaces(concurrency, maxWaiting);
  const decoy = unknownPassword();
  const evenTime = createEvenTime(costliestImported, (hash) =>
    places.run(trusted, async () => (await timed(() => verifyHash(hash, 'nobody'))).ms),
  );

  return {
    minCharacters,
    async check(password, personal) {
      const characters = [...password].length;
      if (characters < minCharacters) throw weak(`Use at least ${minCharacters} characters.`);
      if (
        characters > passwordLimits.maxCharacters ||
        Buffer.byteLength(password) > passwordLimits.maxBytes
      ) {
        throw weak(`Use at most ${passwordLimits.maxCharacters} characters.`);
      }
      const why = await whyGuessable(password, personal);
      if (why !== undefined) {
        throw weak(`This password is easy to guess: ${why}. A few unrelated words make a good one.`);
      }
    },
    hash: (password) => places.run(trusted, () => argon2.hash(normalise(password), parameters)),
    async verify(account, password, turn = trusted) {
      if (Buffer.byteLength(password) > passwordLimits.maxBytes) return false;
      const stored = account && hashOf(account);
      const { result, ms } = await places.run(turn, () => timed(() => isAnyOf(stored ?? decoy, password)));
      if (result && stored !== undefined) return true;
      await evenTime.wait(ms);
      return false;
    },
    needsRehash: needsReplacing,
  };

  function hashOf({ id, passwordHash }: WithHash): string | undefined {
    try {
      readHash(passwordHash);
      return passwordHash;
    } catch {
      onDamagedHash?.(id);
      return undefined;
    }
  }
}

/** A hash that no known password has; it costs as much to verify as any that is made here. */
export function unknownPassword(): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  const { memoryCost, timeCost, parallelism } = parameters;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`;
}

/** The same characters typed on another keyboard give the same bytes (NIST SP 800-63B-4 §3.1.1.2). */
function normalise(password: string): string {
  return password.normalize('NFKC');
}

/** What was hashed elsewhere was hashed as it was typed. */
async function isAnyOf(stored: string, password: string): Promise<boolean> {
  const normal = normalise(password);
  return (await verifyHash(stored, normal)) || (normal !== password && (await verifyHash(stored, password)));
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

function weak(detail: string): ProblemError {
  return new ProblemError(problems.weakPassword, detail);
}
