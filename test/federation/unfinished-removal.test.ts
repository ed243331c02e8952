/** What a process that ended has left of the accounts of a provider is done before the next console takes a call. */
import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { UserRecord } from '../../console/storage/records.ts';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { withStore } from '../helpers/store.ts';

const accountOf = (provider: string, number: number): UserRecord => ({
  id: `${provider}-${number}`,
  username: `${provider}-${number}`,
  roles: ['Viewer'],
  passwordHash: '',
  disabled: false,
  federated: { provider, subject: `${number}` },
  createdAt: 0,
  tokensValidFrom: 0,
});

test('accounts of a provider that was going go, and those of one that was switched are out (S34)', async () => {
  const issuer = 'https://idp.example';
  const dataDir = await storeWithProviders(
    oidcProvider('going', 'Going', issuer),
    oidcProvider('off', 'Off', issuer),
    oidcProvider('kept', 'Kept', issuer),
  );
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await withStore(dataDir, async ({ registry, records, artifacts }) => {
    await registry.update((transaction) => {
      for (const [id, sweep] of [
        ['going', 'remove'],
        ['off', 'void'],
      ] as const) {
        const accountsValidFrom = Date.now();
        const record = transaction.get('providers', id)!;
        transaction.put('providers', { ...record, enabled: false, sweep, accountsValidFrom });
      }
    });
    await records.change(async (transaction) => {
      for (let number = 0; number < 130; number++) transaction.put('users', accountOf('going', number));
      for (const id of ['off', 'kept']) transaction.put('users', accountOf(id, 1));
    });
    for (const id of ['off', 'kept']) {
      const session = { payload: { loginTs: 1 }, accountId: `${id}-1`, uid: id };
      await artifacts.put('Session', id, { ...session, expiresAt: Math.floor(Date.now() / 1000) + 600 });
    }
  });

  const console = await startConsole({ dataDir });
  onTestFinished(async () => void (await console.stop()));
  const users = (await toolDone(['user', 'list', '--json'], { dataDir })).json<{ id: string }[]>();
  expect(users.map(({ id }) => id)).toEqual(['ada', 'kept-1', 'off-1']);
  const headers = { Authorization: `Bearer ${await apiToken(console)}` };
  const listed = await (await fetch(`${console.url}/api/v1/identity-providers`, { headers })).json();
  expect(listed.items).toMatchObject([
    { id: 'kept', enabled: true, linkedUsers: 1 },
    { id: 'off', enabled: false, linkedUsers: 1 },
  ]);
  expect(await console.stop()).toBe(0);
  await withStore(dataDir, async ({ registry, artifacts }) => {
    expect(registry.get('providers', 'off')).not.toHaveProperty('sweep');
    const open = async (id: string) => (await artifacts.listByAccount('Session', `${id}-1`)).length;
    expect([await open('off'), await open('kept')]).toEqual([0, 1]);
  });
});
