/** Everything that the proxy is measured beside, started from one key. */
import { chmodSync, mkdirSync } from 'node:fs';
import { peer, type ServerProcess, type Servers } from '../servers.ts';
import { apacheIsMissing, startApache } from './apache.ts';
import { haproxyIsMissing, startFixedMember, startHaproxy } from './haproxy.ts';
import { startMember, valuePath } from './member.ts';
import { startOwnProxy } from './own.ts';
import type { TokenKey } from './tokens.ts';

/** What is not installed is undefined. */
export interface LineUp {
  readonly member: ServerProcess;
  readonly own: ServerProcess;
  readonly ownTwo: ServerProcess;
  readonly ownUnchecked: ServerProcess;
  readonly haproxy: ServerProcess | undefined;
  readonly haproxyUnchecked: ServerProcess | undefined;
  readonly apache: ServerProcess | undefined;
  readonly fastify: ServerProcess;
  /** Before a member that takes next to nothing, so that the workers have the processors to themselves. */
  readonly lightOne: ServerProcess | undefined;
  readonly lightTwo: ServerProcess | undefined;
}

/** @param folder  for what the peers read, below a directory that goes afterwards */
export async function startLineUp(
  servers: Servers,
  { folder, key, value }: { readonly folder: string; readonly key: TokenKey; readonly value: string },
): Promise<LineUp> {
  // Apache gives up being root, and still has to get there.
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  chmodSync(`${folder}/..`, 0o755);
  const member = await startMember(servers, value);
  const members = [member.url];
  const light = haproxyIsMissing
    ? undefined
    : await startFixedMember(servers, { name: 'light member', folder }, value);
  const own = (name: string, options: Partial<Parameters<typeof startOwnProxy>[1]> = {}) =>
    startOwnProxy(servers, { name, members, key, ...options });
  return {
    member,
    own: await own('this proxy'),
    ownTwo: await own('this proxy, 2 workers', { workers: 2 }),
    ownUnchecked: await own('this proxy, check off', { key: undefined }),
    haproxy: haproxyIsMissing
      ? undefined
      : await startHaproxy(servers, { name: 'HAProxy, RS256 check', folder }, member.url, key),
    haproxyUnchecked: haproxyIsMissing
      ? undefined
      : await startHaproxy(servers, { name: 'HAProxy, no check', folder }, member.url),
    apache: apacheIsMissing
      ? undefined
      : await startApache(servers, { name: 'Apache, mod_auth_openidc', folder }, member.url, key),
    fastify: await servers.start({
      name: '@fastify/http-proxy, jose',
      args: peer('fastify.ts'),
      env: { MEMBER: member.url, PUBLIC_JWK: key.publicJwk },
      ready: /ready at (\S+)/,
    }),
    lightOne: light && (await own('1 worker, light member', { members: [light.url] })),
    lightTwo: light && (await own('2 workers, light member', { members: [light.url], workers: 2 })),
  };
}

/** What is left out, and what to install for it. */
export const missingPeers = [haproxyIsMissing, apacheIsMissing].filter((reason) => reason !== undefined);

/**
 * A check that lets anything through would be fast, too.
 *
 * @param forged  of another key
 * @throws {Error} when a server lets a forged token through, or the good one not
 */
export async function expectCheck({ name, url }: ServerProcess, good: string, forged: string): Promise<void> {
  for (const [authorization, expected] of [
    [forged, 401],
    [good, 200],
  ] as const) {
    const { status } = await fetch(url + valuePath, { headers: { authorization } });
    if (status !== expected) throw new Error(`${name} answers ${status}, not ${expected}`);
  }
}
