/** What ties a code to who asked for it: PKCE, or a nonce where a client has a secret, or neither where it is let off. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretDigest } from '../../console/clients/clients.ts';
import type { ClientRecord } from '../../console/storage/records.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  authorize,
  callbackOf,
  challenge,
  dashboard,
  type Parameters,
  redeem,
  verifier,
} from '../helpers/sign-in.ts';
import { addClient, thirdParty } from '../helpers/store.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';

const secret = 'confidential-0123456789-abcdefghijklmnop';
const redirectUri = thirdParty.redirectUris[0]!;
const confidential: ClientRecord = {
  ...thirdParty,
  id: 'portal',
  isPublic: false,
  isFirstParty: true,
  secrets: [{ sha256: secretDigest(secret), createdAt: 1 }],
};

let console: RunningConsole;
let agent: UserAgent;
beforeAll(async () => {
  console = await startConsole();
  for (const client of [
    confidential,
    { ...confidential, id: 'strict', pkce: 'required' as const },
    { ...confidential, id: 'old', pkce: 'optional' as const },
    { ...thirdParty, isFirstParty: true, id: 'page' },
    // As no registration makes it: a public client's policy is not looked at.
    { ...thirdParty, isFirstParty: true, id: 'odd', pkce: 'optional' as const },
  ]) {
    await addClient(console.dataDir, client);
  }
  agent = createUserAgent(console.url);
  await agent.signIn();
});
afterAll(() => console?.stop());

const noPkce = { code_challenge: undefined, code_challenge_method: undefined };
const of = (id: string): Parameters => ({ client_id: id, redirect_uri: redirectUri });

async function ask(id: string, changes: Parameters = noPkce): Promise<URLSearchParams> {
  return callbackOf(await agent.get(authorizationPath({ ...of(id), ...changes })));
}

const tokens = (id: string, code: string | null, changes: Parameters = {}) =>
  redeem(console, code, { ...of(id), client_secret: secret, code_verifier: undefined, ...changes });

describe('a request with neither PKCE nor a nonce (C1)', () => {
  test.each([
    ['portal', '(code_challenge with S256) or, with the scope openid, a nonce'],
    ['strict', 'has to send a PKCE challenge'],
    ['page', 'has to send a PKCE challenge'],
    ['odd', 'has to send a PKCE challenge'],
  ])(
    'of %s is refused, told to the application with what would do, and in the audit log',
    async (id, what) => {
      const rejected = await ask(id);
      expect(Object.fromEntries(rejected)).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining(what),
        state: 'some-state',
        iss: console.url,
      });
      expect(rejected.has('code')).toBe(false);
      expect(await audited('authorization.refused', id, 'none')).toMatchObject({ outcome: 'denied' });
    },
  );

  test('of a client that is let off gives tokens, and the audit log says so', async () => {
    const code = (await ask('old')).get('code');
    expect((await tokens('old', code)).status).toBe(200);
    await audited('authorization.granted', 'old', 'none');
    await audited('token.issued', 'old', 'none');
  });
});

describe('a request with a nonce (C1)', () => {
  const nonce = { ...noPkce, nonce: 'n-0S6_WzA2Mj' };

  test('of a client with a secret gives an ID token with it, and the audit log names it', async () => {
    const { status, body } = await tokens('portal', (await ask('portal', nonce)).get('code'));
    expect([status, decodeJwt(body.id_token ?? '').nonce]).toEqual([200, nonce.nonce]);
    await audited('authorization.granted', 'portal', 'nonce');
    await audited('token.issued', 'portal', 'nonce');
  });

  test('is the same after a page: the sign-in form', async () => {
    const code = (await authorize(createUserAgent(console.url), { ...of('portal'), ...nonce })).get('code');
    expect((await tokens('portal', code)).status).toBe(200);
  });

  test.each(['page', 'odd', 'strict', dashboard.clientId])('is not enough for %s', async (id) => {
    const { redirectUri: uri } = id === dashboard.clientId ? dashboard : { redirectUri };
    const rejected = await ask(id, { ...nonce, redirect_uri: uri });
    expect([rejected.get('error'), rejected.get('code')]).toEqual(['invalid_request', null]);
  });

  test.each([
    ['that is empty', { nonce: '' }],
    ['without an ID token to hold it', { nonce: 'n-0S6_WzA2Mj', scope: 'profile' }],
  ])('%s counts for nothing', async (_name, changes) => {
    expect((await ask('portal', { ...noPkce, ...changes })).get('error')).toBe('invalid_request');
  });
});

describe('a challenge that was sent is checked, whatever the client is registered for (C1)', () => {
  const s256 = { code_challenge: challenge, code_challenge_method: 'S256', nonce: 'n-0S6_WzA2Mj' };

  test.each(['portal', 'strict', 'old'])('%s gets tokens for the right verifier alone', async (id) => {
    const code = (await ask(id, s256)).get('code');
    for (const wrong of [undefined, '', `${verifier}x`, 'a'.repeat(43)]) {
      expect((await tokens(id, code, { code_verifier: wrong })).body.error).toBe('invalid_grant');
    }
    expect((await tokens(id, code, { code_verifier: verifier })).status).toBe(200);
    await audited('token.issued', id, 'S256');
  });

  test.each([
    ['plain', { code_challenge: verifier, code_challenge_method: 'plain' }],
    ['without a method', { code_challenge: challenge, code_challenge_method: undefined }],
    ['without a challenge', { code_challenge: undefined, code_challenge_method: 'S256' }],
    ['too short', { code_challenge: 'abc', code_challenge_method: 'S256' }],
  ])('one that is %s is refused also where none is needed', async (_name, changes) => {
    const rejected = await ask('old', { ...changes, nonce: 'n-0S6_WzA2Mj' });
    expect([rejected.get('error'), rejected.get('code')]).toEqual(['invalid_request', null]);
  });

  test.each(['portal', 'old'])(
    'RFC 9700 §4.8.2: %s sends a verifier without one, and gets nothing',
    async (id) => {
      const code = (await ask(id, { ...noPkce, nonce: 'n-0S6_WzA2Mj' })).get('code');
      expect((await tokens(id, code, { code_verifier: verifier })).body.error).toBe('invalid_grant');
      expect((await tokens(id, code)).status).toBe(200);
    },
  );
});

describe('the policy is chosen by the command line and the admin API, which both show it (C1)', () => {
  const tool = (args: string[]) => runTool(args, { dataDir: console.dataDir });
  const done = (args: string[]) => toolDone([...args, '--json'], { dataDir: console.dataDir });
  const add = ['--redirect-uri', redirectUri, '--first-party'];

  test('each kind of client has its own', async () => {
    const kinds: [id: string, flags: string[], pkce: string | null][] = [
      ['confidential', add, 'nonce'],
      ['public', [...add, '--public'], 'required'],
      ['public-and-said', [...add, '--public', '--pkce', 'required'], 'required'],
      ['let-off', [...add, '--pkce', 'optional'], 'optional'],
      ['machine', [], null],
    ];
    for (const [id, flags, pkce] of kinds) {
      expect((await done(['client', 'add', id, ...flags])).json(), id).toMatchObject({ pkce });
    }
    const listed = (await done(['client', 'list'])).json<{ id: string; pkce: string | null }[]>();
    expect(listed).toEqual(
      expect.arrayContaining(kinds.map(([id, , pkce]) => expect.objectContaining({ id, pkce }))),
    );
    expect(await shownPkce('public')).toBe('required');
    expect(await shownPkce('let-off')).toBe('optional: neither PKCE nor a nonce is asked for');
    expect(await shownPkce('machine')).toBeUndefined();
  });

  test('a change counts from the next request on, by either way', async () => {
    await done(['client', 'add', 'changing', ...add]);
    expect((await done(['client', 'update', 'changing', '--pkce', 'optional'])).json()).toMatchObject({
      pkce: 'optional',
    });
    await expect.poll(async () => (await ask('changing')).has('code'), { timeout: 5000 }).toBe(true);
    expect(await patch('changing', { pkce: 'required' })).toMatchObject({
      status: 200,
      body: { pkce: 'required' },
    });
    await expect
      .poll(async () => (await ask('changing', { ...noPkce, nonce: 'n-0S6_WzA2Mj' })).get('error'))
      .toBe('invalid_request');
  });

  test.each<[string, string[]]>([
    ['a public client that is let off', ['add', 'x', ...add, '--public', '--pkce', 'optional']],
    ['a public client by a nonce', ['add', 'x', ...add, '--public', '--pkce', 'nonce']],
    ['a policy that there is not', ['add', 'x', ...add, '--pkce', 'plain']],
    ['a machine', ['add', 'x', '--pkce', 'optional']],
    ['a change of a public client', ['update', 'page', '--pkce', 'optional']],
  ])('%s is refused with exit 1', async (_name, args) => {
    const rejected = await tool(['client', ...args, '--json']);
    expect([rejected.code, rejected.json().error]).toEqual([1, 'invalid_request']);
  });

  test('the admin API refuses the same, and changes nothing', async () => {
    for (const [id, pkce] of [
      ['page', 'optional'],
      ['portal', 'plain'],
      ['portal', true],
    ] as const) {
      expect((await patch(id, { pkce })).status).toBe(400);
    }
    expect((await ask('portal')).get('error')).toBe('invalid_request');
  });

  async function shownPkce(id: string): Promise<string | undefined> {
    return /^PKCE +(.+)$/m.exec((await tool(['client', 'show', id])).stdout)?.[1];
  }

  async function patch(id: string, change: object) {
    const response = await fetch(`${console.url}/api/v1/clients/${id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${await apiToken(console)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(change),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
});

/** The audit line of this event about this client that names PKCE so. */
function audited(event: string, clientId: string, pkce: string) {
  const isIt = (line: Record<string, unknown>) =>
    line.event === event && line.clientId === clientId && line.pkce === pkce;
  return console.waitFor(() => console.log().find(isIt), `${event} of ${clientId} with ${pkce}`);
}
