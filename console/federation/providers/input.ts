/**
 * What an administrator says of a provider. The command line and the admin API ask for the same fields under
 * names of their own.
 */

import type { ProviderMetadata } from '../saml/metadata.ts';
import type { SelfSigned } from '../saml/self-signed.ts';
import type { ProviderField } from './input-schema.ts';

export interface ProviderInputDeps {
  /** How the one who asked knows a field, such as `--issuer`. */
  readonly called: (field: ProviderField) => string;
  /** @throws {ProblemError} `invalid_url`, or another that says why there is no document */
  readonly fetchMetadata: (url: string) => Promise<string>;
  /** @param certificate  PEM, of who has to have signed it. @throws {FederationError} 400 with what is missing */
  readonly readMetadata: (xml: string, certificate?: string) => Promise<ProviderMetadata>;
  /** A key for signing requests of this provider. */
  readonly newSigning: (id: string) => Promise<SelfSigned>;
}

/** Fields that do not go together; the message says what to change. */
export class ProviderInputError extends Error {
  override readonly name = 'ProviderInputError';
}
