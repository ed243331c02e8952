/** A code or token that is read together with its grant and session: the same as each read by itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { ArtifactStore, Storage } from '../../../console/storage/storage.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

const startSeconds = 1_900_000_000;
const later = startSeconds + 60;
const grantId = 'the grant';
const uid = 'the session';

const user = {
  id: 'a0a0a0a0-0000-4000-8000-000000000001',
  username: 'ada',
  passwordHash: '',
  roles: [],
  disabled: false,
  createdAt: 0,
  tokensValidFrom: 0,
};

describe.skipIf(postgresPrograms === undefined)('what a token is bound to, where PostgreSQL is', () => {
  let postgres: Postgres;
  let storage: Storage;
  let artifacts: ArtifactStore;
  let schema: string;
  let seconds = startSeconds;
  beforeAll(async () => {
    postgres = await startPostgres();
    schema = await postgres.createDatabase();
    storage = await openPostgresStorage({
      url: postgres.url(schema),
      now: () => seconds * 1000,
      endsBy: () => seconds * 1000,
    });
    artifacts = storage.artifacts;
  }, 60_000);
  afterAll(async () => {
    await storage?.close();
    await postgres?.close();
  });
  beforeEach(async () => {
    seconds = startSeconds;
    await postgres.query(schema, 'truncate artifact');
  });

  const bound = () => artifacts.getBound!('RefreshToken', 'token');
  const putToken = (payload: Readonly<Record<string, unknown>> = {}) =>
    artifacts.put('RefreshToken', 'token', {
      payload: { sessionUid: uid, ...payload },
      expiresAt: later,
      grantId,
      accountId: 'ada',
    });
  const putSession = (id: string, expiresAt = later) =>
    artifacts.put('Session', id, { payload: { id }, expiresAt, uid, accountId: 'ada' });
  const putUse = (clientId: string) =>
    artifacts.put('SessionUse', clientId, {
      payload: { clientId },
      expiresAt: later,
      uid,
      accountId: 'ada',
    });
  const putGrant = () => artifacts.put('Grant', grantId, { payload: { openid: {} }, accountId: 'ada' });

  test('each part is what it is by itself, among others of other sessions and grants', async () => {
    await putSession('earlier');
    await putSession('newest');
    for (const clientId of ['z', 'a', 'm']) await putUse(clientId);
    await putGrant();
    await artifacts.put('Session', 'other', { payload: {}, uid: 'another', accountId: 'ada' });
    await artifacts.put('Grant', 'other', { payload: {}, grantId });
    await artifacts.put('AuthorizationCode', 'token', { payload: {}, grantId, uid });
    await putToken();
    await artifacts.consume('RefreshToken', 'token');
    expect(await bound()).toEqual({
      artifact: await artifacts.get('RefreshToken', 'token'),
      grant: await artifacts.get('Grant', grantId),
      session: {
        ...(await artifacts.findByUid('Session', uid)),
        uses: await artifacts.listByUid('SessionUse', uid),
      },
    });
    expect((await bound())?.session?.artifact.payload.id).toBe('newest');
    expect((await bound())?.artifact.consumedAt).toBe(startSeconds);
  });

  test('what is not there is absent, and without the token there is nothing', async () => {
    await putGrant();
    await putSession('one');
    expect(await bound()).toBeUndefined();
    await putToken();
    await artifacts.remove('Grant', grantId);
    expect(await bound()).toMatchObject({ grant: undefined, session: { uses: [] } });
    await artifacts.remove('Session', 'one');
    expect(await bound()).toMatchObject({ session: undefined });
    await artifacts.put('RefreshToken', 'token', { payload: { plain: true } });
    expect(await bound()).toEqual({ artifact: { payload: { plain: true } } });
  });

  test.each(['a\u0000b', '\ud800', '🦊'])(
    'any text in it, and as the name of its session (%#)',
    async (text) => {
      await artifacts.put('Session', 'one', { payload: {}, uid: text });
      await putToken({ nonce: text, sessionUid: text });
      const found = await bound();
      expect(found?.artifact.payload).toEqual({ nonce: text, sessionUid: text });
      expect(found?.session?.artifact.uid).toBe(text);
    },
  );

  test('what has expired is not there, and stays so when the clock is put back (D15)', async () => {
    await putSession('short', startSeconds + 10);
    await putToken();
    await putGrant();
    seconds += 10;
    expect(await bound()).toMatchObject({ session: undefined, grant: {} });
    seconds -= 10;
    expect(await bound()).toMatchObject({ session: undefined, grant: {} });
    seconds += 60;
    expect(await bound()).toBeUndefined();
    seconds -= 60;
    expect(await bound()).toBeUndefined();
  });

  test('one that an earlier version has put leads to its grant; the session is asked for by itself', async () => {
    await putSession('one');
    await putGrant();
    await putToken();
    await postgres.query(
      schema,
      `update artifact set owners = '{"grantId":"the grant","accountId":"ada"}' where kind = 'RefreshToken'`,
    );
    expect(await bound()).toMatchObject({ artifact: { grantId }, grant: {}, session: undefined });
  });

  test('an account that changes meanwhile is the new one afterwards', async () => {
    const { records } = storage;
    const named = (name: string) =>
      records.change(async (transaction) => transaction.put('users', { ...user, name }));
    await named('0');
    await artifacts.put('RefreshToken', 'token', { payload: {}, accountId: user.id });
    for (let n = 1; n <= 20; n++) {
      const reading = bound();
      const change = named(`${n}`);
      await Promise.all([reading, bound(), change.then(bound)]);
      expect((await records.get('users', user.id))?.name).toBe(`${n}`);
    }
  });
});
