/** An OpenID provider that says whatever a test wants: wrong metadata, wrong ID tokens, wrong userinfo. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const clientId = 'console';
export const clientSecret = 'a secret of the client, 32 characters';

export interface Forgery {
  /** On top of right claims; `undefined` takes one away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** How it is signed; by the published key with RS256 unless set. */
  readonly sign?: (claims: JWTPayload) => string | Promise<string>;
}

export interface CraftedProvider {
  readonly issuer: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Changes the metadata that discovery gives. */
  metadata: Readonly<Record<string, unknown>>;
  forgery: Forgery;
  userinfo: Readonly<Record<string, unknown>>;
  /** Answers the token endpoint in place of an ID token. */
  answer: ((res: ServerResponse) => unknown) | undefined;
  /** Answers whoever asks for a sign-in. */
  authorize: (res: ServerResponse) => unknown;
  /** Answers a path in place of what stands there. */
  pages: Readonly<Record<string, (res: ServerResponse) => unknown>>;
  /** The nonce that the ID token repeats, as the authorization request had it. */
  nonce: string;
  /** By the published key, with RS256. */
  sign(claims: JWTPayload, typ?: string): Promise<string>;
  /** From now on it signs by another key, and publishes the one before no more. */
  changeKey(): Promise<void>;
  /** What it publishes. */
  keys: readonly unknown[];
  /** By a key that is published too, of another algorithm. */
  signOther(claims: JWTPayload): Promise<string>;
  /** Back to a provider that does everything right, by the key that it has now. */
  reset(): void;
  close(): Promise<unknown>;
}

export async function startCraftedProvider(): Promise<CraftedProvider> {
  const other = await generateKeyPair('ES256');
  const otherJwk = { ...(await exportJWK(other.publicKey)), kid: 'other', alg: 'ES256', use: 'sig' };
  let signing = await makeKey('published');
  const server = createServer((req, res) => {
    const path = req.url!.split('?')[0]!;
    provider.asked.push(path);
    req.resume().on('end', () => void (provider.pages[path] ?? answers[path])?.(res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: CraftedProvider = {
    issuer,
    asked: [],
    ...right(),
    nonce: '',
    keys: [signing.jwk, otherJwk],
    sign: signRight,
    async changeKey() {
      signing = await makeKey(`${signing.jwk.kid}-again`);
      provider.keys = [signing.jwk, otherJwk];
    },
    signOther: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'other' }).sign(other.privateKey),
    reset() {
      provider.asked.length = 0;
      Object.assign(provider, right());
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  const answers: Readonly<Record<string, (res: ServerResponse) => unknown>> = {
    '/.well-known/openid-configuration': (res) =>
      sendJson(res, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        // Says more than is configured: what the console takes is not for the provider to decide.
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none', 'ES256'],
        ...provider.metadata,
      }),
    '/jwks': (res) => sendJson(res, { keys: provider.keys }),
    '/userinfo': (res) => sendJson(res, provider.userinfo),
    '/authorize': (res) => provider.authorize(res),
    '/token': async (res) => {
      if (provider.answer) return provider.answer(res);
      const token = { access_token: 'access', token_type: 'Bearer', id_token: await idToken() };
      return sendJson(res, token);
    },
  };
  return provider;

  async function idToken(): Promise<string> {
    const { claims, sign = (all) => signRight(all) } = provider.forgery;
    const now = Math.floor(Date.now() / 1000);
    const base = { iss: issuer, sub: 'ada', aud: clientId, iat: now, exp: now + 300, nonce: provider.nonce };
    return sign({ ...base, ...claims } as JWTPayload);
  }

  function signRight(claims: JWTPayload, typ?: string): Promise<string> {
    const header = { alg: 'RS256', kid: signing.jwk.kid, ...(typ === undefined ? {} : { typ }) };
    return new SignJWT(claims).setProtectedHeader(header).sign(signing.privateKey);
  }
}

async function makeKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

type Right = Pick<CraftedProvider, 'metadata' | 'forgery' | 'userinfo' | 'answer' | 'authorize' | 'pages'>;

function right(): Right {
  const authorize = (res: ServerResponse) => res.end('<title>Sign in</title>');
  return { metadata: {}, forgery: {}, userinfo: { sub: 'ada' }, answer: undefined, authorize, pages: {} };
}

export function sendJson(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
