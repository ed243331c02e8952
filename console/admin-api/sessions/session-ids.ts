/** What stands for a sign-in session outside: it is not the secret in the cookie. */
import type { SignInSession } from '../../accounts/sessions.ts';

export function idOf({ key }: Pick<SignInSession, 'key'>): string {
  return `ses_${key}`;
}

/** What stands for the session in the store. */
export function keyOf(id: string): string {
  return id.slice('ses_'.length);
}
