/** Providers whose records a console cannot use: they let nobody in, are told, and can be shut and removed; no other suffers. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encryptProvider } from '../../console/federation/providers/records.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import type { ProviderRecord } from '../../console/storage/records.ts';
import { Secret } from '../../platform/secret.ts';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, putProviders, storeWithProviders } from '../helpers/providers.ts';
import { signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { copyUser, editUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { leave } from './upstream.ts';

const secret = 'marmot-0123456789-abcdefghij';
const issuer = 'https://idp.example';
const plain = (id: string) => encryptProvider(oidcProvider(id, `By ${id}`, issuer), createCipher(undefined));
const sealed = (id: string) => {
  const authentication = { method: 'client_secret_basic', secret: new Secret(secret) } as const;
  const provider = oidcProvider(id, `By ${id}`, issuer, { authentication });
  return encryptProvider(provider, createCipher(randomBytes(32)));
};
const without = (name: string, { [name]: _, ...rest }: ProviderRecord) => rest as ProviderRecord;

const damaged: readonly { name: string; record: ProviderRecord }[] = [
  { name: 'without its settings', record: without('oidc', plain('bare')) },
  { name: 'without rules', record: without('roleRules', plain('ruleless')) },
  { name: 'of a kind that nobody knows', record: { ...plain('unknown'), kind: 'kerberos' } },
  { name: 'of another kind than its settings', record: { ...plain('swapped'), kind: 'saml' } },
  { name: 'with a member more', record: { ...plain('more'), isTrusted: true } },
  { name: 'with text for a switch', record: { ...plain('switch'), enabled: 'yes' } },
  {
    name: 'with rules that are none',
    record: { ...plain('rules'), roleRules: { rules: 'groups=ops -> Admin' } },
  },
  {
    name: 'with a rule that gives what is no role',
    record: { ...plain('role'), roleRules: { rules: [{ attribute: 'groups', value: 'ops', role: 'none' }] } },
  },
  { name: 'whose secret was sealed by a key that is not here', record: sealed('sealed') },
];

let crafted: CraftedProvider;
let console: RunningConsole;
let admin: string;
let dataDir: string;
beforeAll(async () => {
  crafted = await startCraftedProvider();
  dataDir = await storeWithProviders(oidcProvider('whole', 'By whole', crafted.issuer, { clientId }));
  await put(...damaged.map(({ record }) => record));
  console = await startConsole({
    port: await freePort(),
    dataDir,
    env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  admin = await apiToken(console);
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => crafted.reset());

const put = (...records: readonly ProviderRecord[]) =>
  withStore(dataDir, ({ registry }) =>
    registry.update((transaction) => {
      for (const record of records) transaction.put('providers', record);
    }),
  );

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${console.url}/api/v1/identity-providers${path}`, {
    method,
    headers: { Authorization: `Bearer ${admin}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** @returns whether the one that is whole has let its person in */
async function wholeSignsIn(): Promise<boolean> {
  const agent = createUserAgent(console.url);
  const { searchParams } = new URL(await leave(agent, await agent.get('/login'), 'By whole'));
  crafted.nonce = searchParams.get('nonce')!;
  crafted.forgery = { claims: { groups: ['ops'] } };
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
  await agent.follow(await agent.get(`/login/callback/whole?${query}`));
  return textOf(await agent.get('/account')).includes('Signed in with By whole');
}

test('the one that is whole is offered alone, and lets its people in', async () => {
  const page = await createUserAgent(console.url).get('/login');
  expect([...page.body.matchAll(/\/login\/start\/([\w-]+)/g)].map(([, id]) => id)).toEqual(['whole']);
  expect(await wholeSignsIn()).toBe(true);
});

describe.each(damaged)('one $name', ({ record: { id } }) => {
  test('leads nowhere, and takes no answer and no logout (S45)', async () => {
    const agent = createUserAgent(console.url);
    for (const path of [`/login/start/${id}`, `/login/callback/${id}?code=code&state=${'s'.repeat(24)}`]) {
      expect([path, (await agent.get(path)).status]).toEqual([path, 404]);
    }
    for (const path of [`/login/callback/${id}`, `/login/backchannel/${id}`, `/login/saml/${id}/logout`]) {
      expect([path, (await agent.post(path, { state: 's', logout_token: 'x.y.z' })).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await agent.get(`/login/saml/${id}/metadata`)).status).toBe(404);
  });

  test('is told once in the log and in the list, by names of its fields and no value (S79)', async () => {
    const lines = console.log().filter(({ provider, level }) => provider === id && level === 'error');
    expect(lines).toHaveLength(1);
    const { status, body } = await call('GET', `/${id}`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id,
        readable: false,
        problem: expect.stringMatching(/\w/),
        kind: null,
        linkedUsers: 0,
      }),
    ]);
    expect(JSON.stringify([lines, body])).not.toContain(secret);
  });

  test('is not changed and not switched on, and can be switched off and removed', async () => {
    expect((await call('PATCH', `/${id}`, { name: 'Other' })).status).toBe(409);
    expect((await call('POST', `/${id}/enable`)).status).toBe(409);
    expect((await call('POST', `/${id}/disable`)).status).toBe(200);
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });
});

test('an account of one that becomes unusable is out while it is, with what was issued to it (S45)', async () => {
  const whole = encryptProvider(
    oidcProvider('later', 'By later', crafted.issuer, { clientId }),
    createCipher(undefined),
  );
  await put(whole);
  await copyUser(console, 'ada', 'member-of-later');
  const [agent, other] = [createUserAgent(console.url), createUserAgent(console.url)];
  const credentials = { username: 'member-of-later', password: 'correct-staple-battery-9' };
  const tokens = await signInForTokens(console, agent, {}, credentials);
  const local = await signInForTokens(console, other);
  // From here on the account is one of the provider.
  await editUser(console, 'member-of-later', (user) => ({
    ...user,
    federated: { provider: 'later', subject: 'someone' },
  }));
  const status = async () => (await userinfo(console, tokens.access_token)).status;
  expect([await status(), (await agent.get('/account')).status]).toEqual([200, 200]);
  await put(without('oidc', whole));
  await until(async () => (await status()) === 401, 'the end of its token');
  expect((await agent.get('/account')).status).toBe(303);
  expect((await userinfo(console, local.access_token)).status).toBe(200);
  expect((await call('DELETE', '/later')).status).toBe(409);
  expect((await call('DELETE', '/later?withAccounts=true')).status).toBe(200);
  expect((await userinfo(console, local.access_token)).status).toBe(200);
});

test('one that is mended is offered again, without a new start', async () => {
  const offers = async () =>
    (await createUserAgent(console.url).get('/login')).body.includes('/start/mended');
  await put(without('roleRules', plain('mended')));
  await console.waitFor(
    () => console.log().some(({ provider }) => provider === 'mended'),
    'its line in the log',
  );
  expect(await offers()).toBe(false);
  await putProviders(dataDir, oidcProvider('mended', 'By mended', issuer));
  await until(offers, 'the provider on the sign-in page');
  expect(await wholeSignsIn()).toBe(true);
});
