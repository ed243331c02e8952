/** Password rules and hashing (S25, S26): Argon2id off the event loop, a few at a time. */
import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import { ProblemError, problems } from '../../platform/errors.ts';
import { whyGuessable } from './password-blocklist.ts';
import { createPlaces, type Turn } from './places.ts';

/** OWASP's first choice: 19 MiB, two passes, one lane. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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
}

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
   * Takes as long for an account that does not exist (`stored` undefined) as for a wrong password (S28).
   *
   * @param turn  of who asks, when many do
   * @throws {ProblemError} `busy` when too many hashes wait
   */
  verify(stored: string | undefined, password: string, turn?: Turn): Promise<boolean>;
  /** Whether the stored hash has weaker parameters than today's. */
  needsRehash(stored: string): boolean;
}

export function createPasswords({ minCharacters, concurrency, maxWaiting }: PasswordsDeps): Passwords {
  const places = createPlaces(concurrency, maxWaiting);
  const decoy = randomHash();

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
    async verify(stored, password, turn = trusted) {
      if (Buffer.byteLength(password) > passwordLimits.maxBytes) return false;
      const isRight = await places.run(turn, () => argon2.verify(stored ?? decoy, normalise(password)));
      return isRight && stored !== undefined;
    },
    needsRehash: (stored) => argon2.needsRehash(stored, parameters),
  };
}

/** A hash that no known password has; it costs as much to verify as any. */
function randomHash(): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  const { memoryCost, timeCost, parallelism } = parameters;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`;
}

/** The same characters typed on another keyboard give the same bytes (NIST SP 800-63B-4 §3.1.1.2). */
function normalise(password: string): string {
  return password.normalize('NFKC');
}

function weak(detail: string): ProblemError {
  return new ProblemError(problems.weakPassword, detail);
}
