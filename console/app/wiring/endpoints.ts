/** What machines and monitors call: token, revocation, introspection, userinfo, key set, probes, metrics. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { proofAlgs } from '../../../access-tokens/dpop/algorithms.ts';
import { createProofCheck, createProofMemory } from '../../../access-tokens/dpop/proof.ts';
import { networkOfSource } from '../../accounts/throttle.ts';
import { createProbes, type Probes } from '../../health/probes.ts';
import { createReadiness } from '../../health/readiness.ts';
import { createKeySet } from '../../keys/key-set.ts';
import { createMetricsEndpoint } from '../../metrics/metrics-endpoint.ts';
import { createDiscovery } from '../../oidc/discovery.ts';
import type { AppDeps } from '../../server/request-handler.ts';
import { createClientAuthentication } from '../../tokens/client-authentication.ts';
import { createIntrospection, createRevocation } from '../../tokens/introspection-revocation.ts';
import { createSecretGuessing } from '../../tokens/secret-guessing.ts';
import { createTokenEndpoint } from '../../tokens/token-endpoint.ts';
import { createUserinfo } from '../../tokens/userinfo.ts';
import type { Shared } from './shared.ts';

export interface Endpoints {
  readonly oauth: AppDeps['oauth'];
  readonly endpoints: AppDeps['endpoints'];
  readonly probes: Probes;
  /** Resolves when the store is not looked at any more. */
  close(): Promise<void>;
}

type OAuthHandler = (req: IncomingMessage, res: ServerResponse) => Promise<boolean>;

/** Tokens are asked for less often than used. */
const tokenReplays = { perCaller: 20_000, total: 100_000 };

export function composeEndpoints(shared: Shared): Endpoints {
  const { services, eitherBearer, eitherCallers: callers, revocations, log } = shared;
  const { settings, storage, users, clients, keys } = services;
  const authenticateClient = createClientAuthentication(clients, services.clientUses.recordSecret);
  const { inspect: inspectToken } = eitherBearer;
  const revoke = createRevocation({ authenticateClient, inspectToken, revocations });
  const introspect = createIntrospection({ authenticateClient, inspectToken, revocations });
  const userinfo = createUserinfo({ callers, findUser: users.find });
  const discovery = createDiscovery(settings.url, proofAlgs);
  const readiness = createReadiness({
    checkWritable: storage.checkWritable,
    log,
    now: () => performance.now(),
  });
  const probes = createProbes({
    isEquipped: () => keys.published().some(({ state }) => state === 'signing'),
    store: readiness,
  });
  // A memory of its own: anybody can send proofs here, and must not use up the room for those of callers.
  const memory = createProofMemory(tokenReplays);
  const proofs = createProofCheck({ origin: settings.url, now: services.now, memory });
  const token = createTokenEndpoint({
    authenticateClient,
    async checkProof(req, clientId) {
      const proof = proofs.verify(req);
      await proofs.useOnce(proof, clientId);
      return proof.thumbprint;
    },
    keys,
    issuer: settings.url,
    resources: services.resources,
    accessTokenSeconds: settings.accessTokenTtlSeconds,
    newId: randomUUID,
    now: services.now,
  });

  const guessing = createSecretGuessing(() => performance.now());
  const slowed =
    (handle: OAuthHandler): OAuthHandler =>
    (req, res) =>
      guessing.slow(
        () => networkOfSource(shared.addressOf(req)),
        () => handle(req, res),
      );

  return {
    probes,
    close: readiness.close,
    oauth: new Map([
      ['/oauth2/token', slowed(auditedToken(token, shared))],
      ['/oauth2/revoke', slowed(auditedRevocation(revoke, shared))],
      ['/oauth2/introspect', slowed(async (req, res) => (await introspect(req, res)).passedOn)],
      ['/userinfo', (req, res) => userinfo(req, res).then(() => false)],
    ]),
    endpoints: new Map<string, (req: IncomingMessage, res: ServerResponse) => unknown>([
      ['/.well-known/openid-configuration', discovery],
      ['/.well-known/oauth-authorization-server', discovery],
      ['/oauth2/jwks', createKeySet(keys)],
      ['/live', probes.live],
      ['/ready', probes.ready],
      ['/metrics', createMetricsEndpoint({ metrics: shared.metrics, callers })],
    ]),
  };
}

function auditedToken(
  token: ReturnType<typeof createTokenEndpoint>,
  { services, metrics, audit, about }: Shared,
) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const { client, grantType, jti, passedOn } = await token(req, res);
    if (passedOn) return true;
    metrics.tokenIssued(grantType, client.id);
    services.clientUses.recordToken(client.id);
    audit('token.issued', { ...about({ req }), actor: client.id, outcome: 'success', grantType, jti });
    return false;
  };
}

function auditedRevocation(revoke: ReturnType<typeof createRevocation>, { audit, about }: Shared) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const { client, passedOn } = await revoke(req, res);
    if (!passedOn) audit('token.revoked', { ...about({ req }), actor: client.id, outcome: 'success' });
    return passedOn;
  };
}
