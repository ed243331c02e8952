/** Tokens that are bound to a key, at proxies beside the console: proofs name the address that callers use. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ClientKey, makeProof, newClientKey } from '../helpers/dpop.ts';
import { addProxyClient, childrenOf, memberOf, type RunningProxy, startProxy } from './support.ts';

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

  test('refuses a proof that names the console (S3)', async () => {
    expect(await call(proxy, `DPoP ${token}`, await proofAt(console.url))).toEqual([
      401,
      'invalid_dpop_proof',
    ]);
  });

  test('refuses a bound token as a bearer token, with and without a proof (S3)', async () => {
    expect(await call(proxy, `Bearer ${token}`)).toEqual([401, 'invalid_token']);
    expect(await call(proxy, `Bearer ${token}`, await proofAt(proxy.url))).toEqual([401, 'invalid_token']);
  });
});

test('the console refuses a proof that names a proxy beside it (S3)', async () => {
  const reply = await fetch(console.url + path, {
    headers: { authorization: `DPoP ${token}`, dpop: await proofAt(proxy.url) },
  });
  expect([reply.status, await reply.text()]).toEqual([401, expect.stringContaining('invalid_dpop_proof')]);
});

describe('two workers', () => {
  let both: RunningProxy;

  beforeAll(async () => {
    const client = await addProxyClient(console, 'of-two-workers');
    both = await startProxy({
      console,
      client,
      members: [memberOf(console)],
      env: { CONSOLE_WORKERS: '2', CONSOLE_PROXY_URL: publicUrl },
    });
  });
  afterAll(() => both?.stop());

  /** Each call on a connection of its own, so that it may come to either. */
  const send = async (proof: string) => {
    const reply = await fetch(both.url + path, {
      headers: { authorization: `DPoP ${token}`, dpop: proof, connection: 'close' },
    });
    const { code } = (await reply.json()) as { code?: string };
    return code ?? String(reply.status);
  };
  const rejectedBy = () =>
    new Set(both.log().flatMap((line) => (line.reason === 'invalid_dpop_proof' ? [line.worker] : [])));

  test('a proof that was used at one of them is refused at the other, of many at once too (S3)', async () => {
    for (let round = 0; round < 3; round += 1) {
      const proof = await proofAt(publicUrl);
      const codes = await Promise.all(Array.from({ length: 24 }, () => send(proof)));
      expect(codes.filter((code) => code === '200')).toHaveLength(1);
      expect(codes.filter((code) => code === 'invalid_dpop_proof')).toHaveLength(23);
    }
    await expect.poll(() => rejectedBy().size, { timeout: 20_000 }).toBe(2);
  });

  test('go on with proofs that are new', async () => {
    const proofs = await Promise.all(Array.from({ length: 12 }, () => proofAt(publicUrl)));
    expect(new Set(await Promise.all(proofs.map(send)))).toEqual(new Set(['200']));
  });

  test('a worker that takes the place of one that was killed knows what that one let through (S3)', async () => {
    const proof = await proofAt(publicUrl);
    expect(await send(proof)).toBe('200');
    const before = await childrenOf(both.child.pid!);
    for (const worker of before) process.kill(worker, 'SIGKILL');
    // A connection that is handed to one of them at this very moment gets no answer.
    const isReady = () =>
      fetch(`${both.url}/ready`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(2_000),
      }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(isReady, { timeout: 40_000 }).toBe(200);
    expect(await send(proof)).toBe('invalid_dpop_proof');
    const after = await childrenOf(both.child.pid!);
    expect(after.filter((worker) => before.includes(worker))).toEqual([]);
  });
});
