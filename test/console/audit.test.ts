import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  admin,
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { authorize, redeem, refresh, signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent, type Reply } from '../helpers/user-agent.ts';

const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;

type Line = Record<string, unknown>;

describe('one line for each event (S84)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test.each<{ name: string; act: () => Promise<Sent>; line: Line }>([
    {
      name: 'a machine token',
      act: () => token({ grant_type: 'client_credentials', scope: 'app:Viewer' }),
      line: { event: 'token.issued', outcome: 'success', actor: 'application-client' },
    },
    {
      name: 'a token refused for its scope',
      act: () => token({ grant_type: 'client_credentials', scope: 'app:Admin' }),
      line: { event: 'token.refused', outcome: 'denied', reason: 'invalid_scope' },
    },
    {
      name: 'a token refused for its secret',
      act: () => token({ grant_type: 'client_credentials' }, `Basic ${btoa('application-client:wrong')}`),
      line: { event: 'token.refused', outcome: 'denied', reason: 'invalid_client' },
    },
    {
      name: 'a revocation',
      act: async () => form('/oauth2/revoke', { token: await machineToken(console) }),
      line: { event: 'token.revoked', outcome: 'success', actor: 'application-client' },
    },
    {
      name: 'a write to a member',
      act: async () => member('POST', '/svc/rest/maps/m/k', 'value'),
      line: { event: 'member.call', outcome: 'success', actor: 'application-client', method: 'POST' },
    },
    {
      name: 'a poll of a queue, which is a write',
      act: async () => member('DELETE', '/svc/rest/queues/q/0'),
      line: { event: 'member.call', outcome: 'success', actor: 'application-client' },
    },
    {
      name: 'a poll by GET, which is one too',
      act: async () => member('GET', '/svc/rest/queues/q/0'),
      line: { event: 'member.call', outcome: 'success', actor: 'application-client' },
    },
    {
      name: 'a poll that the member refuses',
      act: async () => member('DELETE', '/svc/rest/queues/q'),
      line: { event: 'member.call', outcome: 'denied', reason: 'forwarded', status: 400 },
    },
    {
      name: 'a write without the right',
      act: async () => member('POST', '/svc/rest/maps/m/k', 'value', 'app:Viewer'),
      line: { event: 'member.call', outcome: 'denied', reason: 'insufficient_scope', status: 403 },
    },
    {
      name: 'a change by the admin API without the right',
      act: async () => member('POST', '/api/v1/roles', '{}', 'app:Viewer'),
      line: {
        event: 'request.refused',
        outcome: 'denied',
        reason: 'insufficient_scope',
        actor: 'application-client',
        method: 'POST',
        path: '/api/v1/roles',
      },
    },
    {
      name: 'a question to the admin API without a token',
      act: () => send('GET', '/api/v1/access/explain?decision=x'),
      line: {
        event: 'request.refused',
        outcome: 'denied',
        reason: 'unauthorized',
        path: '/api/v1/access/explain',
      },
    },
    {
      name: 'a call without a token',
      act: () => send('GET', '/svc/rest/cluster'),
      line: { event: 'member.call', outcome: 'denied', status: 401 },
    },
  ])('$name', async ({ act, line }) => {
    const { requestId } = await act();
    const [found, ...more] = await linesOf(console, requestId);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ audit: true, level: 'info', msg: 'audit', requestId, ...line });
    expect(found!.source).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(String(found!.time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(String(found!.time)) - Date.now())).toBeLessThan(60_000);
  });

  test('a read that was allowed is counted and not logged', async () => {
    const { requestId } = await member('GET', '/svc/rest/cluster');
    const { requestId: later } = await member('POST', '/svc/rest/maps/m/k', 'value');
    await linesOf(console, later);
    expect(auditLines(console).filter((line) => line.requestId === requestId)).toEqual([]);
  });

  test('a call to a member: which token, what, which member, how it ended, in which trace', async () => {
    const token = await machineToken(console);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = {
      authorization: `Bearer ${token}`,
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    };
    const written = await send('POST', '/svc/rest/maps/orders/1', headers, 'value');
    const [line] = await linesOf(console, written.requestId);
    expect(line).toMatchObject({
      actor: 'application-client',
      clientId: 'application-client',
      jti,
      method: 'POST',
      route: '/svc/rest/maps/{mapName}/{key...}',
      path: '/svc/rest/maps/orders/1',
      permission: 'svc:data:write',
      member: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      status: 200,
      durationMs: expect.any(Number),
      traceId,
    });
    expect(JSON.stringify(line)).not.toContain('eyJ');

    const rejected = await send('GET', `/svc/rest/maps/${'x'.repeat(6_000)}?secret=x`, {
      traceparent: headers.traceparent,
    });
    const [denied] = await linesOf(console, rejected.requestId);
    expect(denied).toMatchObject({ status: 401, outcome: 'denied', reason: 'unauthorized', traceId });
    expect(denied!.decisionId).toMatch(/^n[\w-]+\.\w+\.\w+$/);
    expect(String(denied!.path).length).toBeLessThan(600);
    expect(JSON.stringify(denied)).not.toContain('secret');
  });

  test('a person: wrong password, login, change, logout', async () => {
    const agent = createUserAgent(console.url);
    const wrong = await agent.submit(await agent.get('/login'), { ...admin, password: 'not-the-password' });
    expect(await lineOf(console, wrong)).toMatchObject({
      event: 'login',
      outcome: 'denied',
      reason: expect.any(String),
    });

    const login = await agent.submit(await agent.get('/login'), admin);
    const loggedIn = await lineOf(console, login);
    expect(loggedIn).toMatchObject({ event: 'login', outcome: 'success', actor: expect.any(String) });

    const other = 'another-staple-battery-8';
    const fields = {
      current_password: admin.password,
      password: other,
      password_again: other,
    };
    const guess = { ...fields, current_password: 'not-the-password' };
    const guessed = await agent.submit(await agent.get('/account'), guess, { action: '/account/password' });
    expect(await lineOf(console, guessed)).toMatchObject({
      event: 'password.changed',
      outcome: 'denied',
      actor: loggedIn.actor,
      reason: 'invalid_request',
    });

    const changed = await agent.submit(await agent.get('/account'), fields, { action: '/account/password' });
    expect(await lineOf(console, changed)).toMatchObject({
      event: expect.stringContaining('password'),
      outcome: 'success',
      actor: loggedIn.actor,
    });

    const page = await agent.get('/connect/logout');
    const logout = await agent.submit(page);
    expect(await lineOf(console, logout)).toMatchObject({
      event: 'logout',
      outcome: 'success',
      actor: loggedIn.actor,
    });
  });

  async function token(fields: Record<string, string>, authorization = basic): Promise<Sent> {
    return form('/oauth2/token', fields, authorization);
  }

  function form(path: string, fields: Record<string, string>, authorization = basic): Promise<Sent> {
    return send('POST', path, { authorization }, new URLSearchParams(fields));
  }

  async function member(method: string, path: string, body?: string, scope?: string): Promise<Sent> {
    const tokenFor = path.startsWith('/api/') ? apiToken : machineToken;
    const authorization = `Bearer ${await tokenFor(console, scope)}`;
    return send(method, path, { authorization }, body);
  }

  async function send(
    method: string,
    path: string,
    headers = {},
    body?: string | URLSearchParams,
  ): Promise<Sent> {
    const response = await fetch(console.url + path, { method, headers, ...(body && { body }) });
    await response.arrayBuffer();
    return { requestId: response.headers.get('x-request-id')! };
  }
});

describe('the source of a line (S30)', () => {
  test.each([
    { name: 'the peer, whatever it claims', trusted: undefined, source: '127.0.0.1' },
    { name: 'what a trusted proxy says', trusted: '127.0.0.1', source: '192.0.2.7' },
  ])('is $name', async ({ trusted, source }) => {
    const console = await startConsole({ env: { CONSOLE_TRUSTED_PROXIES: trusted } });
    const response = await fetch(`http://127.0.0.1:${console.port}/oauth2/token`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': '198.51.100.1, 192.0.2.7', Forwarded: 'for=203.0.113.9' },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const [line] = await linesOf(console, response.headers.get('x-request-id')!);
    expect(line).toMatchObject({ outcome: 'denied', source });
    await console.stop();
  });
});

describe.each(['json', 'pretty'] as const)('a mixed run, logs in %s (S85)', (format) => {
  test('no secret, password, token, code, cookie or query in any line, and no control character', async () => {
    const console = await startConsole({ env: { CONSOLE_LOG_FORMAT: format, CONSOLE_LOG_LEVEL: 'trace' } });
    const secrets = new Set<string>([clientSecret, admin.password, 'wrong-password-77', 'state-to-keep']);
    const remember = (...values: (string | undefined | null)[]) => {
      for (const value of values) if (value && value.length > 8) secrets.add(value);
    };
    const agent = createUserAgent(console.url, {
      headers: { 'user-agent': 'Browser\u009b31m 1.0', referer: `${console.url}/?code=code-in-a-referer` },
    });
    const callback = await authorize(agent, { state: 'state-to-keep', nonce: 'nonce-to-keep' });
    remember(callback.get('code'), 'nonce-to-keep', 'code-in-a-referer');
    const tokens = (await redeem(console, callback.get('code'))).body;
    const refreshed = (await refresh(console, tokens.refresh_token ?? '')).body;
    await redeem(console, callback.get('code')); // a replay is refused, and logged
    for (const { access_token, refresh_token, id_token } of [tokens, refreshed])
      remember(access_token, refresh_token, id_token);
    const people = await signInForTokens(console, createUserAgent(console.url));
    remember(people.access_token, people.refresh_token, people.id_token);
    const machine = await machineToken(console);
    remember(machine);

    for (const name of ['eve\r\n{"level":"info","forged":true}', 'eve\u001b]0;owned\u0007', '\u202eeve']) {
      const browser = createUserAgent(console.url);
      await browser.submit(await browser.get('/login'), { username: name, password: 'wrong-password-77' });
      for (const { value } of browser.cookies.values()) remember(value);
      await fetch(`${console.url}/svc/rest/maps/m/${encodeURIComponent(name)}?token=query-to-hide`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${machine}` },
        body: 'value-of-an-entry',
      });
      await fetch(`${console.url}/${encodeURIComponent(name)}?code=query-to-hide`);
      await fetch(
        `${console.url}/oauth2/authorize?client_id=${encodeURIComponent(name)}&state=query-to-hide`,
      );
      await fetch(`${console.url}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: name,
          client_secret: 'wrong-password-77',
          scope: name,
        }),
      });
      await fetch(`${console.url}/oauth2/token`, {
        method: 'POST',
        headers: { Authorization: basic },
        body: new URLSearchParams({ grant_type: name, scope: name }),
      });
    }
    remember('query-to-hide', 'value-of-an-entry');
    for (const { value } of agent.cookies.values()) remember(value);
    await fetch(`${console.url}/svc/rest/cluster?access_token=${machine}`, {
      headers: { Authorization: `Bearer ${machine.slice(0, -4)}aaaa` },
    });
    await fetch(`${console.url}/oauth2/revoke`, {
      method: 'POST',
      headers: { Authorization: basic },
      body: new URLSearchParams({ token: machine }),
    });
    expect(await console.stop()).toBe(0);

    const output = console.stdout() + console.stderr();
    expect(output.match(/login/g)!.length).toBeGreaterThan(3);
    expect(secrets.size).toBeGreaterThan(12);
    for (const secret of secrets) expect(output, secret).not.toContain(secret);
    expect(output).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}/u);
    if (format === 'json') {
      const lines = console.stderr().split('\n').slice(0, -1);
      for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
      expect(lines.some((line) => 'forged' in JSON.parse(line))).toBe(false);
    } else {
      expect(output).not.toMatch(/^\{/m);
    }
  });
});

interface Sent {
  readonly requestId: string;
}

async function lineOf(console: RunningConsole, { headers }: Reply): Promise<Line> {
  const [line] = await linesOf(console, String(headers['x-request-id']));
  return line!;
}

/** The audit lines of one request; waits for the first. */
function linesOf(console: RunningConsole, requestId: string): Promise<Line[]> {
  return console.waitFor(() => {
    const lines = auditLines(console).filter((line) => line.requestId === requestId);
    return lines.length > 0 && lines;
  }, `an audit line of ${requestId}`);
}

function auditLines(console: RunningConsole): Line[] {
  return console.log().filter(({ audit }) => audit === true);
}
