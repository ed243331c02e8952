/** The addresses that providers and browsers call: what is not theirs to send is refused, and ends or begins nothing. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { createUserAgent, type Reply, type UserAgent } from '../helpers/user-agent.ts';
import { ask } from '../helpers/wire.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import { postedFields, redirectQuery } from './saml-logout-messages.ts';
import { missingOpenssl } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import { leave } from './upstream.ts';

const obstacle = missingOpenssl();

let crafted: CraftedProvider;
let staff: SamlServer | undefined;
let console: RunningConsole;
let dataDir: string;
beforeAll(async () => {
  const port = await freePort();
  crafted = await startCraftedProvider();
  if (obstacle === undefined) {
    staff = await startSamlServer(`http://localhost:${port}`, 'staff', 'Staff', 'redirect');
  }
  dataDir = await storeWithProviders(
    oidcProvider('crafted', 'Crafted', crafted.issuer, { clientId }),
    ...(staff ? [staff.provider] : []),
  );
  console = await startConsole({ port, dataDir, env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await console?.stop();
  await Promise.all([crafted?.close(), staff?.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

let agent: UserAgent;
beforeEach(() => {
  agent = createUserAgent(console.url);
  crafted.reset();
});

const isSignedIn = async () => (await agent.get('/account')).status === 200;
async function answered(): Promise<Record<string, string>> {
  const { searchParams } = new URL(await leave(agent, await agent.get('/login'), 'Crafted'));
  crafted.nonce = searchParams.get('nonce')!;
  crafted.forgery = { claims: { sid: 'session-7', groups: ['ops'] } };
  return { code: 'code', state: searchParams.get('state')! };
}
async function signIn(): Promise<void> {
  await agent.get(`/login/callback/crafted?${new URLSearchParams(await answered())}`);
  expect(await isSignedIn()).toBe(true);
}
const logoutToken = () => crafted.sign(logoutClaims(crafted.issuer), 'logout+jwt');
const form = { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' };

describe('methods', () => {
  const addresses: readonly (readonly [path: string, ...own: readonly string[]])[] = [
    ['/login/start/crafted', 'GET', 'HEAD'],
    ['/login/callback/crafted', 'GET', 'HEAD', 'POST'],
    ['/login/backchannel/crafted', 'POST'],
    ['/login/frontchannel/crafted', 'GET', 'HEAD'],
    ['/login/logout/crafted', 'GET', 'HEAD'],
    ['/login/saml/staff/logout', 'GET', 'HEAD', 'POST'],
    ['/login/saml/staff/metadata', 'GET', 'HEAD'],
    ['/login/test/crafted', 'GET', 'HEAD'],
    ['/login/test/crafted/start', 'GET', 'HEAD'],
  ];
  const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

  test.each(addresses)('of %s are its own; others are 405 with Allow, or 501 (S50)', async (path, ...own) => {
    await signIn();
    for (const method of known.filter((each) => !own.includes(each))) {
      const reply = await ask(console.url, method, path, { headers: form, body: 'logout_token=x' });
      expect([method, reply.status]).toEqual([method, 405]);
      expect(String(reply.headers.allow).split(', ').sort()).toEqual([...own].sort());
    }
    for (const method of ['TRACE', 'PROPFIND']) {
      expect((await ask(console.url, method, path)).status).toBe(501);
    }
    expect(await isSignedIn()).toBe(true);
  });
});

describe('a logout token (S41)', () => {
  const send = (body: string, headers: Record<string, string> = form): Promise<Reply> =>
    createUserAgent(console.url).send('POST', '/login/backchannel/crafted', { headers, body });

  test.each<[what: string, body: (token: string) => string, headers?: Record<string, string>]>([
    ['as JSON', (token) => JSON.stringify({ logout_token: token }), { 'content-type': 'application/json' }],
    ['without a type', (token) => `logout_token=${token}`, { 'content-type': '' }],
    ['as text', (token) => `logout_token=${token}`, { 'content-type': 'text/plain' }],
    ['packed', (token) => `logout_token=${token}`, { ...form, 'content-encoding': 'gzip' }],
    ['twice', (token) => `logout_token=${token}&logout_token=${token}`],
    ['under another name', (token) => `Logout_Token=${token}`],
    ['with a bad escape', (token) => `logout_token=${token}&x=%zz`],
    ['with bytes that are no text', (token) => `logout_token=${token}&x=%ff%fe`],
    ['with a space before it', (token) => `logout_token=+${token}`],
    ['cut short', (token) => `logout_token=${token.slice(0, -4)}`],
    ['with its signature padded', (token) => `logout_token=${token}%3D`],
    ['with a fourth part', (token) => `logout_token=${token}.x`],
    ['longer than any is', (token) => `logout_token=${token}${'x'.repeat(17_000)}`],
    ['in a form that is longer than any is', (token) => `logout_token=${token}&x=${'x'.repeat(65_536)}`],
    ['not at all', () => ''],
  ])('%s ends no session', async (_what, body, headers = form) => {
    await signIn();
    const reply = await send(body(await logoutToken()), { accept: '*/*', ...headers });
    expect([400, 413]).toContain(reply.status);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(await isSignedIn()).toBe(true);
  });

  test('in the address or in a header is not looked at', async () => {
    await signIn();
    const token = await logoutToken();
    const headers = { ...form, authorization: `Bearer ${token}`, logout_token: token };
    const url = `/login/backchannel/crafted?logout_token=${token}`;
    expect((await createUserAgent(console.url).send('POST', url, { headers, body: '' })).status).toBe(400);
    expect(await isSignedIn()).toBe(true);
  });

  test('is taken from a form with more in it, and whatever its own site is', async () => {
    await signIn();
    const reply = await send(`x=1&logout_token=${await logoutToken()}&__proto__=2`, {
      ...form,
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    });
    expect([reply.status, await isSignedIn()]).toEqual([200, false]);
  });
});

describe('an answer to a sign-in (S43)', () => {
  test.each<[what: string, query: (state: string) => string]>([
    ['a bad escape', (state) => `code=code&state=${state}&x=%zz`],
    ['bytes that are no text', (state) => `code=code&state=${state}&x=%c3%28`],
    ['its state twice', (state) => `code=code&state=${state}&state=${state}`],
    ['its state in capitals', (state) => `code=code&STATE=${state}`],
    ['its state with a space', (state) => `code=code&state=+${state}`],
    ['its state cut short', (state) => `code=code&state=${state.slice(1)}`],
    ['an empty state', () => 'code=code&state='],
    ['a ticket beside its state', (state) => `code=code&state=${state}&posted_reply=${'t'.repeat(24)}`],
    ['a state that every object has', () => 'code=code&state=__proto__'],
    ['nothing', () => ''],
  ])('with %s is 400, and takes nothing from the right one', async (_what, query) => {
    const fields = await answered();
    const reply = await agent.get(`/login/callback/crafted?${query(fields.state!)}`);
    expect([reply.status, await isSignedIn()]).toEqual([400, false]);
    expect(crafted.asked).not.toContain('/token');
    expect((await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`)).status).toBe(303);
    expect(await isSignedIn()).toBe(true);
  });

  test.each<[what: string, fields: (right: Record<string, string>) => Record<string, string>]>([
    ['neither a code nor an error', ({ state }) => ({ state: state! })],
    ['a code and an error', (right) => ({ ...right, error: 'access_denied' })],
    ['an empty code', (right) => ({ ...right, code: '' })],
    ['an ID token in the address', ({ state }) => ({ state: state!, id_token: 'e30.e30.e30' })],
  ])('with %s signs nobody in, and is over with it', async (_what, fields) => {
    const right = await answered();
    const query = new URLSearchParams(fields(right));
    const reply = await agent.get(`/login/callback/crafted?${query}`);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(await isSignedIn()).toBe(false);
    expect((await agent.get(`/login/callback/crafted?${new URLSearchParams(right)}`)).status).toBe(400);
  });

  test.each(['a', 'x'.repeat(23), 'x'.repeat(25), `${'x'.repeat(23)}=`, '..%2F..%2F', ''])(
    'in a browser whose cookie is %j, which is none of ours, is 400',
    async (value) => {
      const fields = await answered();
      const cookie = agent.cookies.get('console_outside')!;
      agent.cookies.set('console_outside', { ...cookie, value });
      expect((await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`)).status).toBe(400);
      agent.cookies.set('console_outside', cookie);
      expect((await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`)).status).toBe(303);
    },
  );
});

test('so many answers by a form wait for one network, and then it is told to wait (S83)', async () => {
  const fields = await answered();
  const post = () =>
    createUserAgent(console.url).post('/login/callback/crafted', fields, { origin: crafted.issuer });
  const replies: Reply[] = [];
  while (replies.length < 130) replies.push(...(await Promise.all(Array.from({ length: 10 }, post))));
  const denied = replies.filter(({ status }) => status === 429);
  expect(replies.filter(({ status }) => status === 303)).toHaveLength(120);
  expect(denied).toHaveLength(10);
  expect(denied.map(({ headers }) => headers['retry-after'])).toEqual(Array(10).fill('60'));
  // Whoever brings cookies along needs no place to wait.
  expect((await agent.post('/login/callback/crafted', fields)).status).toBe(303);
});

describe('a logout in a frame', () => {
  test.each([
    ['no session', () => ({ iss: crafted.issuer })],
    ['an empty one', () => ({ iss: crafted.issuer, sid: '' })],
    ['one that is too long', () => ({ iss: crafted.issuer, sid: 's'.repeat(1025) })],
    ['no issuer', () => ({ sid: 'session-7' })],
    ['an issuer with a slash more', () => ({ iss: `${crafted.issuer}/`, sid: 'session-7' })],
  ])('that names %s is 400, and ends nothing', async (_what, parameters) => {
    await signIn();
    const query = new URLSearchParams(parameters() as Record<string, string>);
    expect((await createUserAgent(console.url).get(`/login/frontchannel/crafted?${query}`)).status).toBe(400);
    expect(await isSignedIn()).toBe(true);
  });
});

describe.skipIf(obstacle !== undefined)(`SAML messages${obstacle ? ` (${obstacle})` : ''}`, () => {
  const queryOf = () => redirectQuery(staff!.logoutRequest(), staff!.keys, { relayState: 'r' });
  async function signInBySaml(): Promise<void> {
    const fields = staff!.answer(await leave(agent, await agent.get('/login'), 'Staff'), {
      nameId: 'user-4711',
    });
    await agent.post('/login/callback/staff', fields);
    expect(await isSignedIn()).toBe(true);
  }

  test.each<[what: string, bend: (query: string) => string]>([
    ['its request twice', (query) => `${query}&SAMLRequest=x`],
    ['a response beside it', (query) => `${query}&SAMLResponse=x`],
    ['its relay state twice', (query) => `${query}&RelayState=r`],
    ['another relay state', (query) => query.replace('RelayState=r', 'RelayState=s')],
    ['no relay state', (query) => query.replace('&RelayState=r', '')],
    ['an algorithm that is none', (query) => query.replace('rsa-sha256', 'rsa-sha1')],
    ['another algorithm', (query) => query.replace('rsa-sha256', 'rsa-sha512')],
    ['no algorithm', (query) => query.replace(/&SigAlg=[^&]*/, '')],
    ['no signature', (query) => query.replace(/&Signature=.*/, '')],
    ['an empty signature', (query) => query.replace(/&Signature=.*/, '&Signature=')],
    [
      'its parameters in another order',
      (query) => query.replace(/(SAMLRequest=[^&]*)&(.*)/, '$2&$1').replace('rsa-sha256', 'rsa-sha384'),
    ],
    ['a bad escape', (query) => `${query}&SAMLEncoding=%zz`],
    ['an unknown coding', (query) => `${query}&SAMLEncoding=gzip`],
    [
      'a message that does not inflate',
      (query) => query.replace(/SAMLRequest=[^&]{8}/, 'SAMLRequest=AAAAAAAA'),
    ],
  ])('by an address with %s end nothing (S48)', async (_what, bend) => {
    await signInBySaml();
    const reply = await createUserAgent(console.url).get(`${staff!.logoutUrl}?${bend(queryOf())}`);
    expect([400, 403]).toContain(reply.status);
    expect(await isSignedIn()).toBe(true);
  });

  test('by an address end the session, in whatever order their parameters stand', async () => {
    await signInBySaml();
    const query = queryOf().replace(/(SAMLRequest=[^&]*)&(.*)/, '$2&$1');
    expect((await createUserAgent(console.url).get(`${staff!.logoutUrl}?${query}`)).status).toBe(303);
    expect(await isSignedIn()).toBe(false);
  });

  test.each<[what: string, fields: () => Record<string, string>]>([
    ['nothing', () => ({})],
    ['a request and a response', () => ({ ...posted(), SAMLResponse: posted().SAMLRequest! })],
    ['what is not base64', () => ({ SAMLRequest: '<xml/>' })],
    ['base64 of the other alphabet', () => ({ SAMLRequest: posted().SAMLRequest!.replace(/.$/, '_') })],
    [
      'a message of more than 256 KiB',
      () => ({ SAMLRequest: Buffer.alloc(300_000, ' ').toString('base64') }),
    ],
    ['what is no XML', () => ({ SAMLRequest: Buffer.from('{"logout":true}').toString('base64') })],
    ['two documents', () => ({ SAMLRequest: Buffer.from('<a/><b/>').toString('base64') })],
  ])('by a form with %s end nothing (S48)', async (_what, fields) => {
    await signInBySaml();
    const reply = await createUserAgent(console.url).post(staff!.logoutUrl, fields(), {
      origin: staff!.origin,
    });
    expect([400, 403, 413]).toContain(reply.status);
    expect(await isSignedIn()).toBe(true);
  });
  const posted = () => postedFields(staff!.logoutRequest(), staff!.keys);
});
