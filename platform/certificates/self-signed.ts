/**
 * A key and a certificate for signing SAML messages. Node makes keys and reads certificates but writes
 * none, and a provider wants a certificate; it pins the key in it, so nobody else has to vouch for it.
 */
import { createPrivateKey, generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';

export interface SelfSigned {
  /** PEM (PKCS #8). */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
}

export interface SelfSignedDeps {
  readonly randomBytes: (size: number) => Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** From now to its end, milliseconds; ten years without it. */
  readonly lifeMs?: number;
}

const dayMs = 86_400_000;

/** @param commonName  cut to 64 characters, which is as long as one may be (RFC 5280, ub-common-name) */
export async function newSelfSigned(
  commonName: string,
  { randomBytes, now, lifeMs = 10 * 365 * dayMs }: SelfSignedDeps,
): Promise<SelfSigned> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40; // positive and of full length (RFC 5280 §4.1.2.2)
  const name = sequence(
    set(sequence(objectId('550403'), element(0x0c, Buffer.from(commonName.slice(0, 64))))),
  );
  const toBeSigned = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, serial),
    rsaSha256,
    name,
    sequence(time(now() - dayMs), time(now() + lifeMs)),
    name,
    publicKey,
  );
  const signature = sign('sha256', toBeSigned, createPrivateKey(privateKey));
  const certificate = sequence(
    toBeSigned,
    rsaSha256,
    element(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return { key: privateKey, certificate: asPem(certificate) };
}

/** DER: tag, length in as few bytes as can be, content (ITU-T X.690 §8.1). */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'));
}

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11. */
const rsaSha256 = sequence(objectId('2a864886f70d01010b'), element(0x05, Buffer.alloc(0)));

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}

function asPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
