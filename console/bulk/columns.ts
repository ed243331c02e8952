/** What lines and tables of users and clients have, in the order of their columns. */

export const userFields: readonly string[] = [
  'id',
  'username',
  'email',
  'emailVerified',
  'name',
  'roles',
  'eligibleRoles',
  'disabled',
  'provider',
  'subject',
  'createdAt',
  'passwordHash',
];

export const clientFields: readonly string[] = [
  'id',
  'name',
  'public',
  'firstParty',
  'disabled',
  'grants',
  'redirectUris',
  'postLogoutUris',
  'backchannelLogoutUri',
  'frontchannelLogoutUri',
  'logoUri',
  'scopes',
  'maxRoles',
  'tokenAlg',
  'tokenTyp',
  'pkce',
  'dpopBoundAccessTokens',
  'createdAt',
  'secret',
  'secrets',
];
