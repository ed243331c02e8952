/** scrypt (RFC 7914): `$scrypt$ln=14,r=8,p=1$salt$hash`, and Firebase's, which encrypts a key by it. */
import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { decoyLike } from './argon2.ts';
import type { HashKind } from './hash-kind.ts';
import {
  bytesOf,
  checkParameters,
  checkSizes,
  InvalidHashError,
  type Phc,
  readPhc,
  tooCostly,
  writePhc,
} from './phc.ts';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

const ranges = { ln: [10, 18], r: [1, 32], p: [1, 16] } as const;
/** N times r times p: three seconds on a slow machine. */
const mostWork = 2 ** 21;
const mostBytes = 256 * 1024 * 1024;

type Cost = Readonly<Record<string, number>>;

export const scryptKind: HashKind = {
  isOwn: (text) => text.startsWith('$scrypt$'),
  read: (text) => scryptHash(readPhc(text)),
  async verify(stored, password) {
    const { parameters, salt, digest } = readPhc(stored);
    return timingSafeEqual(await keyOf(password, salt, digest.length, parameters), digest);
  },
  cost: (stored) => costOf(readPhc(stored).parameters),
  decoyOf: decoyLike,
};

/** @returns the form in which it is stored. @throws {InvalidHashError} */
export function scryptHash({ parameters, salt, digest }: Omit<Phc, 'id'>): string {
  checkCost(parameters);
  checkSizes({ salt, digest });
  const { ln = 0, r = 0, p = 0 } = parameters;
  return writePhc({ id: 'scrypt', parameters: { ln, r, p }, salt, digest });
}

/** `$fbscrypt$v=1,n=14,r=8,p=1,ss=<separator>,sk=<signer key>$salt$hash`. */
const firebaseForm =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,3}),p=(\d{1,2}),ss=([\w+/-]+=*),sk=([\w+/-]+=*)\$([\w+/-]+=*)\$([\w+/-]+=*)$/;

export const firebaseKind: HashKind = {
  isOwn: (text) => text.startsWith('$fbscrypt$'),
  read(text) {
    const { cost, salt, digest } = readFirebase(text);
    checkCost(cost);
    checkSizes({ salt, digest });
    return text;
  },
  async verify(stored, password) {
    const { cost, salt, separator, signerKey, digest } = readFirebase(stored);
    const key = await keyOf(password, Buffer.concat([salt, separator]), 32, cost);
    const made = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey);
    return made.length === digest.length && timingSafeEqual(made, digest);
  },
  cost: (stored) => costOf(readFirebase(stored).cost),
  decoyOf: (stored) => {
    const { digest } = readFirebase(stored);
    const decoy = readPhc(decoyLike(writePhc({ id: 'x', parameters: { i: 1 }, salt: digest, digest })));
    return stored.slice(0, stored.lastIndexOf('$') + 1) + decoy.digest.toString('base64');
  },
};

/** @throws {InvalidHashError} */
function readFirebase(text: string) {
  const [, n, r, p, separator = '', signerKey = '', salt = '', digest = ''] = firebaseForm.exec(text) ?? [];
  if (n === undefined)
    throw new InvalidHashError('is not whole: a parameter, the salt or the digest is missing');
  const bytes = (part: string) => bytesOf(part.replaceAll('-', '+').replaceAll('_', '/'));
  return {
    cost: { ln: Number(n), r: Number(r), p: Number(p) },
    separator: bytes(separator),
    signerKey: bytes(signerKey),
    salt: bytes(salt),
    digest: bytes(digest),
  };
}

function keyOf(
  password: string,
  salt: Buffer,
  length: number,
  { ln = 0, r = 0, p = 0 }: Cost,
): Promise<Buffer> {
  // What OpenSSL counts: the table, and the blocks of all lanes.
  const maxmem = 2 * mostBytes;
  return derive(password, salt, length, { N: 2 ** ln, r, p, maxmem });
}

/** @throws {InvalidHashError} */
function checkCost(given: Cost): void {
  checkParameters(given, ranges);
  const { ln = 0, r = 0, p = 0 } = given;
  const work = 2 ** ln * r * p;
  if (work > mostWork) throw tooCostly(`N times r times p is ${work}, and at most ${mostWork} is taken`);
  if (128 * 2 ** ln * r > mostBytes) throw tooCostly('it needs more than 256 MiB');
}

function costOf({ ln = 0, r = 0, p = 0 }: Cost): number {
  return 2 ** ln * r * p * 0.001;
}
