/** Calls with tokens that are bound to a key (RFC 9449 §7). Here the console's address is not the one that is listened at. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createReplays } from '../../access-tokens/dpop/replays.ts';
import { type ClientKey, makeProof, newClientKey, type ProofParts } from '../helpers/dpop.ts';
import { sendRaw, startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { issuer, signToken, tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let key: ClientKey;
let other: ClientKey;
/** Bound to `key`. */
let bound: string;
let bearer: string;

beforeAll(async () => {
  member = await startRecorder((req, res) => {
    if (!req.url!.includes('/queues/')) res.end('ok'); // a poll waits
  });
  proxy = await startProxy({ members: [member.address] });
  [key, other] = [await newClientKey(), await newClientKey()];
  bound = await boundToken();
  bearer = await tokenFor(proxy.key, 'Admin');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const seconds = () => Math.floor(Date.now() / 1000);
const path = '/svc/rest/cluster';

function boundToken(claims: Record<string, unknown> = {}): Promise<string> {
  return signToken(proxy.key, { claims: { roles: ['Admin'], cnf: { jkt: key.thumbprint }, ...claims } });
}

/** A proof for a GET of the cluster with the bound token, unless told otherwise. */
const prove = (parts: Partial<ProofParts> = {}, by = key) =>
  makeProof(by, { method: 'GET', url: issuer + path, token: bound, ...parts });

interface Sent {
  readonly authorization?: string;
  readonly proof?: string | undefined;
  readonly path?: string;
  readonly method?: string;
  readonly to?: TestProxy;
}

async function call({ authorization = `DPoP ${bound}`, proof, ...sent }: Sent) {
  const reply = await fetch((sent.to ?? proxy).address + (sent.path ?? path), {
    method: sent.method ?? 'GET',
    headers: { authorization, ...(proof !== undefined && { dpop: proof }) },
  });
  const body = await reply.text();
  return {
    status: reply.status,
    challenge: reply.headers.get('www-authenticate'),
    retryAfter: reply.headers.get('retry-after'),
    code: body.startsWith('{') ? (JSON.parse(body) as { code: string }).code : body,
    detail: body.startsWith('{') ? (JSON.parse(body) as { detail: string }).detail : '',
  };
}

describe('a bound token with its proof', () => {
  test('opens what the token opens, on each call with a new proof', async () => {
    for (let i = 0; i < 3; i += 1) expect((await call({ proof: await prove() })).status).toBe(200);
    expect(member.seen).toHaveLength(3);
  });

  test('goes no further: the member gets neither of them (S62)', async () => {
    await call({ proof: await prove() });
    expect(Object.keys(member.seen[0]!.headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(authorization|dpop)$/)]),
    );
  });

  test('is taken whatever the case of the scheme', async () => {
    expect((await call({ authorization: `dpop ${bound}`, proof: await prove() })).status).toBe(200);
  });

  test.each(['ES256', 'EdDSA', 'RS256', 'PS256'])('may be signed by %s', async (alg) => {
    const own = await newClientKey(alg);
    const token = await boundToken({ cnf: { jkt: own.thumbprint } });
    const proof = await prove({ token }, own);
    expect((await call({ authorization: `DPoP ${token}`, proof })).status).toBe(200);
  });

  test.each([
    ['a query', '/svc/rest/maps/m/k?x=1', '/svc/rest/maps/m/k'],
    ['a query on both sides', '/svc/rest/maps/m/k?x=1', '/svc/rest/maps/m/k?x=2'],
    ['an escape', '/svc/rest/maps/m/a%2fb', '/svc/rest/maps/m/a%2Fb'],
    ['an escape that is not needed', '/svc/rest/maps/m/a%41', '/svc/rest/maps/m/aA'],
  ])('may name the address in another spelling: %s', async (_name, target, proven) => {
    const reply = await call({ path: target, proof: await prove({ url: issuer + proven }) });
    expect(reply.status).toBe(200);
  });

  test('names a call with a member target as it was sent', async () => {
    const { host } = new URL(member.address);
    const atMember = `/members/${host}${path}`;
    expect((await call({ path: atMember, proof: await prove({ url: issuer + atMember }) })).status).toBe(200);
    const otherUrl = await call({ path: atMember, proof: await prove() });
    expect([otherUrl.status, otherUrl.code]).toEqual([401, 'invalid_dpop_proof']);
  });
});

test.each([0, 5, 9, 10])('a proof that is %i s ahead is taken, as FAPI 2.0 wants it (D7)', async (ahead) => {
  expect((await call({ proof: await prove({ claims: { iat: seconds() + ahead } }) })).status).toBe(200);
});

interface Bad {
  readonly name: string;
  readonly code?: string;
  readonly status?: number;
  readonly send: () => Promise<Sent>;
}

const withProof = (make: () => Promise<string | undefined>) => async () => ({ proof: await make() });

const bad: readonly Bad[] = [
  { name: 'no proof', send: async () => ({}) },
  { name: 'an empty proof', send: async () => ({ proof: '' }) },
  { name: 'the access token as the proof', send: async () => ({ proof: bound }) },
  { name: 'two proofs in one field', send: withProof(async () => `${await prove()},${await prove()}`) },
  { name: 'a proof of 9 KiB', send: withProof(() => prove({ claims: { pad: 'x'.repeat(7_000) } })) },
  { name: 'a proof without ath', send: withProof(() => prove({ token: undefined })) },
  { name: 'a proof for another token', send: withProof(() => prove({ token: bearer })) },
  { name: 'an ath that is the token itself', send: withProof(() => prove({ claims: { ath: bound } })) },
  { name: 'a proof for another method', send: withProof(() => prove({ method: 'POST' })) },
  { name: 'a proof for another path', send: withProof(() => prove({ url: `${issuer}/svc/rest/instance` })) },
  {
    name: 'a proof for the address that is listened at',
    send: withProof(() => prove({ url: proxy.address + path })),
  },
  { name: 'a proof for the token endpoint', send: withProof(() => prove({ url: `${issuer}/oauth2/token` })) },
  { name: 'a proof of two minutes ago', send: withProof(() => prove({ claims: { iat: seconds() - 120 } })) },
  {
    name: 'a proof that is 25 s ahead (D7)',
    send: withProof(() => prove({ claims: { iat: seconds() + 25 } })),
  },
  { name: 'a proof of the next minute', send: withProof(() => prove({ claims: { iat: seconds() + 60 } })) },
  { name: 'a proof without iat', send: withProof(() => prove({ claims: { iat: undefined } })) },
  { name: 'a proof without jti', send: withProof(() => prove({ claims: { jti: undefined } })) },
  { name: 'a private key in the proof', send: withProof(() => prove({ header: { jwk: key.privateJwk } })) },
  { name: 'a signature by another key', send: withProof(() => prove({ header: { jwk: other.publicJwk } })) },
  {
    name: 'a proof by another key',
    code: 'invalid_token',
    send: withProof(() => prove({}, other)),
  },
  {
    name: 'a token that is bound to no key',
    code: 'invalid_token',
    send: async () => ({ authorization: `DPoP ${bearer}`, proof: await prove({ token: bearer }) }),
  },
  {
    name: 'a forged token',
    code: 'invalid_token',
    send: async () => ({ authorization: `DPoP ${bound.slice(0, -8)}AAAAAAAA`, proof: await prove() }),
  },
  {
    name: 'an expired token',
    code: 'invalid_token',
    send: async () => {
      const token = await boundToken({ exp: seconds() - 1 });
      return { authorization: `DPoP ${token}`, proof: await prove({ token }) };
    },
  },
  {
    name: 'a revoked token',
    code: 'invalid_token',
    send: async () => {
      const token = await boundToken({ jti: 'revoked' });
      proxy.revoked.add('revoked');
      return { authorization: `DPoP ${token}`, proof: await prove({ token }) };
    },
  },
  {
    name: 'a bound token as a bearer token',
    code: 'invalid_token',
    send: async () => ({ authorization: `Bearer ${bound}` }),
  },
  {
    name: 'a bound token as a bearer token, with a proof',
    code: 'invalid_token',
    send: async () => ({ authorization: `Bearer ${bound}`, proof: await prove() }),
  },
];

describe.each(bad)('$name (S3)', ({ code = 'invalid_dpop_proof', send }) => {
  test('is refused with a DPoP challenge, explained, and reaches no member', async () => {
    const reply = await call(await send());
    expect([reply.status, reply.code]).toEqual([401, code]);
    expect(reply.challenge).toMatch(
      new RegExp(`^DPoP error="${code}", error_description="[^"]+", algs="ES256 `),
    );
    expect(reply.detail).not.toBe('');
    expect(member.seen).toEqual([]);
  });
});

test.each([
  ['another kind of binding', { 'x5t#S256': 'A'.repeat(43) }],
  ['two kinds of binding', { jkt: 'A'.repeat(43), 'x5t#S256': 'A'.repeat(43) }],
  ['an empty binding', {}],
  ['a binding that is no object', 'jkt'],
  ['a thumbprint that is no text', { jkt: 1 }],
])('a token with %s is no token here, in either scheme (S3)', async (_name, cnf) => {
  const token = await boundToken({ cnf });
  for (const scheme of ['Bearer', 'DPoP']) {
    const reply = await call({ authorization: `${scheme} ${token}`, proof: await prove({ token }) });
    expect([reply.status, reply.code]).toEqual([401, 'invalid_token']);
  }
  expect(member.seen).toEqual([]);
});

test('a proof that came before is refused, and the next is not (S3)', async () => {
  const proof = await prove();
  expect((await call({ proof })).status).toBe(200);
  const again = await call({ proof });
  expect([again.status, again.code]).toEqual([401, 'invalid_dpop_proof']);
  expect((await call({ proof: await prove() })).status).toBe(200);
  expect(member.seen).toHaveLength(2);
});

test('of many calls at once with one proof, one passes (S3)', async () => {
  const proof = await prove();
  const replies = await Promise.all(Array.from({ length: 8 }, () => call({ proof })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
});

test('a refused proof is not used up by whoever sent it with another token (S3)', async () => {
  const proof = await prove();
  expect((await call({ authorization: `DPoP ${bearer}`, proof })).status).toBe(401);
  expect((await call({ proof })).status).toBe(200);
});

test('a bearer token is taken as ever, whatever stands in the DPoP field', async () => {
  expect((await call({ authorization: `Bearer ${bearer}`, proof: 'rubbish' })).status).toBe(200);
});

test('no token keeps the bare challenge (S61)', async () => {
  const reply = await fetch(proxy.address + path, { headers: { dpop: await prove() } });
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

describe('raw fields', () => {
  const raw = (...fields: string[]) =>
    sendRaw(proxy.address, `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('\r\n')}\r\n\r\n`);

  test('two DPoP fields are refused (S3)', async () => {
    const [one, two] = [await prove(), await prove()];
    const reply = await raw(`Authorization: DPoP ${bound}`, `DPoP: ${one}`, `DPoP: ${two}`);
    expect([reply.status, JSON.parse(reply.body).detail]).toEqual([401, 'There is more than one DPoP proof']);
    expect(member.seen).toEqual([]);
  });

  test('a DPoP field of more than 16 KiB is 431 (S64)', async () => {
    expect((await raw(`Authorization: DPoP ${bound}`, `DPoP: ${'x'.repeat(17_000)}`)).status).toBe(431);
  });

  test.each([
    ['the scheme alone', ['Authorization: DPoP']],
    ['two tokens', ['Authorization: DPoP a b']],
    ['both schemes', ['Authorization: DPoP a', 'Authorization: Bearer a']],
  ])('%s is 400 (S61)', async (_name, fields) => {
    expect((await raw(...fields)).status).toBe(400);
  });

  test('a scheme that only starts so is no token (S61)', async () => {
    expect((await raw(`Authorization: DPoPx ${bound}`)).status).toBe(401);
  });
});

test('what a bound token does not open is told in its own scheme (S60)', async () => {
  const token = await boundToken({ roles: ['MetricsViewer'] });
  const map = '/svc/rest/maps/m/k';
  const proof = await prove({ token, url: issuer + map });
  const reply = await call({ authorization: `DPoP ${token}`, path: map, proof });
  expect([reply.status, reply.code]).toEqual([403, 'insufficient_scope']);
  expect(reply.challenge).toMatch(/^DPoP error="insufficient_scope".*scope="svc:data:read", algs="/);
});

test('a poll that waits with a bound token ends when the token does (S34)', async () => {
  const token = await boundToken({ jti: 'waiting' });
  const queue = '/svc/rest/queues/q/60';
  const waiting = call({
    authorization: `DPoP ${token}`,
    path: queue,
    proof: await prove({ token, url: issuer + queue }),
  });
  await until(() => member.seen.length === 1, 'the poll has reached the member');
  proxy.revoked.add('waiting');
  proxy.recheck();
  expect(await waiting).toMatchObject({
    status: 401,
    challenge: expect.stringMatching(/^DPoP error="invalid_token"/),
  });
});

describe('the memory of used proofs', () => {
  test('a caller that fills its part, with one key or several, is told to wait, and others go on (S64)', async () => {
    const small = await startProxy({ members: [member.address], replays: { perCaller: 2, total: 3 } });
    const send = async (sub: string, by: ClientKey) => {
      const token = await signToken(small.key, {
        claims: { sub, roles: ['Admin'], cnf: { jkt: by.thumbprint } },
      });
      return call({ to: small, authorization: `DPoP ${token}`, proof: await prove({ token }, by) });
    };
    try {
      expect([(await send('a', key)).status, (await send('a', other)).status]).toEqual([200, 200]);
      const full = await send('a', await newClientKey());
      expect([full.status, full.code, full.retryAfter]).toEqual([429, 'too_many_requests', '60']);
      expect((await send('b', key)).status).toBe(200);
      const all = await send('b', key);
      expect([all.status, all.code, all.retryAfter]).toEqual([503, 'busy', '60']);
    } finally {
      await small.close();
    }
  });

  test('keeps each proof for the whole window, and not for ever (S64)', () => {
    let time = 0;
    const replays = createReplays({ windowMs: 65_000, perCaller: 2, total: 2 }, () => time);
    const add = (thumbprint: string) => replays.add({ thumbprint, jti: '1' }, thumbprint);
    expect(add('a')).toBe('first');
    for (const at of [1, 64_999, 65_000, 70_000, 129_999]) {
      time = at;
      expect([at, add('a')]).toEqual([at, 'used']);
    }
    time = 130_000;
    expect(add('a')).toBe('first');
    time = 194_999; // just before its period ends: kept for a window more all the same
    expect(add('b')).toBe('first');
    expect(add('c')).toBe('full');
    time = 194_999 + 64_999;
    expect(add('b')).toBe('used');
    time += 1_000_000;
    expect(add('b')).toBe('first');
  });
});
