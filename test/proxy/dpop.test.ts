/** Tokens that are bound to a key, at proxies beside the console: proofs name the address that callers use. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ClientKey, makeProof, newClientKey } from '../helpers/dpop.ts';
import { addProxyClient, memberOf, type RunningProxy, startProxy } from './support.ts';

const publicUrl = 'https://members.example.com';
const path = '/svc/rest/cluster';

let console: RunningConsole;
let proxy: RunningProxy;
/** Stands behind another one, at a name of its own. */
let named: RunningProxy;
let key: ClientKey;
let token: string;

beforeAll(async () => {
  console = await startConsole();
  const [client, members] = [await addProxyClient(console), [memberOf(console)]];
  proxy = await startProxy({ console, client, members });
  named = await startProxy({ console, client, members, env: { CONSOLE_PROXY_URL: publicUrl } });
  key = await newClientKey();
  token = await boundToken();
});
afterAll(async () => {
  await Promise.all([proxy?.stop(), named?.stop()]);
  await console.stop();
});

async function boundToken(): Promise<string> {
  const url = `${console.url}/oauth2/token`;
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
      DPoP: await makeProof(key, { url }),
    },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: issued, token_type: type } = (await reply.json()) as Record<string, string>;
  expect(type).toBe('DPoP');
  return issued!;
}

async function call(to: RunningProxy, authorization: string, proof?: string) {
  const reply = await fetch(to.url + path, {
    headers: { authorization, ...(proof !== undefined && { dpop: proof }) },
  });
  const { code } = (await reply.json()) as { code?: string };
  return [reply.status, code];
}

const proofAt = (address: string) => makeProof(key, { method: 'GET', url: address + path, token });

describe('a proxy in a process of its own', () => {
  test('takes a proof that names where it listens, once', async () => {
    const proof = await proofAt(proxy.url);
    expect(await call(proxy, `DPoP ${token}`, proof)).toEqual([200, undefined]);
    expect(await call(proxy, `DPoP ${token}`, proof)).toEqual([401, 'invalid_dpop_proof']);
  });

  test('behind another one takes a proof that names its public address', async () => {
    expect(await call(named, `DPoP ${token}`, await proofAt(publicUrl))).toEqual([200, undefined]);
    expect(await call(named, `DPoP ${token}`, await proofAt(named.url))).toEqual([401, 'invalid_dpop_proof']);
  });

  test('S3: refuses a proof that names the console', async () => {
    expect(await call(proxy, `DPoP ${token}`, await proofAt(console.url))).toEqual([
      401,
      'invalid_dpop_proof',
    ]);
  });

  test('S3: refuses a bound token as a bearer token, with and without a proof', async () => {
    expect(await call(proxy, `Bearer ${token}`)).toEqual([401, 'invalid_token']);
    expect(await call(proxy, `Bearer ${token}`, await proofAt(proxy.url))).toEqual([401, 'invalid_token']);
  });
});
