/** PBKDF2 (RFC 8018 §5.2) with HMAC of SHA-1, SHA-256 or SHA-512: `$pbkdf2-sha256$i=600000,l=32$salt$hash`. */
import { pbkdf2, timingSafeEqual } from 'node:crypto';
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
  writePhc,
} from './phc.ts';

const derive = promisify(pbkdf2);

interface Digest {
  readonly bytes: number;
  /** Of one iteration. */
  readonly ms: number;
}

const digests: Readonly<Record<string, Digest>> = {
  sha1: { bytes: 20, ms: 0.0006 },
  sha256: { bytes: 32, ms: 0.0004 },
  sha512: { bytes: 64, ms: 0.0012 },
};

const ranges = { i: [1000, 2_000_000], l: [16, 512] } as const;

export const pbkdf2Kind: HashKind = {
  isOwn: (text) => /^(?:\$pbkdf2|pbkdf2_)/.test(text),
  read: (text) => pbkdf2Hash(readDjango(text) ?? readPasslib(text) ?? readPhc(text)),
  async verify(stored, password) {
    const { id, parameters, salt, digest } = readPhc(stored);
    const name = digestOf(id);
    // A block does not depend on those before it, and the first one alone proves the password.
    const first = digest.subarray(0, digests[name]!.bytes);
    return timingSafeEqual(await derive(password, salt, parameters.i!, first.length, name), first);
  },
  cost(stored) {
    const { id, parameters } = readPhc(stored);
    return parameters.i! * digests[digestOf(id)]!.ms;
  },
  decoyOf: decoyLike,
};

/** @returns the form in which it is stored. @throws {InvalidHashError} */
export function pbkdf2Hash({ id, parameters, salt, digest }: Phc): string {
  const name = digestOf(id);
  const given: Phc['parameters'] = { l: digest.length, ...parameters };
  checkParameters(given, ranges);
  checkSizes({ salt, digest });
  if (given.l !== digest.length) throw new InvalidHashError('has a digest of another length than it says');
  return writePhc({ id: `pbkdf2-${name}`, parameters: { i: given.i!, l: digest.length }, salt, digest });
}

/** @throws {InvalidHashError} */
function digestOf(id: string): string {
  const name = id === 'pbkdf2' ? 'sha1' : id.replace(/^pbkdf2-/, '');
  if (Object.hasOwn(digests, name)) return name;
  throw new InvalidHashError('is PBKDF2 of a digest other than SHA-1, SHA-256 and SHA-512');
}

/** `pbkdf2_sha256$600000$salt$hash`, where the salt is text. */
function readDjango(text: string): Phc | undefined {
  const [, name, rounds, salt = '', digest = ''] =
    /^pbkdf2_(sha1|sha256)\$(\d{1,9})\$([\x21-\x7e]+)\$([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const parameters = { i: Number(rounds) };
  return { id: `pbkdf2-${name}`, parameters, salt: Buffer.from(salt), digest: bytesOf(digest) };
}

/** `$pbkdf2-sha256$29000$salt$hash`; also what OpenLDAP has behind its braces. */
function readPasslib(text: string): Phc | undefined {
  const [, id = '', rounds, salt = '', digest = ''] =
    /^\$(pbkdf2(?:-sha\d+)?)\$(\d{1,9})\$([^$]+)\$([^$]+)$/.exec(text) ?? [];
  if (rounds === undefined) return undefined;
  return { id, parameters: { i: Number(rounds) }, salt: bytesOf(salt), digest: bytesOf(digest) };
}
