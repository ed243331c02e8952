/**
 * `/.well-known/openid-configuration` and `/.well-known/oauth-authorization-server` (OpenID Connect
 * Discovery §3, RFC 8414 §2). Written here rather than by the library, which knows nothing of our own
 * handlers and takes its addresses from the request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { deviceCodeGrant } from '../clients/cli-client.ts';
import { assertionAlgs } from '../clients/client-keys.ts';
import { identityScopes, roleScopes } from '../clients/scopes.ts';
import { createDocument, sendDocument } from '../http/document.ts';
import { tokenAlgs } from '../keys/keys.ts';
import { routes } from './provider.ts';
import { acrValues } from './sign-in-method.ts';

export type DiscoveryEndpoint = (req: IncomingMessage, res: ServerResponse) => void;

const maxAgeSeconds = 300;
const claims: readonly string[] = [
  ...['sub', 'iss', 'auth_time', 'acr', 'amr', 'sid'],
  ...['name', 'preferred_username', 'roles', 'email', 'email_verified'],
];
const provenMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/**
 * @param issuer     public address, without a trailing slash
 * @param proofAlgs  signatures that a DPoP proof may have
 */
export function createDiscovery(issuer: string, proofAlgs: readonly string[]): DiscoveryEndpoint {
  const document = createDocument(metadata(issuer, proofAlgs), {
    contentType: 'application/json',
    maxAgeSeconds,
  });
  return (req, res) => sendDocument(req, res, document);
}

function metadata(issuer: string, proofAlgs: readonly string[]) {
  return {
    issuer,
    authorization_endpoint: issuer + routes.authorization,
    token_endpoint: issuer + routes.token,
    userinfo_endpoint: issuer + routes.userinfo,
    jwks_uri: issuer + routes.jwks,
    end_session_endpoint: issuer + routes.end_session,
    revocation_endpoint: issuer + routes.revocation,
    introspection_endpoint: issuer + routes.introspection,
    device_authorization_endpoint: issuer + routes.device_authorization,
    scopes_supported: [...identityScopes, 'offline_access', ...roleScopes.keys()],
    claims_supported: claims,
    acr_values_supported: acrValues,
    claim_types_supported: ['normal'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', deviceCodeGrant],
    code_challenge_methods_supported: ['S256'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: tokenAlgs,
    token_endpoint_auth_methods_supported: [...provenMethods, 'none'],
    token_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    revocation_endpoint_auth_methods_supported: [...provenMethods, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    introspection_endpoint_auth_methods_supported: provenMethods,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    dpop_signing_alg_values_supported: proofAlgs,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
