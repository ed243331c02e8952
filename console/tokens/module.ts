/** Tokens, and what is known of them: what the feature needs, and the addresses that applications and machines call. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Audit } from '../../platform/log.ts';
import { networkOfSource } from '../accounts/guessing/throttle.ts';
import type { Clients } from '../clients/clients.ts';
import type { SupersededSecrets } from '../clients/superseded-secrets.ts';
import type { EndpointRouter, OAuthEndpoint } from '../http/endpoints.ts';
import type { About } from '../http/request-id.ts';
import type { ClientSecretRecord } from '../storage/records.ts';
import { type ClientAssertionDeps, createClientAssertion } from './client-authentication/client-assertion.ts';
import {
  createClientAuthentication,
  createClientGuard,
} from './client-authentication/client-authentication.ts';
import { deviceAuthorization } from './device-authorization.ts';
import type { SecretFailures } from './guessing/secret-failures.ts';
import { createSecretGuessing } from './guessing/secret-guessing.ts';
import { createIntrospection, createRevocation, type RevocationDeps } from './introspection-revocation.ts';
import { createTokenEndpoint, type TokenEndpointDeps } from './token-endpoint.ts';
import { createPersonGuard, sendUserinfo, type UserinfoDeps } from './userinfo.ts';

export interface TokensNeeds
  extends Pick<TokenEndpointDeps, 'keys' | 'resources' | 'checkProof' | 'now'>,
    Pick<RevocationDeps, 'revocations'> {
  readonly settings: {
    /** `CONSOLE_URL`. */
    readonly url: string;
    readonly accessTokenTtlSeconds: number;
  };
  readonly clients: Pick<Clients, 'find'>;
  readonly clientUses: {
    recordToken(clientId: string, address: string): void;
    recordSecret(clientId: string, secret: ClientSecretRecord): void;
  };
  /** Ends what was to end with this use. */
  readonly supersededSecrets: Pick<SupersededSecrets, 'recordUse'>;
  readonly users: { readonly find: UserinfoDeps['findUser'] };
  /** Take tokens for the members and for the admin API. */
  readonly eitherBearer: { readonly inspect: RevocationDeps['inspectToken'] };
  readonly eitherCallers: UserinfoDeps['callers'];
  readonly addressOf: (req: IncomingMessage) => string;
  readonly secretFailures: SecretFailures;
  /** Of used client assertions. */
  readonly assertions: ClientAssertionDeps['memory'];
  readonly metrics: { tokenIssued(grantType: string, clientId: string): void };
  readonly audit: Audit;
  readonly about: About;
}

export function addTokensRoutes(router: EndpointRouter, needs: TokensNeeds): void {
  const { settings, clients, clientUses, users, metrics, audit, about, addressOf } = needs;
  const { eitherBearer, eitherCallers: callers } = needs;
  const guessing = createSecretGuessing(needs.secretFailures);
  const slowed =
    (inner: OAuthEndpoint): OAuthEndpoint =>
    (req, res) =>
      guessing.slow(
        () => networkOfSource(addressOf(req)),
        () => inner(req, res),
      );
  const checkAssertion = createClientAssertion({ ...needs, issuer: settings.url, memory: needs.assertions });
  const client = createClientGuard(
    createClientAuthentication(
      clients,
      (client, secret) => {
        clientUses.recordSecret(client.id, secret);
        needs.supersededSecrets.recordUse(client, secret);
      },
      checkAssertion,
      needs.now,
    ),
  );
  const person = createPersonGuard({ callers, findUser: users.find });
  const token = createTokenEndpoint({
    ...needs,
    issuer: settings.url,
    accessTokenSeconds: settings.accessTokenTtlSeconds,
    newId: randomUUID,
    onIssued(req, { client: { id }, grantType, jti }) {
      metrics.tokenIssued(grantType, id);
      const { source, requestId } = about({ req });
      clientUses.recordToken(id, source);
      // Reading from a copy that was spread costs ten times as much.
      audit('token.issued', { source, requestId, actor: id, outcome: 'success', grantType, jti });
    },
  });
  const revoke = createRevocation({
    ...needs,
    inspectToken: eitherBearer.inspect,
    onRevoked: (req, { id }) => audit('token.revoked', { ...about({ req }), actor: id, outcome: 'success' }),
  });

  router.oauth('/oauth2/token', slowed, client, token);
  router.oauth('/oauth2/device_authorization', slowed, client, deviceAuthorization);
  router.oauth('/oauth2/revoke', slowed, client, revoke);
  router.oauth('/oauth2/introspect', slowed, client, createIntrospection(eitherBearer.inspect));
  router.oauth('/userinfo', person, sendUserinfo);
}
