import { isSameText } from '../../platform/secret.ts';
import { decodeField } from '../positional-body.ts';

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

/** Whether the first two positions of a management call, decoded once, open it. */
export type AcceptCredentials = (name: string, password: string) => boolean;

/**
 * Security off: the name of the cluster, and any password. On: a user of the realm with its password; the
 * cluster's name plays no part (docs/member-surface.md#credentials).
 *
 * Form-encoded once is the specification's form; the real engine decodes both positions a second time, so its
 * callers encode `%` and `+` in them twice. What is right in either form is right.
 */
export function createCredentials({ clusterName, security }: CredentialsDeps): AcceptCredentials {
  if (!security?.enabled) return (name) => name === clusterName || decodedAgain(name) === clusterName;

  const { users } = security;
  function isUser(name: string | undefined, password: string | undefined): boolean {
    const known = users.get(name ?? '');
    const isRight = isSameText(password ?? '', known ?? '');
    return known !== undefined && password !== undefined && isRight;
  }
  return function acceptUser(name, password) {
    const once = isUser(name, password);
    const twice = isUser(decodedAgain(name), decodedAgain(password));
    return once || twice;
  };
}

/** `undefined` for what was encoded once and cannot be decoded again. */
function decodedAgain(text: string): string | undefined {
  try {
    return decodeField(text);
  } catch {
    return undefined;
  }
}
