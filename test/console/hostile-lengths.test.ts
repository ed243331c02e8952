/**
 * Long texts that a backtracking expression would choke on, in everything that a caller can send. What is measured
 * is the processor time of the console itself, which is the same however busy the machine is.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { authorizationPath } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { ask } from '../helpers/wire.ts';

let console: RunningConsole;
let admin: string;
let apiAdmin: string;
const origin = () => `http://127.0.0.1:${console.port}`;

beforeAll(async () => {
  console = await startConsole();
  [admin, apiAdmin] = [await machineToken(console), await apiToken(console)];
});
afterAll(() => console?.stop());

/** Repeated, and then followed by what fits no pattern, so that every way of reading it is tried. */
const units = [
  'a',
  'a.',
  'a-',
  'aA0_',
  '.',
  '-',
  '=',
  '/',
  ',',
  ':',
  ' ',
  ' a',
  '%41',
  '%25',
  '"',
  '(',
  '[',
  '&#',
];
const texts = (length: number) =>
  units.map((unit) => `x${unit.repeat(Math.floor((length - 2) / unit.length))}~`);

const headerBytes = 14_000;
const pathBytes = 7_500;
const bodyBytes = 60_000;
/** Of all texts together. One quadratic search of 60,000 characters takes seconds, one of 14,000 a tenth of one. */
const mostMs = 1_000;
/** Short ones are sent this often, so that a tenth of a second each shows. */
const times = 3;

/** User and system time of the console's process, milliseconds. */
async function processorMs(): Promise<number> {
  const stat = await readFile(`/proc/${console.child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // In hundredths of a second (proc(5), utime and stime).
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function costOf(send: (text: string) => Promise<unknown>, sent: readonly string[]): Promise<number> {
  await send('x~'); // what is loaded on first use is loaded now
  const before = await processorMs();
  for (const text of sent) await send(text);
  return (await processorMs()) - before;
}

const bearer = (path = '/svc/') => ({
  Authorization: `Bearer ${path.startsWith('/api/') ? apiAdmin : admin}`,
});
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };

describe.skipIf(process.platform !== 'linux')(
  'a long text costs no more than it has characters (S90)',
  () => {
    test.each<[string, string, (text: string) => Record<string, string>]>([
      ['Authorization', '/svc/rest/cluster', (text) => ({ Authorization: text })],
      ['a bearer token', '/svc/rest/cluster', (text) => ({ Authorization: `Bearer ${text}` })],
      [
        'a bearer token in three parts',
        '/svc/rest/cluster',
        (text) => ({ Authorization: `Bearer ${text}.${text.slice(0, 9)}.x` }),
      ],
      ['a bearer token at the admin API', '/api/v1/roles', (text) => ({ Authorization: `Bearer ${text}` })],
      ['a bearer token at userinfo', '/userinfo', (text) => ({ Authorization: `Bearer ${text}` })],
      [
        'a bearer token at metrics',
        '/metrics',
        (text) => ({ Via: '1.1 x', Authorization: `Bearer ${text}` }),
      ],
      [
        'a DPoP proof',
        '/svc/rest/cluster',
        (text) => ({ Authorization: `DPoP ${admin}`, DPoP: text.slice(0, 8_000) }),
      ],
      ['Cookie', '/', (text) => ({ Cookie: `console_session=${text}` })],
      ['Cookie without a name', '/', (text) => ({ Cookie: text })],
      ['Origin', '/oauth2/jwks', (text) => ({ Origin: text })],
      ['Host', '/live', (text) => ({ Host: text })],
      ['Content-Type', '/svc/rest/maps/m/k', (text) => ({ ...bearer(), 'Content-Type': text })],
      ['traceparent', '/svc/rest/cluster', (text) => ({ ...bearer(), traceparent: text })],
      [
        'tracestate',
        '/svc/rest/cluster',
        (text) => ({
          ...bearer(),
          traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
          tracestate: text,
        }),
      ],
      ['If-Match', '/api/v1/roles/Nobody', (text) => ({ ...bearer('/api/'), 'If-Match': `"${text}` })],
      ['X-Forwarded-For', '/login', (text) => ({ 'X-Forwarded-For': text })],
      ['Accept-Language', '/login', (text) => ({ 'Accept-Language': text, Accept: text.slice(0, 1_000) })],
      ['Connection', '/svc/rest/cluster', (text) => ({ ...bearer(), Connection: text })],
    ])('in the field: %s', async (_name, path, fields) => {
      const sent = texts(headerBytes - admin.length).filter((text) => !/[\r\n]/.test(text));
      const cost = await costOf(async (text) => {
        for (let i = 0; i < times; i += 1) await ask(origin(), 'GET', path, { headers: fields(text) });
      }, sent);
      expect(cost).toBeLessThan(mostMs);
    });

    test.each([
      ['a map', (text: string) => `/svc/rest/maps/${text}/k`],
      ['a queue', (text: string) => `/svc/rest/queues/${text}/1/2`],
      ['a path of nothing', (text: string) => `/svc/${text}`],
      ['a member', (text: string) => `/members/${text}/svc/rest/cluster`],
      ['a role', (text: string) => `/api/v1/roles/${text}`],
      ['a client', (text: string) => `/api/v1/clients/${text}`],
      ['a decision', (text: string) => `/api/v1/access/explain?decision=${text}`],
      [
        'a call that is asked about',
        (text: string) => `/api/v1/access/explain?method=GET&role=Admin&path=/svc/rest/maps/${text}`,
      ],
      ['scopes that are asked about', (text: string) => `/api/v1/access/matrix?scope=svc:map:${text}:read`],
      [
        'a redirect address',
        (text: string) => authorizationPath({ redirect_uri: `http://localhost/${text}` }),
      ],
      ['a scope', (text: string) => authorizationPath({ scope: `openid ${text}` })],
      ['a challenge', (text: string) => authorizationPath({ code_challenge: text })],
      ['a page', (text: string) => `/${text}`],
    ])('in the address: %s', async (_name, pathOf) => {
      const sent = texts(pathBytes / 2).map((text) => text.replace(/[ "&#]/g, '+'));
      const cost = await costOf(async (text) => {
        for (let i = 0; i < times; i += 1)
          await ask(origin(), 'GET', pathOf(text), { headers: bearer(pathOf(text)) });
      }, sent);
      expect(cost).toBeLessThan(mostMs);
    });

    test.each([
      ['a scope', '/oauth2/token', (text: string) => `grant_type=client_credentials&scope=${text}`],
      ['a grant', '/oauth2/token', (text: string) => `grant_type=${text}`],
      ['a resource', '/oauth2/token', (text: string) => `grant_type=client_credentials&resource=${text}`],
      ['a code', '/oauth2/token', (text: string) => `grant_type=authorization_code&code=${text}`],
      ['a name of a parameter', '/oauth2/token', (text: string) => `grant_type=client_credentials&${text}=1`],
      ['a token', '/oauth2/revoke', (text: string) => `token=${text}`],
      ['a token', '/oauth2/introspect', (text: string) => `token=${text}.x.y`],
      ['a logout token', '/login/backchannel/nobody', (text: string) => `logout_token=${text}`],
      ['a SAML response', '/login/callback/nobody', (text: string) => `SAMLResponse=${text}`],
      [
        'a SAML logout',
        '/login/saml/nobody/logout',
        (text: string) => `SAMLRequest=${text}&Signature=${text}`,
      ],
      ['a hint', '/connect/logout', (text: string) => `id_token_hint=${text}`],
      ['a way back', '/connect/logout', (text: string) => `post_logout_redirect_uri=http://${text}`],
      ['a token of the set-up', '/setup', (text: string) => `token=${text}&username=${text.slice(0, 99)}`],
    ])('in a form: %s of %s', async (_name, path, bodyOf) => {
      const sent = [...texts(bodyBytes - 100), ...texts((bodyBytes - 100) / 3).map(encodeURIComponent)];
      const cost = await costOf(
        (text) =>
          ask(origin(), 'POST', path, {
            headers: { ...formType, ...basic },
            body: bodyOf(text.replace(/&/g, '+')).slice(0, bodyBytes),
          }),
        sent,
      );
      expect(cost).toBeLessThan(mostMs);
    });

    test('in the form of a sign-in', async () => {
      const agent = createUserAgent(console.url);
      const page = await agent.get('/login');
      const before = await processorMs();
      // Each costs the digest of a password, whoever asks; so not all of them.
      for (const text of texts(bodyBytes - 2_000).slice(0, 5)) {
        await agent.submit(page, { username: text, password: 'short' });
      }
      expect((await processorMs()) - before).toBeLessThan(2 * mostMs);
    });

    test.each([
      [
        'a permission of a role',
        'POST',
        '/api/v1/roles',
        (text: string) => ({ id: 'Long', permissions: [`svc:map:${text}:read`] }),
      ],
      [
        'a name of a role',
        'POST',
        '/api/v1/roles',
        (text: string) => ({ id: text, permissions: ['svc:health:read'] }),
      ],
      [
        'a description of a role',
        'POST',
        '/api/v1/roles',
        (text: string) => ({ id: 'Long', permissions: ['svc:health:read'], description: text }),
      ],
      ['scopes of a client', 'PATCH', '/api/v1/clients/nobody', (text: string) => ({ scopes: [text] })],
      [
        'an issuer',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({
          id: 'long',
          kind: 'oidc',
          issuer: `https://${text}`,
          clientId: 'c',
          clientAuth: 'none',
        }),
      ],
      [
        'a role rule',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({
          id: 'long',
          kind: 'oidc',
          issuer: 'https://x.example',
          clientId: 'c',
          roleRules: [text, `${text}=${text} -> Admin`],
        }),
      ],
      [
        'a key',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({ id: 'long', kind: 'oidc', clientKey: `-----BEGIN PRIVATE KEY-----${text}` }),
      ],
      [
        'metadata',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({ id: 'long', kind: 'saml', metadata: `<EntityDescriptor ${text}` }),
      ],
      [
        'a base of a directory',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({
          id: 'long',
          kind: 'ldap',
          url: 'ldaps://x.example',
          baseDn: text,
          userFilter: text,
          bindDn: text,
        }),
      ],
      [
        'an address of a directory',
        'POST',
        '/api/v1/identity-providers',
        (text: string) => ({ id: 'long', kind: 'ldap', url: `ldaps://${text}` }),
      ],
    ])('in JSON: %s', async (_name, method, path, bodyOf) => {
      const cost = await costOf(
        (text) =>
          ask(origin(), method, path, {
            headers: {
              ...bearer(path),
              'Content-Type': 'application/json',
              ...(method === 'PATCH' && { 'Transfer-Encoding': 'chunked' }),
            },
            body: JSON.stringify(bodyOf(text)),
          }),
        texts(bodyBytes),
      );
      expect(cost).toBeLessThan(mostMs);
    });
  },
);
