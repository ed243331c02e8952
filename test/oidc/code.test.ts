import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorize, redeem, refresh, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const otherVerifier = 'another-verifier-that-nobody-has-asked-to-use-0123456789';

async function newCode(scope?: string): Promise<string> {
  const callback = await authorize(createUserAgent(console.url), scope ? { scope } : {});
  return callback.get('code')!;
}

describe('redeeming a code', () => {
  test.each([
    { name: 'a wrong verifier', changes: { code_verifier: otherVerifier }, error: 'invalid_grant' },
    { name: 'no verifier', changes: { code_verifier: undefined }, error: 'invalid_grant' },
    {
      name: 'another redirect_uri',
      changes: { redirect_uri: 'http://localhost:9021/' },
      error: 'invalid_grant',
    },
    { name: 'no redirect_uri', changes: { redirect_uri: undefined }, error: 'invalid_request' },
    { name: 'an unknown code', changes: { code: 'A'.repeat(43) }, error: 'invalid_grant' },
    { name: 'another client', changes: { client_id: 'application-client' }, error: 'invalid_client' },
  ])('refuses $name, and the code stays good for its owner (S18, S19)', async ({ changes, error }) => {
    const code = await newCode();
    const rejected = await redeem(console, code, changes);
    expect(rejected.body.error).toBe(error);
    expect(rejected.status).toBe(error === 'invalid_client' ? 401 : 400);
    expect((await redeem(console, code)).status).toBe(200);
  });

  test('of three redemptions at once one has won, and a later one revokes what it got (S19)', async () => {
    const code = await newCode();
    const replies = await Promise.all([1, 2, 3].map(() => redeem(console, code)));
    const tokens = replies[0]!.body;
    for (const { status, body } of replies) expect([status, body]).toEqual([200, tokens]);
    expect((await userinfo(console, tokens.access_token)).status).toBe(200);
    expect((await redeem(console, code)).body.error).toBe('invalid_grant');
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await userinfo(console, tokens.access_token)).status).toBe(401);
  });

  test('a code that comes twice is invalid_grant, and everything issued for it is revoked (S19)', async () => {
    const code = await newCode();
    const tokens = (await redeem(console, code)).body;
    expect((await userinfo(console, tokens.access_token)).status).toBe(200);
    const again = await redeem(console, code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await userinfo(console, tokens.access_token)).status).toBe(401);
  });

  test('the sign-in that a replay has ended can be begun anew', async () => {
    const agent = createUserAgent(console.url);
    const first = (await authorize(agent)).get('code');
    await userinfo(console, (await redeem(console, first)).body.access_token);
    expect((await redeem(console, first)).body.error).toBe('invalid_grant');
    const tokens = await signInForTokens(console, agent);
    expect((await userinfo(console, tokens.access_token)).status).toBe(200);
    expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
  });
});
