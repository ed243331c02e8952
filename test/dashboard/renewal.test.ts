import { afterEach, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { waitFor } from '../helpers/console.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { addPerson, type Pair, people, startDashboard, startPair } from './support.ts';

/** Every call finds its token too old, so that no test waits for one to be. */
const alwaysRenew = { APP_SECURITY_OPENIDP_RENEWBEFORE: '3600' };
let pair: Pair | undefined;

afterEach(async () => {
  await pair?.stop();
  pair = undefined;
});

test('tokens are renewed unseen, each time with the next refresh token, and by one request for many tabs', async () => {
  pair = await startPair({ console: { CONSOLE_ACCESS_TOKEN_TTL: '30' }, dashboard: alwaysRenew });
  const { dashboard } = await signIn(pair, people.admin);
  expect(textOf(await dashboard.get('/account'))).toContain('Renewed unseen once');
  expect(textOf(await dashboard.get('/account'))).toContain('Renewed unseen 2 times');
  const pages = await Promise.all(Array.from({ length: 8 }, () => dashboard.get('/account')));
  expect(pages.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(textOf(await dashboard.get('/'))).toContain('Cluster healthy');
});

test('without that setting a fresh token is left alone', async () => {
  pair = await startPair();
  const { dashboard } = await signIn(pair, people.admin);
  expect(textOf(await dashboard.get('/account'))).toContain('Renewed unseen 0 times');
});

test('a console that is away ends nothing while the token is good', async () => {
  pair = await startPair({ dashboard: alwaysRenew });
  const { dashboard } = await signIn(pair, people.admin);
  await pair.console.stop();
  const page = await dashboard.get('/');
  expect(page.status).toBe(200);
  expect(textOf(page)).toContain('Not available now. The console cannot be reached');
  expect((await dashboard.get('/account')).status).toBe(200);
});

test('a console that is not there yet is found later', async () => {
  const dashboard = await startDashboard({ env: { APP_SECURITY_OPENIDP_ISSUERURL: 'http://127.0.0.1:9' } });
  try {
    const page = await createUserAgent(dashboard.url).get('/login');
    expect([page.status, page.headers['retry-after']]).toEqual([503, '5']);
    expect(textOf(page)).toContain('The console did not answer.');
  } finally {
    await dashboard.stop();
  }
});

test('a refused renewal ends the session here: the person was disabled', async () => {
  // The console's logout notice would end it too, and sometimes sooner; it goes where nobody listens.
  const console = { SVC_MC_APP_INTERNALADDRESS: 'http://127.0.0.1:9' };
  pair = await startPair({ dashboard: alwaysRenew, console });
  await addPerson(pair.console, people.viewer);
  const { dashboard } = await signIn(pair, people.viewer);
  expect((await dashboard.get('/')).status).toBe(200);
  await toolDone(['user', 'disable', people.viewer.username], pair.console);
  const address = async () => (await dashboard.get('/')).headers.location;
  await expect.poll(address, { timeout: 5_000 }).toBe('/login');
  await waitFor(
    () => pair?.dashboard.log().some(({ reason }) => reason === 'invalid_grant'),
    'the reason in the log',
  );
});

test('the silent address renews in a frame, and says so when nobody is signed in at the console', async () => {
  pair = await startPair();
  const { dashboard, console } = await signIn(pair, people.admin);
  const request = await dashboard.get('/login/silent');
  expect(new URL(request.headers.location!).searchParams.get('prompt')).toBe('none');
  const answer = await console.follow(await console.get(request.headers.location!));
  expect(answer.headers.location).toContain('/silent-refresh.html?code=');
  const renewed = await dashboard.get(answer.headers.location!);
  expect(renewed.body).toContain('data-outcome="renewed"');
  expect(renewed.headers['content-security-policy']).toContain("frame-ancestors 'self'");
  expect((await dashboard.get('/account')).status).toBe(200);

  const stranger = createUserAgent(pair.dashboard.url);
  const asked = await stranger.get('/login/silent');
  const nobody = createUserAgent(pair.console.url);
  const rejected = await nobody.follow(await nobody.get(asked.headers.location!));
  expect(rejected.headers.location).toContain('error=login_required');
  expect((await stranger.get(rejected.headers.location!)).body).toContain('data-outcome="refused"');
  expect([...stranger.cookies.keys()].join()).not.toContain('dashboard_session');
});

async function signIn(
  { dashboard: { url }, console: { url: issuer } }: Pair,
  person: { readonly username: string; readonly password: string },
): Promise<{ readonly dashboard: UserAgent; readonly console: UserAgent }> {
  const dashboard = createUserAgent(url);
  const console = createUserAgent(issuer);
  const page = await console.follow(await console.get((await dashboard.get('/login')).headers.location!));
  const end = await console.follow(await console.submit(page, person));
  const reply = await dashboard.get(end.headers.location!);
  if (reply.headers.location !== '/') throw new Error(`not signed in: ${reply.status} ${reply.body}`);
  return { dashboard, console };
}
