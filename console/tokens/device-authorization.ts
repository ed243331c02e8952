/** `POST /oauth2/device_authorization` (RFC 8628 §3.1): the client is authenticated here, and the library makes the codes. */
import { OAuthError } from '../../platform/errors.ts';
import { deviceCodeGrant } from '../clients/cli-client.ts';
import type { ClientEndpoint } from './client-authentication/client-authentication.ts';
import { handToProvider } from './oauth-request.ts';
import { withScopeSpaced } from './scope-spaces.ts';

/** Behind `client` in a route line. @throws {OAuthError} */
export const deviceAuthorization: ClientEndpoint = async (req, _res, client, form) => {
  if (!client.grantTypes.includes(deviceCodeGrant)) {
    throw new OAuthError('unauthorized_client', 'this client is not registered for this grant type');
  }
  handToProvider(req, withScopeSpaced(form), client);
  return true;
};
