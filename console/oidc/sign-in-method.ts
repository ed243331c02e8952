/** How somebody has signed in, as ID tokens say it. */

export interface SignInMethod {
  /** Authentication context class (OpenID Connect Core §2). */
  readonly acr: string;
  /** Authentication methods (RFC 8176); absent when only another provider knows. */
  readonly amr?: string[];
}

/** A password that was typed here, also one that a directory has checked. */
export const byPassword = (): SignInMethod => ({ acr: 'pwd', amr: ['pwd'] });
/** Another provider vouches for who it is. */
export const byProvider = (): SignInMethod => ({ acr: 'federated' });

export const acrValues: readonly string[] = [byPassword().acr, byProvider().acr];
