/** bcrypt: `$2b$12$`, salt and digest in 53 characters. */
import { randomBytes } from 'node:crypto';
import type { HashKind } from './hash-kind.ts';
import { InvalidHashError, tooCostly } from './phc.ts';

/** Two seconds on a slow machine. */
const mostRounds = 14;
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const bcryptKind: HashKind = {
  isOwn: (text) => /^\$2[a-z]?\$/.test(text),
  read(text) {
    const [, minor, rounds, rest] = /^\$2([aby])\$(\d\d)\$([./A-Za-z0-9]{53})$/.exec(text) ?? [];
    if (rest === undefined) {
      throw new InvalidHashError(
        'is not whole: $2a$, $2b$ or $2y$, two digits, $ and 53 characters make bcrypt',
      );
    }
    if (Number(rounds) < 4) throw new InvalidHashError('is too weak: its cost is less than 4');
    if (Number(rounds) > mostRounds) {
      throw tooCostly(`its cost is ${Number(rounds)}, and at most ${mostRounds} is taken`);
    }
    // PHP's y and OpenBSD's b are the same computation.
    return `$2${minor === 'a' ? 'a' : 'b'}$${rounds}$${rest}`;
  },
  async verify(stored, password) {
    // Few installations have such hashes, and a start has no use for compiled parts.
    const { default: bcrypt } = await import('bcrypt');
    return bcrypt.compare(password, stored);
  },
  cost: (stored) => 0.09 * 2 ** Number(stored.slice(4, 6)),
  decoyOf: (stored) => stored.slice(0, 7) + randomCharacters(53),
};

/** The last characters of salt and digest hold fewer bits, and `.` has none set. */
function randomCharacters(length: number): string {
  const characters = [...randomBytes(length)].map((byte) => alphabet[byte % 64]!);
  characters[21] = '.';
  characters[length - 1] = '.';
  return characters.join('');
}
