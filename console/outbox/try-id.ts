/** What names one try of a delivery, whoever makes it. */
import { createHash } from 'node:crypto';

/**
 * Whoever takes up a try of which nobody knows how it ended gives it the same id, so that a receiver knows what it has.
 *
 * @param parts  what is told, to whom, and the number of the try
 * @returns 22 characters, from which nothing of that is to be learnt
 */
export function tryId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
