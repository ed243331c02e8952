/** The protocols that an upstream identity provider may speak. Apart from their schemas, which take long to load. */
export const providerKinds = ['oidc', 'saml', 'ldap'] as const;
export type ProviderKind = (typeof providerKinds)[number];
