/** The client by which `npx console login` signs people in: built in, public, and for the admin API alone. */
import type { ClientRecord } from '../storage/records.ts';
import { identityScopes } from './scopes.ts';

export const cliClientId = 'console-cli';

/** RFC 8628 §3.4. */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const cliClient: ClientRecord = {
  id: cliClientId,
  name: 'Console command line',
  isPublic: true,
  isFirstParty: true,
  disabled: false,
  secrets: [],
  grantTypes: [deviceCodeGrant, 'refresh_token'],
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: [...identityScopes, 'offline_access'],
  tokenAlg: 'RS256',
  tokenTyp: 'at+jwt',
  fromSettings: true,
  createdAt: 0,
};
