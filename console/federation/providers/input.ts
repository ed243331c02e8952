/**
 * What an administrator says of a provider. The command line and the admin API ask for the same fields under
 * names of their own.
 */

import type { ProviderMetadata } from '../saml/metadata.ts';
import type { SelfSigned } from '../saml/self-signed.ts';

export const providerKinds = ['oidc', 'saml', 'ldap'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** Every field as text, as it was typed or sent; what is absent was not said. */
export interface ProviderInput {
  readonly name?: string | undefined;
  /** `attribute=value -> Role`. */
  readonly roleRules?: readonly string[] | undefined;
  /** `none` takes it away. */
  readonly defaultRole?: string | undefined;

  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  /** `basic`, `post`, `private_key_jwt` or `none`. */
  readonly clientAuth?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** PEM or JWK. */
  readonly clientKey?: string | undefined;
  readonly clientKeyId?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly idTokenAlg?: string | undefined;
  readonly authorizationEndpoint?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  readonly jwksUri?: string | undefined;
  readonly userinfoEndpoint?: string | undefined;
  readonly endSessionEndpoint?: string | undefined;

  readonly metadataUrl?: string | undefined;
  /** The document. */
  readonly metadata?: string | undefined;
  /** PEM: who signs the metadata. */
  readonly metadataCertificate?: string | undefined;
  readonly signRequests?: boolean | undefined;
  readonly encryptedAssertions?: boolean | undefined;
  readonly nameIdFormat?: string | undefined;

  readonly url?: string | undefined;
  readonly startTls?: boolean | undefined;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly allowPlaintext?: boolean | undefined;
  readonly bindDn?: string | undefined;
  readonly bindPassword?: string | undefined;
  readonly baseDn?: string | undefined;
  readonly userFilter?: string | undefined;
  readonly dnTemplate?: string | undefined;
  readonly groupBaseDn?: string | undefined;
  readonly groupAttribute?: string | undefined;
  readonly groupNameAttribute?: string | undefined;
  readonly groupFilter?: string | undefined;
  readonly subjectAttribute?: string | undefined;
  readonly usernameAttribute?: string | undefined;
  readonly emailAttribute?: string | undefined;
  readonly nameAttribute?: string | undefined;
}

export type ProviderField = keyof ProviderInput;

/** Fields that mean nothing to the other kinds; what is not here goes with all of them. */
export const fieldsOfKind: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  oidc: [
    'issuer',
    'clientId',
    'clientAuth',
    'clientSecret',
    'clientKey',
    'clientKeyId',
    'scopes',
    'idTokenAlg',
    'authorizationEndpoint',
    'tokenEndpoint',
    'jwksUri',
    'userinfoEndpoint',
    'endSessionEndpoint',
  ],
  saml: [
    'metadataUrl',
    'metadata',
    'metadataCertificate',
    'signRequests',
    'encryptedAssertions',
    'nameIdFormat',
    'subjectAttribute',
  ],
  ldap: [
    'url',
    'startTls',
    'ca',
    'allowPlaintext',
    'bindDn',
    'bindPassword',
    'baseDn',
    'userFilter',
    'dnTemplate',
    'groupBaseDn',
    'groupAttribute',
    'groupNameAttribute',
    'groupFilter',
    'subjectAttribute',
    'usernameAttribute',
    'emailAttribute',
    'nameAttribute',
  ],
};

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
