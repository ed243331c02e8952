/**
 * `POST /oauth2/token`. Machine tokens (client credentials, RFC 6749 §4.4) are issued here from memory:
 * no store is read or written and no framework is entered. Every other grant goes on to the provider
 * library, with its client authenticated and its form read.
 */
import type { IncomingMessage } from 'node:http';
import { OAuthError } from '../../platform/errors.ts';
import { deviceCodeGrant } from '../clients/cli-client.ts';
import { rolesOfMachine } from '../clients/role-ceiling.ts';
import { clientCredentialsScopes } from '../clients/scopes.ts';
import type { Form } from '../http/form.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { Keys } from '../keys/keys.ts';
import type { ClientRecord } from '../storage/records.ts';
import { describingClaims } from './access-token.ts';
import type { ClientEndpoint } from './client-authentication/client-authentication.ts';
import { type CheckProof, readBinding } from './dpop-binding.ts';
import { handToProvider } from './oauth-request.ts';
import { machineResource, type Resources } from './resources.ts';
import { withScopeSpaced } from './scope-spaces.ts';

export interface TokenEndpointDeps {
  readonly checkProof: CheckProof;
  readonly keys: Pick<Keys, 'signing'>;
  readonly issuer: string;
  readonly resources: Resources;
  /** Of clients that have no other. */
  readonly accessTokenSeconds: number;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Not of what the provider has still to decide. */
  readonly onIssued: (req: IncomingMessage, issued: IssuedToken) => void;
}

/** What happened, for the audit log. */
export interface IssuedToken {
  readonly client: ClientRecord;
  readonly grantType: string;
  readonly jti: string;
}

/** What differs from one token of a client to the next, beside its scopes. */
interface Issued {
  readonly jti: string;
  readonly resource: string;
  readonly keyThumbprint: string | undefined;
  readonly seconds: number;
}

const grantTypes = new Set(['client_credentials', 'authorization_code', 'refresh_token', deviceCodeGrant]);

/** Behind `client` in a route line. Throws {@link OAuthError}s (RFC 6749 §5.2). */
export function createTokenEndpoint(deps: TokenEndpointDeps): ClientEndpoint {
  const { checkProof, keys, issuer, resources, accessTokenSeconds, newId, now, onIssued } = deps;
  const describing = createDescribing(issuer);

  return async (req, res, client, received) => {
    const form = withScopeSpaced(received);
    const grantType = checkGrantType(client, form);
    const keyThumbprint = await readBinding(req, client, checkProof);
    if (grantType !== 'client_credentials') {
      // The library reads the proof again, and binds by it.
      handToProvider(req, form, client);
      return true;
    }
    const jti = newId();
    const scopes = clientCredentialsScopes(client, form.get('scope'));
    const resource = machineResource(resources, form.get('resource'), scopes);
    const seconds = client.tokenTtlSeconds ?? accessTokenSeconds;
    const token = await issue(client, scopes, { jti, resource, keyThumbprint, seconds });
    const tokenType = keyThumbprint === undefined ? 'Bearer' : 'DPoP';
    // An empty text is no scope (RFC 6749 §3.3); what was granted is what was asked for, so it may be left out (RFC 6749 §5.1).
    const scope = scopes.length === 0 ? '' : `,"scope":${JSON.stringify(scopes.join(' '))}`;
    const body = `{"access_token":"${token}","token_type":"${tokenType}","expires_in":${seconds}${scope}}`;
    sendJson(res, 200, body, noStore);
    onIssued(req, { client, grantType, jti });
    return false;
  };

  function issue(
    client: ClientRecord,
    scopes: readonly string[],
    { jti, resource, keyThumbprint, seconds }: Issued,
  ): Promise<string> {
    // Within the second in which a client was disabled and enabled again it is the next one (see isLive).
    const iat = Math.floor(Math.max(now(), client.tokensValidFrom ?? 0) / 1000);
    const own = {
      iat,
      exp: iat + seconds,
      jti,
      ...(keyThumbprint === undefined ? {} : { cnf: { jkt: keyThumbprint } }),
    };
    const claims = describing(client, scopes, resource) + JSON.stringify(own).slice(1);
    return keys.signing(client.tokenAlg).signJson(claims, client.tokenTyp);
  }
}

/** What the last token of a client said of it. */
interface Described {
  readonly scope: string;
  readonly resource: string;
  /** JSON text up to the next claim. */
  readonly text: string;
}

/** Tokens of a client differ in little: what they say of it is text already, as long as it asks for the same. */
function createDescribing(issuer: string) {
  const described = new WeakMap<ClientRecord, Described>();

  return (client: ClientRecord, scopes: readonly string[], resource: string): string => {
    const scope = scopes.join(' ');
    const last = described.get(client);
    if (last !== undefined && last.scope === scope && last.resource === resource) return last.text;
    const { id } = client;
    const roles = rolesOfMachine(client, scopes);
    const subject = { subject: id, username: id, email: id, roles, clientId: id, scopes };
    const claims = JSON.stringify({ iss: issuer, aud: resource, ...describingClaims(subject) });
    const text = `${claims.slice(0, -1)},`;
    described.set(client, { scope, resource, text });
    return text;
  };
}

function checkGrantType(client: ClientRecord, form: Form): string {
  const grantType = form.get('grant_type');
  if (!grantType) throw new OAuthError('invalid_request', 'grant_type is missing');
  if (!grantTypes.has(grantType))
    throw new OAuthError('unsupported_grant_type', 'this grant type is not supported');
  if (!client.grantTypes.includes(grantType)) {
    throw new OAuthError('unauthorized_client', 'this client is not registered for this grant type');
  }
  return grantType;
}
