/**
 * Hashes of passwords as they are stored, of whatever kind: those made here are Argon2id, others came with an import
 * and stay until their owner signs in.
 */
import { argon2Kind, isOutdated } from './argon2.ts';
import { bcryptKind } from './bcrypt.ts';
import type { HashKind } from './hash-kind.ts';
import { pbkdf2Kind } from './pbkdf2.ts';
import { InvalidHashError } from './phc.ts';
import { firebaseKind, scryptKind } from './scrypt.ts';

const kinds: readonly HashKind[] = [argon2Kind, bcryptKind, scryptKind, firebaseKind, pbkdf2Kind];

/** Far more than any hash that is taken. */
const longestText = 2048;

/**
 * @param text  PHC string format, bcrypt, passlib's or Django's PBKDF2, Firebase's scrypt as `$fbscrypt$…`
 * @returns the form in which it is stored
 * @throws {InvalidHashError} when it is none, is too weak, or would cost too much at a sign-in
 */
export function readHash(text: string): string {
  if (text.length > longestText) throw new InvalidHashError(`has more than ${longestText} characters`);
  const kind = kinds.find(({ isOwn }) => isOwn(text));
  if (kind) return kind.read(text);
  throw new InvalidHashError(weakness(text) ?? 'is of no known form');
}

/** @param stored  false for what is no hash */
export async function verifyHash(stored: string, password: string): Promise<boolean> {
  return (await kinds.find(({ isOwn }) => isOwn(stored))?.verify(stored, password)) ?? false;
}

/** Whether the next sign-in should replace it. */
export function needsReplacing(stored: string): boolean {
  return !argon2Kind.isOwn(stored) || isOutdated(stored);
}

/** What one check costs, roughly in milliseconds. @param stored  from {@link readHash} */
export function costOfHash(stored: string): number {
  return kindOf(stored).cost(stored);
}

/** One that costs as much to check, and that nobody has a password for. @param stored  from {@link readHash} */
export function decoyOf(stored: string): string {
  return kindOf(stored).decoyOf(stored);
}

function kindOf(stored: string): HashKind {
  const kind = kinds.find(({ isOwn }) => isOwn(stored));
  if (!kind) throw new InvalidHashError('is of no known form');
  return kind;
}

/** What was found in stores of others and is no protection there any more. */
const weak: readonly (readonly [RegExp, string])[] = [
  [/^\$1\$|^\$apr1\$/, 'is MD5-crypt'],
  [/^\$[56]\$/, 'is SHA-crypt, which this server does not compute'],
  [/^\$y\$|^\$7\$|^\$gy\$/, 'is yescrypt or scrypt of crypt(3), which this server does not compute'],
  [
    /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i,
    'is a single fast digest, which is too weak',
  ],
];

function weakness(text: string): string | undefined {
  return weak.find(([form]) => form.test(text))?.[1];
}
