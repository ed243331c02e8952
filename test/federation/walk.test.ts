/** The pieces together: an authorization state, a connector, an account. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { createUsers } from '../../console/accounts/users.ts';
import { createAccountRecords } from '../../console/accounts/voiding.ts';
import { createLink } from '../../console/federation/account-linking.ts';
import { createAuthorizationStates } from '../../console/federation/authorization-state.ts';
import type { CallbackReply } from '../../console/federation/connector.ts';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import { parseRoleRule } from '../../console/federation/role-rules.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import {
  callbackUrl,
  errorOf,
  loopbackOutbound,
  type RunningProvider,
  signInAt,
  startProvider,
} from './support.ts';

let provider: RunningProvider;
beforeAll(async () => {
  const scope = 'openid email profile groups';
  const client = {
    client_id: 'console',
    redirect_uris: [callbackUrl],
    token_endpoint_auth_method: 'none',
    scope,
  };
  provider = await startProvider({ clients: [client] });
});
afterAll(() => provider?.close());

const now = Date.now;
const newSecret = () => randomBytes(32).toString('base64url');
const storage = createMemoryStorage();
const { artifacts, registry } = storage;
const records = createAccountRecords({ records: storage.records, endSessionsOf: async () => {}, now });
const states = createAuthorizationStates({ artifacts, newId: newSecret, now });
const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
const link = createLink({ records, passwords, newId: randomUUID, newSecret, now });
const users = createUsers({ records, registry, passwords, newId: randomUUID, now });
const corp = {
  id: 'corp',
  roleRules: { rules: [parseRoleRule('groups=cn=admins,dc=example -> Admin')] },
};

test('a sign-in leads to an account once, in the browser that began it, at the provider it went to (S43)', async () => {
  const connector = createOidcConnector({
    config: {
      issuer: provider.issuer,
      clientId: 'console',
      authentication: { method: 'none' },
      scopes: ['email', 'profile', 'groups'],
      claims: ['groups'],
    },
    outbound: loopbackOutbound(),
    now,
  });
  await users.add({ username: 'operator', password: 'eight grey herons', roles: ['Admin'] });
  await registry.update((transaction) => transaction.put('providers', { id: 'corp', enabled: true }));
  const id = states.newId();
  const { location, secrets } = await connector.begin({
    stateId: id,
    callbackUrl,
    reauthenticate: false,
  });
  await states.open({ id, providerId: 'corp', browser: 'mine', secrets });
  const reply = await signInAt(provider, location);
  const finish = async (browser: string, providerId: string, from: CallbackReply = reply) => {
    const state = await states.take({ id: from.parameters.get('state'), providerId, browser });
    return link(corp, await connector.finish(from, state.secrets));
  };

  expect(await errorOf(finish('another', 'corp'))).toMatchObject({ status: 400 });
  expect(await errorOf(finish('mine', 'other'))).toMatchObject({ status: 400 });
  expect(await users.count()).toBe(1);
  expect(await finish('mine', 'corp')).toMatchObject({
    username: 'ada',
    email: 'ada@corp.example',
    roles: ['Admin'],
    federated: { provider: 'corp', subject: 'ada' },
  });
  expect(await errorOf(finish('mine', 'corp'))).toMatchObject({ status: 400 });
  expect(await users.count()).toBe(2);
});
