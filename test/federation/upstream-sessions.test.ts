/** Sessions of upstream providers as the store holds them, and how a provider's logout finds them. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUpstreamSessions, type UpstreamSession } from '../../console/federation/upstream-sessions.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';

const later = Math.floor(Date.now() / 1000) + 600;
const ada: UpstreamSession = {
  uid: 'ada-1',
  accountId: 'account-of-ada',
  providerId: 'corp',
  subject: 'ada@corp.example',
  session: { id: 'session-7', hint: 'an ID token' },
};
const uidsOf = (found: readonly UpstreamSession[]) => found.map(({ uid }) => uid).sort();

function newStore(cipher = createCipher(randomBytes(32))) {
  const { artifacts } = createMemoryStorage();
  return { artifacts, upstream: createUpstreamSessions({ artifacts, cipher }) };
}

test('a session is found by its uid, by the provider’s session id and by the subject there', async () => {
  const { upstream } = newStore();
  await upstream.record(ada, later);
  await upstream.record({ ...ada, uid: 'ada-2', session: { id: 'session-8' } }, later);
  await upstream.record({ ...ada, uid: 'ada-3', session: {} }, later);
  await upstream.record({ ...ada, uid: 'other', providerId: 'other' }, later);

  expect(await upstream.of('ada-1')).toEqual(ada);
  expect(await upstream.of('local')).toBeUndefined();
  expect(uidsOf(await upstream.find('corp', { id: 'session-7' }))).toEqual(['ada-1']);
  expect(uidsOf(await upstream.find('corp', { subject: ada.subject }))).toEqual(['ada-1', 'ada-2', 'ada-3']);
  expect(uidsOf(await upstream.find('corp', { id: 'session-8', subject: ada.subject }))).toEqual([
    'ada-2',
    'ada-3',
  ]);
  expect(await upstream.find('corp', { id: 'session-8', subject: 'eve' })).toEqual([]);
  expect(await upstream.find('corp', {})).toEqual([]);
});

test('one session of the provider may have begun several here', async () => {
  const { upstream } = newStore();
  await upstream.record(ada, later);
  await upstream.record({ ...ada, uid: 'ada-2' }, later);
  expect(uidsOf(await upstream.find('corp', { id: 'session-7' }))).toEqual(['ada-1', 'ada-2']);
});

test('what is forgotten or noted anew is not found by what it was', async () => {
  const { upstream } = newStore();
  await upstream.record(ada, later);
  await upstream.record({ ...ada, subject: 'eve', session: {} }, later);
  expect(await upstream.find('corp', { id: 'session-7' })).toEqual([]);
  expect(await upstream.find('corp', { subject: ada.subject })).toEqual([]);
  expect(uidsOf(await upstream.find('corp', { subject: 'eve' }))).toEqual(['ada-1']);
  await upstream.forget('ada-1');
  expect(await upstream.of('ada-1')).toBeUndefined();
  expect(await upstream.find('corp', { subject: 'eve' })).toEqual([]);
});

test('the store shows neither the subject nor the hint (S79)', async () => {
  const { artifacts, upstream } = newStore();
  await upstream.record(ada, later);
  const stored = JSON.stringify([
    await artifacts.list('UpstreamSession', 9),
    await artifacts.list('UpstreamSessionId', 9),
  ]);
  for (const secret of [ada.subject, 'an ID token', 'session-7']) expect(stored).not.toContain(secret);
});
