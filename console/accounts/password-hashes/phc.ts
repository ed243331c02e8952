/** The PHC string format (`$id$v=…$a=1,b=2$salt$hash`), in which hashes of several kinds are stored. */

/** A hash that is not taken; the message says why and follows "This password hash ". */
export class InvalidHashError extends Error {
  override readonly name = 'InvalidHashError';
}

export interface Phc {
  readonly id: string;
  readonly version?: number | undefined;
  readonly parameters: Readonly<Record<string, number>>;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

/** @throws {InvalidHashError} */
export function readPhc(text: string): Phc {
  const [, id, version, listed = '', salt = '', digest = ''] =
    /^\$([a-z0-9-]{1,32})(?:\$v=(\d{1,4}))?\$([a-z]+=\d+(?:,[a-z]+=\d+)*)\$([^$]+)\$([^$]+)$/.exec(text) ??
    [];
  if (id === undefined)
    throw new InvalidHashError('is not whole: a parameter, the salt or the digest is missing');
  const pairs = listed.split(',').map((pair) => pair.split('='));
  return {
    id,
    version: version === undefined ? undefined : Number(version),
    parameters: Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)])),
    salt: bytesOf(salt),
    digest: bytesOf(digest),
  };
}

export function writePhc({ id, version, parameters, salt, digest }: Phc): string {
  const listed = Object.entries(parameters).map((pair) => pair.join('='));
  return [
    '',
    id,
    ...(version === undefined ? [] : [`v=${version}`]),
    listed.join(','),
    plainBase64(salt),
    plainBase64(digest),
  ].join('$');
}

/**
 * Base64 in any of its spellings: with `.` for `+` as passlib and OpenLDAP write it, with or without padding.
 *
 * @throws {InvalidHashError}
 */
export function bytesOf(text: string): Buffer {
  const plain = text.replaceAll('.', '+').replace(/=+$/, '');
  const bytes = Buffer.from(plain, 'base64');
  if (/^[A-Za-z0-9+/]+$/.test(plain) && plain.length % 4 !== 1) return bytes;
  throw new InvalidHashError('has a salt or digest that is not base64');
}

/**
 * That the salt is one, and that nobody hits the digest by chance.
 *
 * @throws {InvalidHashError}
 */
export function checkSizes({ salt, digest }: Pick<Phc, 'salt' | 'digest'>): void {
  if (salt.length < 8 || salt.length > 256)
    throw new InvalidHashError('has a salt that is not of 8 to 256 bytes');
  if (digest.length < 16 || digest.length > 512) {
    throw new InvalidHashError('has a digest that is not of 16 to 512 bytes');
  }
}

/** @throws {InvalidHashError} when a parameter is missing, not within its range, or not known */
export function checkParameters(
  given: Readonly<Record<string, number>>,
  ranges: Readonly<Record<string, readonly [least: number, most: number]>>,
): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(ranges, name));
  if (unknown !== undefined) throw new InvalidHashError(`has a parameter ${unknown}, which is not known`);
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = given[name];
    if (value === undefined) throw new InvalidHashError(`lacks the parameter ${name}`);
    if (value < least)
      throw new InvalidHashError(`is too weak: ${name} is ${value}, and at least ${least} is needed`);
    if (value > most) throw tooCostly(`${name} is ${value}, and at most ${most} is taken`);
  }
}

/** One sign-in must not take minutes, nor gigabytes (S26). */
export function tooCostly(why: string): InvalidHashError {
  return new InvalidHashError(`costs too much to check: ${why}`);
}

function plainBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
