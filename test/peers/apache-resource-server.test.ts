/** A resource server that nobody here wrote: Apache with mod_auth_openidc checks access tokens by the key set. */
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  clientSecret,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { authorize, dashboard, type Tokens, verifier } from '../helpers/sign-in.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { apacheIsMissing, type RunningApache, startApache } from './support/apache.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from './support/certificate.ts';
import { createMovableClock, type MovableClock } from './support/clock.ts';
import { documented } from './support/documented.ts';
import { rotateKeys } from './support/rotation.ts';

const missing = apacheIsMissing ?? opensslIsMissing;
const daySeconds = 86_400;
const badSignature = /JWT signature verification failed/;
const noKey = /could not find key with kid/;

describe.skipIf(missing)(`Apache as a resource server${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let clock: MovableClock;
  let certificate: Certificate;
  let console: RunningConsole;
  let foreign: RunningConsole;
  let apache: RunningApache;
  let agent: UserAgent;
  let yesterdays: string;

  // mod_auth_openidc takes a key set from https only.
  beforeAll(async () => {
    certificate = await makeCertificate();
    clock = createMovableClock(-daySeconds);
    const port = await freePort();
    console = await startConsole({
      port,
      env: {
        CONSOLE_URL: `https://localhost:${port}`,
        CONSOLE_TLS_CERT: certificate.certificateFile,
        CONSOLE_TLS_KEY: certificate.keyFile,
        ...clock.env,
      },
    });
    agent = createUserAgent(console.url, { ca: certificate.pem });
    yesterdays = await askToken();
    clock.set(0);
    foreign = await startConsole({ isFirstStart: true });
    apache = await startProtected(console.url, certificate.certificateFile);
  });
  afterAll(async () => {
    await apache?.stop();
    await Promise.all([console?.stop(), foreign?.stop()]);
    await certificate?.remove();
    clock?.remove();
  });

  test("a machine's token is let in, and Apache knows whose it is", async () => {
    expect(await call(await askToken())).toEqual({ status: 200, body: 'hello application-client\n' });
  });

  test("a person's token is let in", async () => {
    const { access_token } = await signInForTokens();
    expect(await call(access_token)).toEqual({ status: 200, body: `hello ${decodeJwt(access_token).sub}\n` });
  });

  /** What is refused, why Apache says so, and how it comes about. */
  const rejections: [string, RegExp, () => Promise<string>][] = [
    ['a tampered token (S2)', badSignature, async () => withClaims(await askToken(), { sub: 'root' })],
    [
      'a token without its signature (S2)',
      badSignature,
      async () => (await askToken()).replace(/[^.]+$/, ''),
    ],
    ['an unsigned token (S2)', noKey, async () => unsigned(await askToken())],
    ['a token of another key under the same id (S2)', badSignature, async () => signedAnew(await askToken())],
    ['a token of another console (S2)', noKey, () => machineToken(foreign)],
    ['an expired token (S3)', /JWT expired \d+ seconds ago/, async () => yesterdays],
    ['an ID token (S3)', /could not match .* 'aud:/, async () => (await signInForTokens()).id_token],
    ['a token with too small a role', /could not match .* 'roles:Admin'/, () => askToken('app:Viewer')],
  ];

  test.each(rejections)('%s is refused', async (_, why, make) => {
    const token = await make();
    const before = await apache.errorLog();
    expect(await call(token)).toEqual({ status: 401, body: expect.not.stringContaining('hello') });
    expect((await apache.errorLog()).slice(before.length)).toMatch(why);
  });

  test('a call without a token is refused', async () => {
    expect(await call(undefined)).toEqual({ status: 401, body: expect.not.stringContaining('hello') });
  });

  test('tokens of keys that were rotated in at once are let in without a restart', async () => {
    const token = await rotateKeys(console, () => askToken());
    expect(await call(token)).toMatchObject({ status: 200 });
  });

  async function askToken(scope?: string): Promise<string> {
    const { status, body } = await agent.post(
      '/oauth2/token',
      { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) },
      { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    );
    if (status !== 200) throw new Error(`no token: ${status} ${body}`);
    return JSON.parse(body).access_token;
  }

  async function signInForTokens(): Promise<Tokens> {
    const code = (await authorize(agent)).get('code') ?? '';
    const { status, body } = await agent.post('/oauth2/token', {
      grant_type: 'authorization_code',
      client_id: dashboard.clientId,
      redirect_uri: dashboard.redirectUri,
      code,
      code_verifier: verifier,
    });
    if (status !== 200) throw new Error(`no tokens: ${status} ${body}`);
    return JSON.parse(body);
  }

  async function call(token: string | undefined) {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(`${apache.url}/machines/`, { headers, redirect: 'manual' });
    return { status: response.status, body: await response.text() };
  }
});

/** With the documented configuration, and trust in a certificate of this test. */
async function startProtected(consoleUrl: string, certificateFile: string): Promise<RunningApache> {
  const { configurations } = documented('Apache', { 'https://console.example.com': consoleUrl });
  return startApache({
    port: await freePort(),
    site: `OIDCCABundlePath ${certificateFile}\n${configurations[1]}`,
    pages: { 'machines/index.html': 'hello <!--#echo var="REMOTE_USER" -->\n' },
  });
}

function withClaims(token: string, changes: Record<string, unknown>): string {
  const [header, , signature] = token.split('.');
  return [header, encoded({ ...decodeJwt(token), ...changes }), signature].join('.');
}

function unsigned(token: string): string {
  return `${encoded({ ...decodeProtectedHeader(token), alg: 'none' })}.${encoded(decodeJwt(token))}.`;
}

function signedAnew(token: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const header = decodeProtectedHeader(token);
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey);
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
