/** What a sign-in or a logout at a provider leaves behind is good for its time, and a second longer it is not. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import { leave } from './upstream.ts';

let directory: string;
let crafted: CraftedProvider;
let console: RunningConsole;
let dataDir: string;
/** How far the console's clock is ahead; it only goes on, as a clock does. */
let ahead = 0;
async function pass(seconds: number): Promise<void> {
  ahead += seconds;
  await writeFile(join(directory, 'clock'), String(ahead));
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
  await pass(0);
  crafted = await startCraftedProvider();
  dataDir = await storeWithProviders(oidcProvider('crafted', 'Crafted', crafted.issuer, { clientId }));
  console = await startConsole({
    port: await freePort(),
    dataDir,
    env: {
      CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
      CONSOLE_SESSION_MAX_SECONDS: '3600',
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href}`,
      TEST_CLOCK_FILE: join(directory, 'clock'),
    },
  });
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
  for (const one of [dataDir, directory]) await rm(one, { recursive: true, force: true });
});

let agent: UserAgent;
let people = 0;
let sub: string;
beforeEach(() => {
  agent = createUserAgent(console.url);
  crafted.reset();
  crafted.metadata = { end_session_endpoint: `${crafted.issuer}/logout` };
  sub = `person-${people++}`;
});

const isSignedIn = async (someone = agent) => (await someone.get('/account')).status === 200;
const clock = () => Math.floor(Date.now() / 1000) + ahead;

/** Up to the answer that the browser brings back; what it proves is right whenever it comes. */
async function leftFor(browser = agent): Promise<{ state: string; nonce: string }> {
  const { searchParams } = new URL(await leave(browser, await browser.get('/login'), 'Crafted'));
  return { state: searchParams.get('state')!, nonce: searchParams.get('nonce')! };
}
function comeBack({ state, nonce }: { state: string; nonce: string }, browser = agent): Promise<Reply> {
  crafted.nonce = nonce;
  const [iat, exp] = [clock(), clock() + 300];
  crafted.forgery = { claims: { sub, sid: `session-of-${sub}`, groups: ['ops'], iat, exp } };
  crafted.userinfo = { sub };
  return browser.get(`/login/callback/crafted?${new URLSearchParams({ code: 'code', state })}`);
}
async function signIn(browser = agent): Promise<void> {
  expect((await comeBack(await leftFor(browser), browser)).status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
}

describe('a sign-in at a provider', () => {
  test('may take ten minutes, and no longer (S43)', async () => {
    const [first, second] = [await leftFor(), await leftFor()];
    await pass(598);
    expect((await comeBack(first)).status).toBe(303);
    await pass(4);
    agent.cookies.delete('console_session');
    agent.cookies.delete('console_session.sig');
    const late = await comeBack(second);
    expect([late.status, textOf(late)]).toEqual([400, expect.stringContaining('longer than ten minutes')]);
    expect(await isSignedIn()).toBe(false);
    expect(crafted.asked.filter((path) => path === '/token')).toHaveLength(1);
  });

  test('in a second window gives the first one no more time, and takes none from it (S43)', async () => {
    const first = await leftFor();
    await pass(400);
    const second = await leftFor();
    await pass(190);
    const other = createUserAgent(console.url);
    for (const [name, cookie] of agent.cookies) other.cookies.set(name, cookie);
    expect((await comeBack(first, other)).status).toBe(303);
    await pass(400);
    expect((await comeBack(second)).status).toBe(303);
    expect((await comeBack(first)).status).toBe(400);
  });

  test('whose answer a form has brought waits a minute for its browser (S43)', async () => {
    const post = async ({ state }: { state: string }) => {
      const fields = { code: 'code', state };
      return createUserAgent(console.url).post('/login/callback/crafted', fields, { origin: crafted.issuer });
    };
    const left = await leftFor();
    const [first, second] = [await post(left), await post(left)];
    await pass(61);
    const late = await agent.get(first.headers.location!);
    expect([late.status, textOf(late)]).toEqual([400, expect.stringContaining('not under way')]);
    expect((await agent.get(second.headers.location!)).status).toBe(400);
    // The sign-in itself has its time still.
    const third = await post(left);
    await pass(58);
    crafted.nonce = left.nonce;
    crafted.forgery = { claims: { sub, groups: ['ops'], iat: clock(), exp: clock() + 300 } };
    crafted.userinfo = { sub };
    expect((await agent.get(third.headers.location!)).status).toBe(303);
  });

  test('is not proven by a key that the provider has given up five minutes ago (S44)', async () => {
    await pass(301);
    await signIn(); // reads the keys
    const [other, late] = [createUserAgent(console.url), createUserAgent(console.url)];
    const [inTime, tooLate] = [await leftFor(other), await leftFor(late)];
    const claims = (nonce: string, iat: number) => {
      const about = { iss: crafted.issuer, sub, aud: clientId, groups: ['ops'], nonce };
      return { ...about, iat, exp: iat + 300 };
    };
    const signed = [
      await crafted.sign(claims(inTime.nonce, clock() + 290)),
      await crafted.sign(claims(tooLate.nonce, clock() + 310)),
    ];
    await crafted.changeKey();
    const bring = (token: string, { state }: { state: string }, browser: UserAgent) => {
      crafted.userinfo = { sub };
      crafted.forgery = { sign: () => token };
      return browser.get(`/login/callback/crafted?${new URLSearchParams({ code: 'code', state })}`);
    };
    await pass(290);
    expect((await bring(signed[0]!, inTime, other)).status).toBe(303);
    await pass(20);
    const refused = await bring(signed[1]!, tooLate, late);
    expect([refused.status, await isSignedIn(late)]).toEqual([401, false]);
  });
});

describe('a logout of a provider', () => {
  const post = async (claims: Record<string, unknown>) => {
    const token = await crafted.sign(logoutClaims(crafted.issuer, { sub, ...claims }), 'logout+jwt');
    return send(token);
  };
  const send = (token: string) =>
    createUserAgent(console.url).send('POST', '/login/backchannel/crafted', {
      headers: { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });

  test.each([
    { name: 'without exp, ten minutes and the skew of a minute ago', age: 661, exp: undefined, status: 400 },
    { name: 'without exp, a little less ago', age: 655, exp: undefined, status: 200 },
    { name: 'whose exp is more than a minute ago', age: 200, exp: -62, status: 400 },
    { name: 'whose exp is less than a minute ago', age: 200, exp: -50, status: 200 },
    { name: 'that was made more than a minute from now', age: -70, exp: 300, status: 400 },
  ])('$name is answered $status (S41)', async ({ age, exp, status }) => {
    await signIn();
    const lifetime = { iat: clock() - age, exp: exp === undefined ? undefined : clock() + exp };
    const reply = await post({ ...lifetime, sid: `session-of-${sub}` });
    expect([reply.status, await isSignedIn()]).toEqual([status, status !== 200]);
  });

  test('cannot be used again when it is forgotten that it was used (S41)', async () => {
    await signIn();
    const claims = logoutClaims(crafted.issuer, {
      sub,
      sid: `session-of-${sub}`,
      iat: clock(),
      exp: undefined,
    });
    const token = await crafted.sign(claims, 'logout+jwt');
    expect((await send(token)).status).toBe(200);
    for (const seconds of [300, 300, 59, 5, 600]) {
      await pass(seconds);
      agent = createUserAgent(console.url);
      await signIn();
      expect([seconds, (await send(token)).status, await isSignedIn()]).toEqual([seconds, 400, true]);
    }
  });

  test('that we have asked for is waited for ten minutes, and changes no page later', async () => {
    await signIn();
    const question = await agent.get('/connect/logout');
    const page = await agent.follow(await agent.submit(question));
    const next = /^\d+; url=(.+)$/.exec(String(page.headers.refresh))![1]!;
    const { searchParams } = new URL((await agent.get(next)).headers.location!);
    await pass(601);
    const back = await agent.follow(
      await agent.get(`/login/logout/crafted?state=${searchParams.get('state')}`),
    );
    expect([back.status, titleOf(back)]).toEqual([200, 'You are signed out']);
    expect(textOf(back)).not.toContain('signed out at Crafted');
  });

  test('about a session whose longest time is over is taken, and ends nothing of somebody else', async () => {
    await signIn();
    const other = createUserAgent(console.url);
    await pass(3601);
    expect(await isSignedIn()).toBe(false);
    const [before, sid] = [sub, `session-of-${sub}`];
    sub = `${before}-again`;
    await signIn(other);
    const lifetime = { iat: clock(), exp: undefined };
    expect((await post({ ...lifetime, sub: before, sid })).status).toBe(200);
    expect(await isSignedIn(other)).toBe(true);
  });
});
