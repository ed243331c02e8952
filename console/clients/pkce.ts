/**
 * What ties an authorization code to who asked for it (RFC 9700 §2.1.1): a challenge of which only they know the
 * verifier (PKCE, RFC 7636), or a `nonce` that they find again in the ID token. Without either, somebody who got hold
 * of a code can feed it to the application in a session of their own.
 */
import type { ClientRecord, PkcePolicy } from '../storage/records.ts';

export const pkcePolicies: readonly PkcePolicy[] = ['required', 'nonce', 'optional'];

/** A public client has no secret, so PKCE alone tells that who redeems a code is who asked for it. */
export function pkcePolicyOf({
  isPublic,
  pkce = 'nonce',
}: Pick<ClientRecord, 'isPublic' | 'pkce'>): PkcePolicy {
  return isPublic ? 'required' : pkce;
}

/** Of an authorization request, or as a code remembers them. */
export interface CodeBinding {
  readonly challengeMethod: unknown;
  readonly nonce: unknown;
}

/** How a code is tied, for the audit log. */
export function bindingName({ challengeMethod, nonce }: CodeBinding): string {
  if (typeof challengeMethod === 'string') return challengeMethod;
  return typeof nonce === 'string' ? 'nonce' : 'none';
}

/**
 * What an authorization request without a challenge lacks. One that was sent is checked whatever the client is
 * registered for, and a verifier without one is refused (RFC 9700 §4.8.2), both by the library.
 *
 * @param policy  of the client; without one it is treated like a public one
 * @returns for who wrote the client; undefined when it may go without a challenge
 */
export function missingBinding(
  policy: PkcePolicy = 'required',
  nonce: unknown = undefined,
): string | undefined {
  if (policy === 'optional' || (policy === 'nonce' && typeof nonce === 'string')) return undefined;
  const challenge = 'this client has to send a PKCE challenge (code_challenge with S256)';
  return policy === 'nonce' ? `${challenge} or, with the scope openid, a nonce` : challenge;
}
