/**
 * The member proxy on a server of its own, with the options of the console, as it is built: what runs
 * TypeScript for the benchmarks adds to every function what production does not have. `MEMBERS` holds base
 * addresses, `WORKERS` the number of processes, and `PUBLIC_JWK` the key that tokens are checked against;
 * without it nothing is checked, and every call counts as one administrator's.
 */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK } from 'jose';
import type { BearerCheck, Caller } from '../../access-tokens/bearer.ts';
import { audience, issuer, keyId } from './common.ts';

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
  const { defaultLimits } = await built<typeof import('../../member-proxy/limits.ts')>('member-proxy/limits');
  const { createMembers, probeTimes } = await built<typeof import('../../member-proxy/members/members.ts')>(
    'member-proxy/members/members',
  );
  const { createMemberProxy } =
    await built<typeof import('../../member-proxy/proxy.ts')>('member-proxy/proxy');
  const { createOverload } = await built<typeof import('../../http/server/overload/overload.ts')>(
    'http/server/overload/overload',
  );
  const { defaultOverloadLimits } = await built<typeof import('../../http/server/overload/limits.ts')>(
    'http/server/overload/limits',
  );
  const { guardConnections } = await built<typeof import('../../member-proxy/connection-guard.ts')>(
    'member-proxy/connection-guard',
  );
  const { memberPaths, serverOptions } = await built<typeof import('../../http/server/server-options.ts')>(
    'http/server/server-options',
  );
  const limits = { ...defaultLimits, ...(BODY_BYTES && { bodyBytes: Number(BODY_BYTES) }) };
  const members = createMembers({
    addresses: MEMBERS.split(','),
    prefix: 'svc',
    probes: PROBING ? probeTimes : undefined,
    limits,
    now: () => performance.now(),
  });
  const proxy = createMemberProxy({
    bearer: PUBLIC_JWK === undefined ? noCheck() : await fullCheck(PUBLIC_JWK),
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

function built<Module>(name: string): Promise<Module> {
  return import(new URL(`../../dist/${name}.js`, import.meta.url).href);
}

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
  const { createBearerCheck } =
    await built<typeof import('../../access-tokens/bearer.ts')>('access-tokens/bearer');
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
