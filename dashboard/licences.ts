/** Licence updates that the console sends to `svc.mc.app.internalAddress`; the form is in docs/dashboard.md. */
import { type CheckSigned, InvalidTokenError } from './identity/signed-tokens.ts';

export interface Licence {
  readonly id: string;
  readonly holder: string;
  readonly edition: string;
  /** Epoch seconds; undefined: it does not end. */
  readonly expiresAt: number | undefined;
  /** Epoch seconds at which the console signed it. */
  readonly issuedAt: number;
}

export type Licences = ReturnType<typeof createLicences>;

const maxTextLength = 200;

export function createLicences(checkSigned: CheckSigned, clientId: string) {
  let newest: Licence | undefined;

  return {
    current: (): Licence | undefined => newest,
    /**
     * Takes an update. One that is older than what is here is acknowledged and not kept, so that a late
     * repetition neither harms nor is repeated again.
     *
     * @throws {InvalidTokenError} | {KeySetError}
     */
    async receive(update: string): Promise<{ readonly licence: Licence; readonly isKept: boolean }> {
      const { iat, licence: content } = await checkSigned(update, {
        audience: clientId,
        types: ['licence+jwt'],
        requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'licence'],
        foreignClaims: ['nonce', 'events', 'scope'],
      });
      const licence = readLicence(content, Number(iat));
      const isKept = newest === undefined || licence.issuedAt >= newest.issuedAt;
      if (isKept) newest = licence;
      return { licence, isKept };
    },
  };
}

function readLicence(content: unknown, issuedAt: number): Licence {
  if (typeof content !== 'object' || content === null)
    throw new InvalidTokenError('its licence is not an object');
  const { id, holder, edition, expiresAt } = content as Record<string, unknown>;
  if (![id, holder, edition].every(isText))
    throw new InvalidTokenError('its licence lacks id, holder or edition');
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) {
    throw new InvalidTokenError('the end of its licence is not in whole seconds');
  }
  return {
    id: id as string,
    holder: holder as string,
    edition: edition as string,
    expiresAt: expiresAt as number | undefined,
    issuedAt,
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength;
}
