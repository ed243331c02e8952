/** The form of a licence update; docs/dashboard.md describes it for applications. */
import type { Licence } from './licence-file.ts';

export interface LicenceTokenDeps {
  readonly issuer: string;
  /** The client id of the application. */
  readonly audience: string;
  /** Signs with RS256, which every resource server knows. */
  readonly sign: (claims: object) => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const lifeSeconds = 120;

export function createSignUpdate({ issuer, audience, sign, now }: LicenceTokenDeps) {
  /** @param jti  of this try */
  return ({ id, holder, edition, expiresAt }: Licence, jti: string): Promise<string> => {
    const iat = Math.floor(now() / 1000);
    return sign({
      iss: issuer,
      aud: audience,
      iat,
      exp: iat + lifeSeconds,
      jti,
      licence: { id, holder, edition, ...(expiresAt === undefined ? {} : { expiresAt }) },
    });
  };
}
