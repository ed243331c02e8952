/** The hash of an Auth0 user: bcrypt by itself, or `custom_password_hash` of its import format. */
import { readHash } from './hashes.ts';
import { bytesOf, InvalidHashError } from './phc.ts';
import { scryptHash } from './scrypt.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * @returns the form in which it is stored
 * @throws {InvalidHashError}
 */
export function hashFromAuth0(custom: Json): string {
  const { algorithm, hash = {}, salt = {} } = custom as { algorithm?: unknown; hash?: Json; salt?: Json };
  if (algorithm === 'bcrypt' || algorithm === 'argon2' || algorithm === 'pbkdf2')
    return readHash(String(hash.value));
  if (algorithm === 'scrypt') return readScrypt(custom, hash, salt);
  if (algorithm === 'ldap') return rejectWeak('ldap');
  if (typeof algorithm === 'string' && /^(?:md[45]|sha\d+|hmac)$/.test(algorithm))
    return rejectWeak(algorithm);
  throw new InvalidHashError('is of an algorithm other than argon2, bcrypt, pbkdf2 and scrypt');
}

/** The cost stands beside the hash; what is left out has the values of Node's own scrypt. */
function readScrypt(custom: Json, hash: Json, salt: Json): string {
  if (typeof hash.value !== 'string' || typeof salt.value !== 'string') {
    throw new InvalidHashError('is not whole: the hash or the salt has no value');
  }
  const { cost = 16_384, blockSize: r = 8, parallelization: p = 1 } = { ...hash, ...custom };
  const ln = Math.log2(Number(cost));
  if (!Number.isInteger(ln)) throw new InvalidHashError('has a cost that is no power of two');
  return scryptHash({
    parameters: { ln, r: Number(r), p: Number(p) },
    salt: decoded(salt.value, salt.encoding ?? 'utf8'),
    digest: decoded(hash.value, hash.encoding ?? 'base64'),
  });
}

/** @throws {InvalidHashError} */
function decoded(value: string, encoding: unknown): Buffer {
  if (encoding === 'base64') return bytesOf(value);
  if (encoding === 'hex' && /^(?:[0-9a-f]{2})+$/i.test(value)) return Buffer.from(value, 'hex');
  if (encoding === 'utf8') return Buffer.from(value, 'utf8');
  throw new InvalidHashError('has a salt or digest that is not of its encoding');
}

function rejectWeak(algorithm: string): never {
  throw new InvalidHashError(`is too weak: ${algorithm} is a fast digest`);
}
