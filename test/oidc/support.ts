/** Machine clients of a running console: token requests as they go over the wire, and the store beside it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { secretDigest } from '../../console/clients/clients.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { createKeys, type Keys } from '../../console/keys/keys.ts';
import type { ClientRecord } from '../../console/storage/records.ts';
import { clientSecret, type RunningConsole } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';

export const day = 86_400_000;

/** Basic credentials as they stand, as docs/surface.md#machine-tokens sends them. */
export function basic(id = 'application-client', secret = clientSecret): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export interface FormRequest {
  readonly path?: string;
  readonly method?: string;
  readonly authorization?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** As sent. */
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the tests find out.
  readonly json: any;
}

/** A form as a machine posts it; with the credentials of `application-client` unless told otherwise. */
export async function post(
  console: Pick<RunningConsole, 'url'>,
  { path = '/oauth2/token', method = 'POST', headers, body = '', ...rest }: FormRequest,
): Promise<Reply> {
  const authorization = 'authorization' in rest ? rest.authorization : basic();
  const response = await fetch(console.url + path, {
    method,
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...headers,
    },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: asJson(text) };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Client credentials with a scope that is form-encoded here. */
export function requestScope(console: Pick<RunningConsole, 'url'>, scope?: string, authorization = basic()) {
  const parameters = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) parameters.set('scope', scope);
  return post(console, { authorization, body: parameters.toString() });
}

export function keySetOf({ url }: Pick<RunningConsole, 'url'>): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(`${url}/oauth2/jwks`));
}

/** Checks a token like a resource server: by the published key set, issuer and audience. */
export function verify(console: Pick<RunningConsole, 'url'>, token: string, keySet = keySetOf(console)) {
  return jwtVerify(token, keySet, { issuer: console.url, audience: `${console.url}/svc` });
}

/** The key ids of the key set, in its order. */
export async function publishedKids({ url }: Pick<RunningConsole, 'url'>): Promise<string[]> {
  const { keys } = (await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

/** Asks again until it holds; fails loudly when it never does. @returns milliseconds that it took */
export async function eventually(
  holds: () => Promise<boolean>,
  what: string,
  timeoutMs = 10_000,
): Promise<number> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return performance.now() - start;
}

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Bytes that no HTTP client would send. The request must end the connection, or be refused with its end. */
export async function sendRaw(port: number, bytes: string | readonly string[]): Promise<RawReply> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // a refused sender may be cut off; what had arrived counts
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const closed = once(socket, 'close');
  for (const part of typeof bytes === 'string' ? [bytes] : bytes) socket.write(Buffer.from(part, 'latin1'));
  await closed;
  const end = received.indexOf('\r\n\r\n');
  const head = received.slice(0, end);
  return { status: Number(head.split(' ')[1]), head, body: received.slice(end + 4) };
}

export interface KeyStoreOptions {
  readonly now?: () => number;
  readonly longestTokenLifeSeconds?: number;
  readonly encryptionKey?: Buffer;
}

/** The keys of a store, handled by another process than the console. */
export function withKeys<T>(
  dataDir: string,
  { now = Date.now, longestTokenLifeSeconds = 3600, encryptionKey }: KeyStoreOptions,
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  return withStore(dataDir, async ({ registry }) => {
    const cipher = createCipher(encryptionKey);
    const keys = createKeys({ registry, cipher, now, rotationDays: 90, longestTokenLifeSeconds });
    try {
      await keys.prepare();
      return await work(keys);
    } finally {
      keys.close();
    }
  });
}

export function registerClients(dataDir: string, clients: readonly ClientRecord[]): Promise<void> {
  return withStore(dataDir, ({ records }) =>
    records.change(async (transaction) => {
      for (const client of clients) transaction.put('clients', client);
    }),
  );
}

export function machineClient(id: string, given: Partial<ClientRecord> = {}): ClientRecord {
  return {
    id,
    isPublic: false,
    isFirstParty: false,
    disabled: false,
    secrets: [{ sha256: secretDigest(clientSecret), createdAt: 0 }],
    grantTypes: ['client_credentials'],
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: ['openid', 'profile', 'app:Viewer'],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    createdAt: 0,
    ...given,
  };
}
