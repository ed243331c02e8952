/** What an administrator says of a provider. */

import type { SelfSigned } from '../../../platform/certificates/self-signed.ts';
import { ProviderInputError } from '../errors.ts';
import type { ProviderField } from './input-schema.ts';
import type { SamlSettings } from './schema.ts';

export interface ProviderInputDeps {
  /** How a message names a field. */
  readonly called: (field: ProviderField) => string;
  /** @throws {ProblemError} `invalid_url`, or another that says why there is no document */
  readonly fetchMetadata: (url: string) => Promise<string>;
  /** @param certificate  PEM, of who has to have signed it. @throws {FederationError} 400 with what is missing */
  readonly readMetadata: (xml: string, certificate?: string) => Promise<SamlSettings['metadata']>;
  /** A key for signing requests of this provider. */
  readonly newSigning: (id: string) => Promise<SelfSigned>;
  /** Whether a key that is there is made anew when it is asked for again. */
  readonly renewsKeys: boolean;
}

/** @throws {ProviderInputError} when nobody has ever said it */
export function required<T>(value: T | undefined, missing: string): T {
  if (value === undefined) throw new ProviderInputError(missing);
  return value;
}

/** @throws {ProviderInputError} */
export function oneOf<T extends string>(
  given: string | undefined,
  known: readonly T[],
  called: string,
): T | undefined {
  const found = known.find((one) => one === given);
  if (found || given === undefined) return found;
  throw new ProviderInputError(`${called} is one of ${known.join(', ')}.`);
}
