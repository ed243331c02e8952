/** An account with ten thousand sessions: what is done with one of them costs what it costs with one. */
import { beforeEach, expect, test } from 'vitest';
import { createSessions } from '../../console/accounts/sessions.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ArtifactStore } from '../../console/storage/storage.ts';

const many = Number(process.env.MANY_SESSIONS ?? 2_000);
const nowMs = 1_800_000_000_000;
const seconds = nowMs / 1000;
let artifacts: ArtifactStore;
/** Artifacts that were handed out, however they were asked for. */
let given: number;

beforeEach(() => {
  const plain = createMemoryStorage({ now: () => nowMs }).artifacts;
  const counted =
    <A extends unknown[], R>(read: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const found = await read(...args);
      const all = found instanceof Map ? [...found.values()] : [found];
      given += all.flat().filter((one) => one !== undefined).length;
      return found;
    };
  artifacts = {
    ...plain,
    get: counted(plain.get),
    findByUid: counted(plain.findByUid),
    findByKey: counted(plain.findByKey),
    findByUids: counted(plain.findByUids),
    listByUid: counted(plain.listByUid),
    listByUids: counted(plain.listByUids),
    listByAccount: counted(plain.listByAccount),
    list: counted(plain.list),
  };
  given = 0;
});

function sessionsOf(ended: string[] = []) {
  return createSessions({
    artifacts,
    validSinceOf: async (ids) => new Map(ids.map((id) => [id, 0])),
    now: () => nowMs,
    idleSeconds: 1_800,
    maxSeconds: 43_200,
    revokeTokens: async () => {},
    onEnded: async ({ uid }) => void ended.push(uid),
  });
}

async function signIn(sessions: ReturnType<typeof sessionsOf>, accountId: string, uid: string) {
  await artifacts.put('Session', `cookie ${uid}`, {
    payload: { loginTs: seconds },
    uid,
    accountId,
    expiresAt: seconds + 1_800,
  });
  for (const clientId of ['wiki', 'shop']) {
    await sessions.record({ uid, accountId, clientId, startedAt: seconds, grantId: `${uid} ${clientId}` });
  }
}

/** What a sign-in, a refresh, a look and an end read. */
async function readsOf(accountId: string, uid: string): Promise<number> {
  const sessions = sessionsOf();
  await signIn(sessions, accountId, uid);
  given = 0;
  await sessions.record({ uid, accountId, clientId: 'third', startedAt: seconds });
  expect(await sessions.applicationsOf({ uid, accountId })).toHaveLength(3);
  await sessions.touch(uid);
  expect((await sessions.end(uid))?.applications).toHaveLength(3);
  return given;
}

test('one of many costs as much as one of one (C5)', async () => {
  const alone = await readsOf('eve', 'only');
  const sessions = sessionsOf();
  for (let n = 0; n < many; n++) await signIn(sessions, 'ada', `session ${n}`);
  expect(await readsOf('ada', 'one more')).toBe(alone);
}, 120_000);

test('all of them end, page by page, but for the one that is kept', async () => {
  const ended: string[] = [];
  const sessions = sessionsOf(ended);
  for (let n = 0; n < 350; n++) await signIn(sessions, 'ada', `session ${n}`);
  await signIn(sessions, 'eve', 'of eve');
  await sessions.endAllOf('ada', 'session 7');
  expect(new Set(ended).size).toBe(349);
  expect(ended).toHaveLength(349);
  expect((await sessions.listOf('ada')).map(({ uid }) => uid)).toEqual(['session 7']);
  expect(await sessions.listOf('eve')).toHaveLength(1);
});

test('what a version of before has noted is found for as long as it lasts', async () => {
  const uid = 'from before';
  await artifacts.put('Session', 'cookie', {
    payload: { loginTs: seconds },
    uid,
    accountId: 'ada',
    expiresAt: seconds + 1_800,
  });
  // Without the session by which it is found now.
  await artifacts.put('SessionUse', `${uid} wiki`, {
    payload: { uid, clientId: 'wiki', grantId: 'g', startedAt: seconds, since: seconds },
    accountId: 'ada',
    expiresAt: seconds + 43_200,
  });
  await sessionsOf().record({ uid, accountId: 'ada', clientId: 'shop', startedAt: seconds });
  // After another start too.
  const applications = await sessionsOf().applicationsOf({ uid, accountId: 'ada' });
  expect(applications.map(({ clientId }) => clientId).sort()).toEqual(['shop', 'wiki']);
  expect((await sessionsOf().end(uid))?.applications).toHaveLength(2);
  expect(await artifacts.list('SessionUse', 10)).toEqual([]);
});
