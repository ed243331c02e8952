import { decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import {
  type Answer,
  noticesTo,
  type RelyingParty,
  register,
  signInTo,
  startRelyingParty,
} from '../helpers/relying-party.ts';
import { authorizationPath, refresh, userinfo } from '../helpers/sign-in.ts';
import { copyUser } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { keySetOf, post } from './support.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_LOG_LEVEL: 'info' } });
});
afterAll(() => console?.stop());

const newAgent = () => createUserAgent(console.url);

/** An application that goes with the running test. */
async function partyOf(
  id: string,
  given: Parameters<typeof startRelyingParty>[1] = {},
): Promise<RelyingParty> {
  const party = await startRelyingParty(id, given);
  onTestFinished(() => void party.close());
  await register(console, party);
  return party;
}

/** Signs out on the console's own page. @returns what the browser ends at, redirects of this site followed */
async function signOut(agent: UserAgent, parameters: Record<string, string> = {}): Promise<Reply> {
  const page = await agent.get(`/connect/logout?${new URLSearchParams(parameters)}`);
  return agent.follow(page.status === 200 ? await agent.submit(page) : page);
}

describe('the logout token', () => {
  test.each(['RS256', 'ES256', 'EdDSA'] as const)(
    'signed with %s, verifies by the key set and says what Back-Channel Logout §2.4 asks for and no more (S40)',
    async (tokenAlg) => {
      const party = await partyOf(`alg-${tokenAlg.toLowerCase()}`, { tokenAlg });
      const agent = newAgent();
      const idToken = decodeJwt((await signInTo(console, agent, party)).id_token);
      await signOut(agent);
      expect(party.posted).toHaveLength(1);
      const [{ token, form, contentType }] = party.posted as [(typeof party.posted)[0]];
      expect([...form.keys()]).toEqual(['logout_token']);
      expect(contentType).toBe('application/x-www-form-urlencoded');
      const { payload, protectedHeader } = await verifyLogoutToken(token, party);
      expect(protectedHeader).toEqual({ alg: tokenAlg, typ: 'logout+jwt', kid: expect.any(String) });
      expect(payload).toEqual({
        iss: console.url,
        aud: party.id,
        iat: expect.any(Number),
        exp: payload.iat! + 120,
        jti: expect.stringMatching(/^[\w-]{22,}$/),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        sub: idToken.sub,
        sid: idToken.sid,
      });
      expect(payload.sid).toMatch(/^[\w-]{22}$/);
    },
  );

  test('opens nothing here (S40)', async () => {
    const party = await partyOf('opener');
    const agent = newAgent();
    await signInTo(console, agent, party);
    await signOut(agent);
    expect((await userinfo(console, party.posted[0]!.token)).status).toBe(401);
    const { json } = await post(console, {
      path: '/oauth2/introspect',
      body: `token=${party.posted[0]!.token}`,
    });
    expect(json).toEqual({ active: false });
  });

  test('is announced by discovery', async () => {
    const discovery = await fetch(`${console.url}/.well-known/openid-configuration`);
    expect(await discovery.json()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    });
  });
});

test('the session, its cookies and its tokens have ended before anybody is told (S39)', async () => {
  const agent = newAgent();
  const thief = newAgent();
  const found: unknown[] = [];
  const party = await partyOf('order', {
    async answer(res) {
      found.push((await thief.get('/account')).headers.location);
      found.push((await refresh(console, tokens.refresh_token, { client_id: 'order' })).body.error);
      res.writeHead(200).end();
    },
  });
  const tokens = await signInTo(console, agent, party);
  for (const [name, cookie] of agent.cookies) thief.cookies.set(name, cookie);
  expect((await thief.get('/account')).status).toBe(200);
  await signOut(agent);
  expect(agent.cookies.has('console_session')).toBe(false);
  // The page waits a second for the applications; this one asks two questions before it answers.
  await waitFor(() => found.length === 2, 'the application to have asked', 10_000);
  expect(found).toEqual(['/login', 'invalid_grant']);
});

test('two applications that sign in at the same time both hear of it, with the sid of their ID tokens (S39)', async () => {
  const parties = [await partyOf('left'), await partyOf('right')] as const;
  const agent = newAgent();
  await agent.signIn();
  const tokens = await Promise.all(parties.map((party) => signInTo(console, agent, party)));
  const again = await Promise.all(parties.map((party) => signInTo(console, agent, party)));
  const page = await signOut(agent);
  expect(titleOf(page)).toBe('You are signed out');
  for (const [index, party] of parties.entries()) {
    expect(party.posted).toHaveLength(1);
    const { sid } = decodeJwt(party.posted[0]!.token);
    expect(decodeJwt(tokens[index]!.id_token).sid).toBe(sid);
    expect(decodeJwt(again[index]!.id_token).sid).toBe(sid);
    expect(textOf(page)).toContain(`${party.id} Signed out`);
  }
});

describe('what applications answer, all of them in one session (S40)', () => {
  const rows: readonly {
    readonly id: string;
    readonly answer: Answer;
    /** What the audit log says of each try. */
    readonly tries: readonly string[];
    readonly atFirst: string;
    readonly atLast: string;
  }[] = [
    {
      id: 'says-200',
      answer: (res) => res.writeHead(200).end('fine'),
      tries: ['success'],
      atFirst: 'Signed out',
      atLast: 'Signed out',
    },
    {
      id: 'says-204',
      answer: (res) => res.writeHead(204).end(),
      tries: ['success'],
      atFirst: 'Signed out',
      atLast: 'Signed out',
    },
    {
      id: 'says-202',
      answer: (res) => res.writeHead(202).end(),
      tries: ['status_202', 'status_202', 'status_202'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
    {
      id: 'says-400',
      answer: (res) => res.writeHead(400).end('{"error":"invalid_request"}'),
      tries: ['status_400', 'status_400', 'status_400'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
    {
      id: 'says-500-then-200',
      answer: (res, attempt) => res.writeHead(attempt === 1 ? 500 : 200).end(),
      tries: ['status_500', 'success'],
      atFirst: 'Waiting',
      atLast: 'Signed out',
    },
    {
      id: 'redirects',
      answer: (res) => res.writeHead(307, { Location: '/elsewhere' }).end(),
      tries: ['status_307', 'status_307', 'status_307'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
    {
      id: 'closes',
      answer: (res) => res.destroy(),
      tries: ['connection_failed', 'connection_failed', 'connection_failed'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
    {
      id: 'floods',
      answer: (res) => res.writeHead(200).end(Buffer.alloc(1024 * 1024 + 1)),
      tries: ['too_large', 'too_large', 'too_large'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
    {
      id: 'hangs',
      answer: () => {},
      tries: ['timeout', 'timeout', 'timeout'],
      atFirst: 'Waiting',
      atLast: 'Not confirmed',
    },
  ];
  const parties = new Map<string, RelyingParty>();
  let heldMs: number;
  let first: Reply;
  let last: Reply;

  beforeAll(async () => {
    const agent = newAgent();
    for (const { id, answer } of rows) {
      const party = await startRelyingParty(id, { answer });
      parties.set(id, party);
      await register(console, party);
      await signInTo(console, agent, party);
    }
    const form = await agent.get('/connect/logout');
    const before = performance.now();
    const gone = await agent.submit(form);
    heldMs = performance.now() - before;
    first = await agent.follow(gone);
    const isOver = ({ id, tries }: (typeof rows)[0]) => noticesTo(console, id).length === tries.length;
    await waitFor(() => rows.every(isOver), 'the last try of every notice', 45_000);
    last = await agent.get(first.url);
  });
  afterAll(() => Promise.all([...parties.values()].map((party) => party.close())));

  test('the browser is not held', () => {
    expect(heldMs).toBeLessThan(2000);
    expect(textOf(first)).toContain('have not confirmed');
    expect(textOf(first)).toContain('check again');
    expect(textOf(last)).not.toContain('check again');
  });

  test.each(rows)('$id: $tries', async ({ id, tries, atFirst, atLast }) => {
    const party = parties.get(id)!;
    const audited = noticesTo(console, id);
    expect(audited.map(({ outcome, reason }) => reason ?? outcome)).toEqual(tries);
    expect(audited.map(({ attempt, willRetry }) => [attempt, willRetry])).toEqual(
      tries.map((_try, index) => [index + 1, index + 1 < tries.length]),
    );
    expect(stateOn(first, id)).toBe(atFirst);
    expect(stateOn(last, id)).toBe(atLast);
    expect(party.posted).toHaveLength(tries.length);
    const tokens = await Promise.all(party.posted.map(({ token }) => verifyLogoutToken(token, party)));
    expect(new Set(tokens.map(({ payload }) => payload.jti)).size).toBe(tries.length);
    expect(party.visited).toEqual([]);
  });

  test('no token stands in the log', () => {
    for (const { posted } of parties.values()) {
      for (const { token } of posted) expect(console.stderr()).not.toContain(token);
    }
  });
});

test('an address inside the network is not called, whoever wrote it into the store (S42)', async () => {
  const party = await partyOf('inside', { backchannelLogoutUri: 'http://169.254.169.254/latest/meta-data' });
  const agent = newAgent();
  await signInTo(console, agent, party);
  const page = await signOut(agent);
  expect(stateOn(page, 'inside')).toBe('Waiting');
  expect(noticesTo(console, 'inside')[0]).toMatchObject({ outcome: 'failure', reason: 'invalid_url' });
});

describe('every way to end a session tells the applications (S39)', () => {
  beforeAll(() => copyUser(console, 'ada', 'eve'));
  const eve = { ...admin, username: 'eve' };
  const tool = (...args: string[]) =>
    toolDone(args, { dataDir: console.dataDir, stdin: 'another-staple-battery-7' });

  const ways: readonly {
    readonly name: string;
    readonly end: (agent: UserAgent, party: RelyingParty) => Promise<unknown>;
    readonly username?: string;
  }[] = [
    { name: 'the sign-out page', end: (agent) => signOut(agent) },
    {
      name: 'the list of sessions, from another browser',
      async end() {
        const other = newAgent();
        const page = await other.signIn();
        return other.submit(page, {}, { action: '/account/sessions' });
      },
    },
    {
      name: 'an administrator at the command line',
      async end() {
        const sessions = (await tool('session', 'list', 'ada', '--json')).json<{ id: string }[]>();
        for (const { id } of sessions) await tool('session', 'end', id);
      },
    },
    {
      name: 'another account in the same browser',
      async end(agent, { id, origin }) {
        const again = { client_id: id, redirect_uri: `${origin}/callback`, prompt: 'login' };
        const page = await agent.follow(await agent.get(authorizationPath(again)));
        return agent.follow(await agent.submit(page, eve));
      },
    },
    {
      name: 'a new password',
      username: 'eve',
      end: () => tool('user', 'passwd', 'eve', '--password-file', '-'),
    },
    { name: 'other roles', username: 'eve', end: () => tool('user', 'roles', 'eve', '--role', 'Viewer') },
    { name: 'a disabled account', username: 'eve', end: () => tool('user', 'disable', 'eve') },
    { name: 'a removed account', username: 'eve', end: () => tool('user', 'remove', '--yes', 'eve') },
  ];
  let password = admin.password;

  test.each(ways)('$name', async ({ name, username = 'ada', end }) => {
    if (name === 'a removed account') await tool('user', 'enable', 'eve');
    const party = await partyOf(`ended-by-${ways.findIndex((way) => way.name === name)}`);
    const agent = newAgent();
    const credentials = { username, password: username === 'eve' ? password : admin.password };
    const { id_token: idToken } = await signInTo(console, agent, party, credentials);
    expect(party.posted).toEqual([]);
    await end(agent, party);
    if (name === 'a new password') password = 'another-staple-battery-7';
    await waitFor(() => party.posted.length > 0, 'the notice', 5000);
    const { payload } = await verifyLogoutToken(party.posted[0]!.token, party);
    const { sub, sid } = decodeJwt(idToken);
    expect([payload.sub, payload.sid]).toEqual([sub, sid]);
  });
});

test('an application that hangs gets four notices at a time, and holds up nobody else (S40)', async () => {
  await copyUser(console, 'ada', 'mel');
  const mel = { ...admin, username: 'mel' };
  const open = { now: 0, most: 0 };
  const hanging = await partyOf('hanging', {
    answer(res) {
      open.most = Math.max(open.most, ++open.now);
      res.once('close', () => open.now--);
    },
  });
  const healthy = await partyOf('healthy');
  for (let count = 0; count < 8; count++) {
    const agent = newAgent();
    await signInTo(console, agent, hanging, mel);
    await signInTo(console, agent, healthy, mel);
  }
  await toolDone(['user', 'disable', 'mel'], { dataDir: console.dataDir });
  await waitFor(() => healthy.posted.length === 8, 'the healthy application', 4000);
  await waitFor(() => hanging.posted.length > 4, 'the second four notices');
  expect(open.most).toBe(4);
});

describe('the way back to the application that asked', () => {
  test('is direct when everybody else has confirmed', async () => {
    const [requester, other] = [await partyOf('asking', { answer: () => {} }), await partyOf('other')];
    const agent = newAgent();
    const { id_token: hint } = await signInTo(console, agent, requester);
    await signInTo(console, agent, other);
    const home = `${requester.origin}/`;
    const end = await signOut(agent, { id_token_hint: hint, post_logout_redirect_uri: home, state: 's' });
    expect([end.status, end.headers.location]).toEqual([303, `${home}?state=s`]);
    expect(other.posted).toHaveLength(1);
    expect(requester.posted).toHaveLength(1);
  });

  test('leads over the page that says who has not confirmed', async () => {
    const requester = await partyOf('asking-too');
    const silent = await partyOf('silent', { answer: (res) => res.destroy() });
    const agent = newAgent();
    const { id_token: hint } = await signInTo(console, agent, requester);
    await signInTo(console, agent, silent);
    const home = `${requester.origin}/`;
    const page = await signOut(agent, { id_token_hint: hint, post_logout_redirect_uri: home, state: 's' });
    expect(stateOn(page, 'silent')).toBe('Waiting');
    expect(page.body).toContain(`href="${home}?state=s"`);
    expect(page.headers.refresh).toBeUndefined();
    expect(page.headers['content-security-policy']).toContain("frame-src 'none'");
  });

  test('nobody sees that page without its ticket', async () => {
    const party = await partyOf('seen');
    const agent = newAgent();
    await signInTo(console, agent, party);
    const page = await signOut(agent);
    expect(stateOn(page, 'seen')).toBe('Signed out');
    const { searchParams } = new URL(page.url);
    expect(searchParams.get('ticket')).toMatch(/^[\w-]{24}$/);
    for (const ticket of ['', 'x', `${searchParams.get('ticket')!.slice(0, -1)}!`]) {
      const other = await newAgent().get(`/connect/logout/success?ticket=${ticket}`);
      expect([other.status, titleOf(other)]).toEqual([200, 'You are signed out']);
      expect(other.body).not.toContain('seen');
    }
  });
});

describe('a console that stops in between', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '%s: the next start tells the application (S40)',
    async (signal) => {
      const started = await startConsole();
      onTestFinished(() => void started.stop());
      const party = await startRelyingParty('patient', { answer: () => {} });
      onTestFinished(() => void party.close());
      await register(started, party);
      const agent = createUserAgent(started.url);
      await signInTo(started, agent, party);
      await agent.submit(await agent.get('/connect/logout'));
      await waitFor(() => party.posted.length === 1, 'a try that hangs');
      const before = performance.now();
      const exited = new Promise((resolve) => started.child.once('close', resolve));
      started.child.kill(signal);
      expect(await exited).toBe(signal === 'SIGTERM' ? 0 : null);
      expect(performance.now() - before).toBeLessThan(4000);
      party.answer = (res) => res.writeHead(200).end();
      const next = await startConsole({ dataDir: started.dataDir, port: started.port });
      onTestFinished(async () => void (await next.stop()));
      await waitFor(() => party.posted.length === 2, 'another try', 15_000);
      const [{ outcome }] = (await next.waitFor(() => {
        const audited = noticesTo(next, 'patient');
        return audited.length > 0 && audited;
      }, 'the audit line')) as [Record<string, unknown>];
      expect(outcome).toBe('success');
      const [one, two] = party.posted.map(({ token }) => decodeJwt(token).jti);
      // Nobody knows whether the application has it: by this it knows itself.
      expect(one).toBe(two);
    },
  );
});

function verifyLogoutToken(token: string, { id }: RelyingParty) {
  return jwtVerify(token, keySetOf(console), { issuer: console.url, audience: id, typ: 'logout+jwt' });
}

/** What the page says of an application. */
function stateOn(page: Reply, id: string): string | undefined {
  const row = page.body.split('<li ').find((part) => part.includes(`<h2>${id}</h2>`));
  return /class="tag[^"]*">([^<]*)</.exec(row ?? '')?.[1];
}
