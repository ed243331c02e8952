/**
 * The member proxy on a server of its own, from the same options as in the console. `PUBLIC_JWK`
 * holds the key that tokens are checked against; without it nothing is checked, and every call
 * counts as one administrator's.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK } from 'jose';
import { type BearerCheck, type Caller, createBearerCheck } from '../../member-proxy/bearer.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers } from '../../member-proxy/members.ts';
import { createMemberProxy } from '../../member-proxy/proxy.ts';
import { answerClientError, serverOptions } from '../../member-proxy/server-options.ts';
import { audience } from './common.ts';

const { MEMBER = '', PUBLIC_JWK } = process.env;
const members = createMembers({
  addresses: [MEMBER],
  prefix: 'svc',
  limits: defaultLimits,
  now: () => performance.now(),
});
const proxy = createMemberProxy({
  bearer: PUBLIC_JWK === undefined ? noCheck() : await fullCheck(PUBLIC_JWK),
  members,
  credentials: { username: 'dev', password: '' },
  log: { warn: () => undefined, error: () => undefined },
  now: () => performance.now(),
  onRefusal: () => randomUUID(),
  requestIdOf: () => randomUUID(),
});
const server = createServer(serverOptions, proxy.handle).on('clientError', answerClientError);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));

function noCheck(): BearerCheck {
  const caller: Caller = {
    subject: 'anyone',
    clientId: 'anyone',
    roles: ['Admin'],
    scopes: [],
    jti: 'none',
    expiresAt: Number.MAX_SAFE_INTEGER,
    claims: {},
  };
  return { check: () => caller, inspect: () => caller, isStillGood: () => true };
}

async function fullCheck(jwk: string): Promise<BearerCheck> {
  const key = (await importJWK(JSON.parse(jwk), 'RS256')) as CryptoKey;
  const revoked = new Map<string, number>();
  return createBearerCheck({
    issuer: 'http://localhost',
    audience,
    findKey: ({ kid }) => (kid === 'bench' ? key : undefined),
    isRevoked: ({ jti }) => revoked.has(jti),
    now: Date.now,
  });
}
