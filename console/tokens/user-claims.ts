/** What is said of a person by name and by address (OpenID Connect Core §5.1). */
import type { UserRecord } from '../storage/records.ts';

/** With the scope `profile`. Who has told no other name goes by the one that they sign in with. */
export function profileClaims({ name, username }: UserRecord) {
  return { name: name ?? username, preferred_username: username };
}

/**
 * With the scope `email`, by userinfo alone: an ID token that comes with an access token does not hold it (OpenID Connect Core §5.4).
 * Nobody here verifies an address, so that it was is only ever the word of an OpenID provider.
 */
export function emailClaims({ email, isEmailVerified = false }: UserRecord) {
  return email === undefined ? {} : { email, email_verified: isEmailVerified };
}
