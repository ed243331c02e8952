/**
 * The member proxy on a server of its own, with the options of the console. `MEMBERS` holds base addresses, `WORKERS` the number of processes, and `PUBLIC_JWK` the key that tokens are checked against;
 * without it nothing is checked, and every call counts as one administrator's.
 */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK } from 'jose';
import { type BearerCheck, createBearerCheck } from '../../access-tokens/bearer.ts';
import { defaultOverloadLimits } from '../../http/server/overload/limits.ts';
import { createOverload } from '../../http/server/overload/overload.ts';
import { memberPaths, serverOptions } from '../../http/server/server-options.ts';
import { guardConnections } from '../../member-proxy/connection-guard.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers, probeTimes } from '../../member-proxy/members/members.ts';
import { createMemberProxy } from '../../member-proxy/proxy.ts';
import { audience, issuer, keyId } from './common.ts';
import { oneCaller } from './one-caller.ts';

const { MEMBERS = '', PUBLIC_JWK, PROBING, BODY_BYTES, WORKERS = '1' } = process.env;
const workers = Number(WORKERS);

if (workers > 1 && cluster.isPrimary) await startWorkers();
else await serve();

async function startWorkers(): Promise<void> {
  const forked = Array.from({ length: workers }, () => cluster.fork());
  process.once('SIGTERM', () => {
    for (const worker of forked) worker.kill();
    process.exit(0);
  });
  const listening = await Promise.all(forked.map((worker) => once(worker, 'listening')));
  const { port } = listening[0]![0] as { readonly port: number };
  process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
}

async function serve(): Promise<void> {
  const limits = { ...defaultLimits, ...(BODY_BYTES && { bodyBytes: Number(BODY_BYTES) }) };
  const members = createMembers({
    addresses: MEMBERS.split(','),
    prefix: 'svc',
    probes: PROBING ? probeTimes : undefined,
    limits,
    now: () => performance.now(),
  });
  const proxy = createMemberProxy({
    bearer: PUBLIC_JWK === undefined ? oneCaller() : await fullCheck(PUBLIC_JWK),
    members,
    credentials: { username: 'dev', password: '' },
    limits,
    log: { warn: () => undefined, error: () => undefined },
    now: () => performance.now(),
    onDenial: () => randomUUID(),
    requestIdOf: () => randomUUID(),
  });
  const overload = createOverload({
    limits: defaultOverloadLimits,
    kindOf: () => 'call',
    sourceOfConnection: ({ remoteAddress }) => remoteAddress,
    sourceOfRequest: () => '',
    now: () => performance.now(),
  });
  const server = createServer(serverOptions, overload.scheduled(proxy.handle));
  overload.watch(server, memberPaths, guardConnections(server, { onDenial: () => randomUUID() }));
  server.listen(0, '127.0.0.1', () => {
    if (cluster.isWorker) return;
    process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

async function fullCheck(jwk: string): Promise<BearerCheck> {
  const key = (await importJWK(JSON.parse(jwk), 'RS256')) as CryptoKey;
  const revoked = new Map<string, number>();
  return createBearerCheck({
    issuer,
    audience,
    findKey: ({ kid }) => (kid === keyId ? key : undefined),
    isRevoked: ({ jti }) => revoked.has(jti),
    now: Date.now,
  });
}
