/** The form of a licence update; docs/dashboard.md describes it for applications. */
import type { Licence } from './licence-file.ts';

export interface LicenceTokenDeps {
  readonly issuer: string;
  /** The client id of the application. */
  readonly audience: string;
  /** Signs with RS256, which every resource server knows. */
  readonly sign: (claims: object) => Promise<string>;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const lifeSeconds = 120;

export function createSignUpdate({ issuer, audience, sign, newId, now }: LicenceTokenDeps) {
  return ({ id, holder, edition, expiresAt }: Licence): Promise<string> => {
    const iat = Math.floor(now() / 1000);
    return sign({
      iss: issuer,
      aud: audience,
      iat,
      exp: iat + lifeSeconds,
      jti: newId(),
      licence: { id, holder, edition, ...(expiresAt === undefined ? {} : { expiresAt }) },
    });
  };
}
