/** `userPassword` of a directory (RFC 2307 §5.3): a scheme in braces, and what it means. */
import { readHash } from './hashes.ts';
import { InvalidHashError } from './phc.ts';

/**
 * Taken are `{ARGON2}`, `{CRYPT}` with bcrypt, and OpenLDAP's `{PBKDF2…}`. The salted digests (`{SSHA}` and its kin)
 * are too weak: one look at a copy of them finds most passwords.
 *
 * @returns the form in which it is stored
 * @throws {InvalidHashError}
 */
export function hashFromLdap(text: string): string {
  const [, scheme = '', value = ''] = /^\{([\w-]+)\}(.+)$/s.exec(text) ?? [];
  if (scheme === '') throw new InvalidHashError('is no hash: a scheme in braces is missing');
  const name = scheme.toUpperCase().replaceAll('_', '-');
  if (name === 'ARGON2' || name === 'CRYPT' || name === 'BCRYPT') return readHash(value);
  if (/^PBKDF2(?:-SHA(?:1|256|512))?$/.test(name) && /^\d+\$/.test(value)) {
    return readHash(`$${name.toLowerCase()}$${value}`);
  }
  if (/^(?:S?MD5|S?SHA(?:-?\d+)?|CLEARTEXT)$/.test(name)) {
    throw new InvalidHashError(`is too weak: {${scheme}} is a fast digest or none`);
  }
  throw new InvalidHashError(`has a scheme {${scheme.slice(0, 20)}} that is not known`);
}
