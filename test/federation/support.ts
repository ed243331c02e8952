/** What the federation tests share: the guarded client, a provider in its own process, a person at a browser. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CallbackReply, FederationError, UpstreamIdentity } from '../../console/federation/connector.ts';
import { createOidcConnector, type OidcProviderConfig } from '../../console/federation/oidc/connector.ts';
import { createOutbound, type Outbound } from '../../console/http/outbound/outbound.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

/** Where the console would be called back. */
export const callbackUrl = 'http://127.0.0.1:9/login/callback/corp';

/** Goes to loopback, as a setting would allow it; every address is kept. */
export function loopbackOutbound(): Outbound & { readonly asked: string[] } {
  const outbound = createOutbound({
    allow: ['127.0.0.1'],
    isKnownLoopback: () => false,
    resolve: async () => ['127.0.0.1'],
  });
  const asked: string[] = [];
  return {
    asked,
    check: outbound.check,
    checkRegistered: outbound.checkRegistered,
    open: outbound.open,
    send(request) {
      asked.push(`${request.method ?? 'GET'} ${new URL(request.url).pathname}`);
      return outbound.send(request);
    },
  };
}

export interface RunningProvider {
  readonly issuer: string;
  close(): Promise<unknown>;
}

/** @param options  of `openid-provider.mjs` */
export async function startProvider(options: object): Promise<RunningProvider> {
  const program = join(import.meta.dirname, 'openid-provider.mjs');
  const child = fork(program, [JSON.stringify(options)], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const [{ issuer }] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the provider ended with ${code}`))),
  ])) as [{ issuer: string }];
  return {
    issuer,
    close() {
      child.kill();
      return ended;
    },
  };
}

/** Signs in at the provider's own pages and consents. @returns what the browser brings back */
export async function signInAt({ issuer }: RunningProvider, location: string): Promise<CallbackReply> {
  const agent = createUserAgent(issuer);
  let page = await agent.follow(await agent.get(location));
  page = await agent.follow(await agent.submit(page, { login: 'ada', password: 'whatever' }));
  if (page.status === 200) page = await agent.follow(await agent.submit(page));
  return replyOf(page.headers.location ?? `no redirect: ${page.status} ${page.body}`);
}

export function replyOf(address: string): CallbackReply {
  return { callbackUrl, parameters: new Map(new URL(address).searchParams) };
}

/** A whole sign-in there. */
export async function signInBy(
  provider: RunningProvider,
  config: Omit<OidcProviderConfig, 'issuer'>,
  { reauthenticate = false, outbound = loopbackOutbound() } = {},
): Promise<UpstreamIdentity> {
  const connector = createOidcConnector({
    config: { issuer: provider.issuer, ...config },
    outbound,
    now: Date.now,
  });
  const { location, secrets } = await connector.begin({
    stateId: 'attempt-1',
    callbackUrl,
    reauthenticate,
  });
  return connector.finish(await signInAt(provider, location), secrets);
}

/** What an error says, in short. @throws {Error} when there was none */
export async function errorOf(work: Promise<unknown>): Promise<Pick<FederationError, 'status' | 'message'>> {
  const error = await work.then(
    (value) => {
      throw new Error(`was not refused: ${JSON.stringify(value)}`);
    },
    (reason: FederationError) => reason,
  );
  if (error.name !== 'FederationError') throw error;
  return { status: error.status, message: error.message };
}
