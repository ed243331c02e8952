/**
 * Check-points: an entry with the whole `c` of the entry before it and the heads of all writers, signed by a key for this
 * alone. A copy that is kept elsewhere shows what the files alone cannot: an end that was cut, an older store put in place,
 * a chain computed anew.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { createIsoTime } from '../../platform/log-lines/iso-time.ts';
import { hashText, readHash } from './chain.ts';

/** Where a writer's chain ends. */
export interface WriterHead {
  readonly seq: number;
  /** The characters before the line of this entry. */
  readonly link: string;
}

export interface Checkpoint {
  readonly writer: string;
  readonly seq: number;
  readonly time: string;
  /** Of the entry before. */
  readonly c: Buffer;
  readonly heads: Readonly<Record<string, WriterHead>>;
  readonly key: string;
  /** The text that the signature is of: the line up to it. */
  readonly signed: string;
  readonly signature: Buffer;
}

export const checkpointEvent = 'audit.checkpoint';
const beforeSignature = ',"signature":"';

/** PKCS #8 of Ed25519 up to the 32 bytes of the key (RFC 8410). */
const privateKeyStart = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** PEM of the public part. */
  readonly publicPem: string;
}

/** @param seed  32 bytes, base64url */
export function signingKey(seed: string): SigningKey {
  const der = Buffer.concat([privateKeyStart, Buffer.from(seed, 'base64url')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return {
    id: keyId(publicKey),
    privateKey,
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }) as string,
  };
}

/** Tells which key a check-point is signed with. */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('base64url').slice(0, 16);
}

/** The body of the entry, for {@link entryLine}, which makes the `place` of it. */
export function checkpointLine(
  place: string,
  { time, c, heads }: { readonly time: number; readonly c: Buffer; readonly heads: Checkpoint['heads'] },
  key: SigningKey,
): string {
  const said = `"time":"${timeOf(time)}","event":"${checkpointEvent}","outcome":"success"`;
  const signed = `${place}${said},"c":"${hashText(c)}","heads":${JSON.stringify(heads)},"key":"${key.id}"`;
  const signature = sign(null, Buffer.from(signed), key.privateKey).toString('base64url');
  return `${signed}${beforeSignature}${signature}"}`;
}

const timeOf = (time: number) => createIsoTime()(time);

/** @returns undefined when it is none; its signature is not checked */
export function readCheckpoint(line: string): Checkpoint | undefined {
  const at = line.lastIndexOf(beforeSignature);
  if (at < 0) return undefined;
  try {
    const { writer, seq, time, event, heads, key, signature, ...rest } = JSON.parse(line);
    const c = readHash(rest.c);
    if (event !== checkpointEvent || !c || typeof heads !== 'object') return undefined;
    return {
      writer,
      seq,
      time,
      c,
      heads,
      key,
      signed: line.slice(0, at),
      signature: Buffer.from(signature, 'base64url'),
    };
  } catch {
    return undefined; // no JSON
  }
}

export function isSignedBy({ signed, signature }: Checkpoint, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(signed), publicKey, signature);
}
