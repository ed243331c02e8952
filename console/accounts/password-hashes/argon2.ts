/** Argon2 (RFC 9106), all three variants: `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`. */
import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import type { HashKind } from './hash-kind.ts';
import { checkParameters, checkSizes, InvalidHashError, readPhc, tooCostly, writePhc } from './phc.ts';

/** OWASP's first choice: 19 MiB, two passes, one lane. */
export const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const ranges = { m: [8, 262_144], t: [1, 64], p: [1, 16] } as const;
/** KiB times passes: 256 MiB four times, about three seconds. */
const mostWork = 1_048_576;

export const argon2Kind: HashKind = {
  isOwn: (text) => /^\$argon2(?:id|i|d)\$/.test(text),
  read(text) {
    const { id, version = 16, parameters: given, salt, digest } = readPhc(text);
    if (version !== 16 && version !== 19)
      throw new InvalidHashError(`is of Argon2 version ${version}, not 16 or 19`);
    checkParameters(given, ranges);
    checkSizes({ salt, digest });
    const { m = 0, t = 0, p = 0 } = given;
    if (m < 8 * p) throw new InvalidHashError('has less than 8 KiB for each lane');
    if (m * t > mostWork) throw tooCostly(`m times t is ${m * t}, and at most ${mostWork} is taken`);
    return writePhc({ id, version, parameters: { m, t, p }, salt, digest });
  },
  verify: (stored, password) => argon2.verify(stored, password),
  cost(stored) {
    const { m = 0, t = 0 } = readPhc(stored).parameters;
    return m * t * 0.003;
  },
  decoyOf: decoyLike,
};

/** Whether it has other parameters than those of today. @param stored  of this kind */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith('$argon2id$') || argon2.needsRehash(stored, parameters);
}

/** The same parameters with a salt and a digest that nobody has seen. @param stored  in the PHC format */
export function decoyLike(stored: string): string {
  const phc = readPhc(stored);
  return writePhc({ ...phc, salt: randomBytes(phc.salt.length), digest: randomBytes(phc.digest.length) });
}
