/**
 * The parameter `claims` of an authorization request (OpenID Connect Core §5.5): single claims, without the scope that
 * opens them together with others. Roles are not among them: those hang on scopes.
 */
import { type ClaimsParameter, errors, type KoaContextWithOIDC } from 'oidc-provider';

/** Claims that can be asked for, and the scope that a client has to be registered for to do so. */
const scopeOf: ReadonlyMap<string, string> = new Map([
  ['name', 'profile'],
  ['preferred_username', 'profile'],
  ['email', 'email'],
  ['email_verified', 'email'],
]);
/** What the library sees to itself, of an ID token alone. */
const ofLibrary: readonly string[] = ['sub', 'auth_time'];

/** What a person can allow, in words for the consent page. */
export const claimMeanings: ReadonlyMap<string, string> = new Map([
  ['name', 'See your name.'],
  ['preferred_username', 'See your user name.'],
  ['email', 'See your e-mail address.'],
  ['email_verified', 'See whether your e-mail address was verified.'],
]);

/**
 * Leaves of the parameter what can be had by it; the rest may be overlooked (OpenID Connect Core §5.5.1).
 *
 * @param scopes  that the client is registered for
 * @throws {errors.InvalidRequest} for an `acr` that must be one of certain values, which nobody here could promise
 */
export function narrowClaims(
  { oidc }: KoaContextWithOIDC,
  asked: ClaimsParameter,
  scopes: readonly string[],
): void {
  if (asked.id_token?.acr?.essential) throw new errors.InvalidRequest('an essential acr cannot be asked for');
  const isOpen = (claim: string) => scopes.includes(scopeOf.get(claim) ?? '');
  oidc.params!.claims = JSON.stringify({
    userinfo: chosen(asked.userinfo, isOpen),
    id_token: chosen(asked.id_token, (claim) => ofLibrary.includes(claim) || isOpen(claim)),
  });
}

function chosen(asked: object = {}, isOpen: (claim: string) => boolean): object {
  return Object.fromEntries(Object.entries(asked).filter(([claim]) => isOpen(claim)));
}
