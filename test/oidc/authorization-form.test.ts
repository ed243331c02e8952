/** C2: an authorization request as a form (OpenID Connect Core §3.1.2.1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { createUserAgent, type Reply, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const path = '/oauth2/authorize';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const newAgent = () => createUserAgent(console.url);
const good = () => authorizationPath().slice(`${path}?`.length);

function send(body: string, headers: Record<string, string> = form, query = ''): Promise<Reply> {
  return newAgent().send('POST', path + query, { headers, body });
}

/** Where a form leads, asked for by GET. */
async function goOn(agent: UserAgent, reply: Reply): Promise<Reply> {
  expect([reply.status, reply.headers['cache-control']]).toEqual([303, 'no-store']);
  return agent.get(reply.headers.location!);
}

test('a form leads to the same request by GET, and to a code (C2)', async () => {
  const agent = newAgent();
  const posted = await agent.send('POST', path, {
    headers: { ...form, origin: 'https://app.example' },
    body: good(),
  });
  expect(posted.headers.location).toBe(authorizationPath());
  const page = await agent.follow(await goOn(agent, posted));
  expect(titleOf(page)).toBe('Sign in');
  const end = callbackOf(await agent.follow(await agent.submit(page, admin)));
  expect(end.get('state')).toBe('some-state');
  expect((await redeem(console, end.get('code'))).status).toBe(200);
});

test('a form of another site comes without the session cookie, and the sign-in is found all the same (C2)', async () => {
  const agent = newAgent();
  await agent.signIn();
  const posted = await send(`${good()}&prompt=none`);
  expect(callbackOf(await goOn(agent, posted)).get('code')).toBeTruthy();
});

test.each([
  ['state', `state=${encodeURIComponent('a+b c%20&=#"<>línea')}`, 'a+b c%20&=#"<>línea'],
  ['a plus for a space', 'state=a+b', 'a b'],
  ['bytes beyond ASCII', 'state=línea', 'línea'],
])('%s arrives as it was sent (C2)', async (_name, pair, state) => {
  const body = `${authorizationPath({ state: undefined, prompt: 'none' }).slice(`${path}?`.length)}&${pair}`;
  const reply = await goOn(newAgent(), await send(body));
  expect(Object.fromEntries(callbackOf(reply))).toMatchObject({ error: 'login_required', state });
});

describe('what is refused by GET is refused by POST (C2)', () => {
  const other = `redirect_uri=${encodeURIComponent('http://evil.example/')}`;

  test.each([
    ['a repeated redirect_uri', `&${other}`, ''],
    ['a redirect_uri in the address as well', '', `?${other}`],
    ['a repeated client_id', '&client_id=wallboard', ''],
  ])('%s is not chosen from', async (_name, more, query) => {
    const reply = await goOn(newAgent(), await send(good() + more, form, query));
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
  });

  test('a repeated scope is told to the application', async () => {
    const reply = await goOn(newAgent(), await send(`${good()}&scope=openid`));
    expect(callbackOf(reply).get('error')).toBe('invalid_request');
  });

  test('parameters of the address count as those of the form do', async () => {
    const posted = await send('', form, `?${good()}&prompt=none`);
    expect(callbackOf(await goOn(newAgent(), posted)).get('error')).toBe('login_required');
  });

  test('a form with nothing in it', async () => {
    expect((await goOn(newAgent(), await send(''))).status).toBe(400);
  });
});

describe('what is no form, or too much of one, is refused and leads nowhere (C2)', () => {
  test.each<[string, string, Record<string, string>, number]>([
    ['JSON', '{"client_id":"application-dashboard"}', { 'content-type': 'application/json' }, 400],
    ['no content type', 'client_id=application-dashboard', {}, 400],
    ['a part of several', 'x', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
    ['a content coding', 'client_id=application-dashboard', { ...form, 'content-encoding': 'gzip' }, 400],
    ['a bad escape', 'state=%zz', form, 400],
    ['bytes that are no UTF-8', 'state=%ff', form, 400],
    ['more than an address holds', `state=${'x'.repeat(8_000)}`, form, 400],
    ['more than a form holds', `state=${'x'.repeat(70_000)}`, form, 413],
  ])('%s', async (_name, body, headers, status) => {
    const reply = await send(body, headers);
    expect([reply.status, reply.headers.location]).toEqual([status, undefined]);
    expect(reply.setCookies).toEqual([]);
  });

  test.each(['PUT', 'DELETE', 'PATCH'])('%s is 405 and names what is taken (S7)', async (method) => {
    const reply = await newAgent().send(method, `${path}?${good()}`, { headers: form, body: good() });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'HEAD, GET, POST']);
  });
});

test('the console is never left by what a form says (C2)', async () => {
  for (const body of [
    '//evil.example/',
    'https://evil.example/',
    '%0d%0aLocation:%20https://evil.example/',
  ]) {
    const { location } = (await send(body)).headers;
    expect(location).toMatch(/^\/oauth2\/authorize\?[\x21-\x7e]*$/);
  }
});
