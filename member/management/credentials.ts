import { createHash, timingSafeEqual } from 'node:crypto';
import { decodePosition } from '../positions.ts';

export interface CredentialsDeps {
  readonly clusterName: string;
  /** The realm that guards management calls when security is on; off when left out. */
  readonly security?: SecurityRealm | undefined;
}

export interface SecurityRealm {
  readonly enabled: boolean;
  /** User name to password. */
  readonly users: ReadonlyMap<string, string>;
}

/**
 * Whether the first two positions of a management call, decoded once, open it.
 *
 * @throws {OperationRefused} when what is left after the first decoding cannot be decoded again
 */
export type AcceptCredentials = (name: string, password: string) => boolean;

/**
 * Security off: the name of the cluster, and any password. On: a user of the realm with its password; the
 * cluster's name plays no part (spec §5.1, reference 4). Both positions are decoded a second time
 * here, as in the real engine, so `%` and `+` in them come encoded twice.
 */
export function createCredentials({ clusterName, security }: CredentialsDeps): AcceptCredentials {
  if (!security?.enabled) return (name) => decodePosition(name) === clusterName;

  const { users } = security;
  return function acceptUser(name, password) {
    const known = users.get(decodePosition(name));
    const isRight = isSameText(decodePosition(password), known ?? '');
    return known !== undefined && isRight;
  };
}

/** In a time that tells nothing of where two texts differ. */
function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
