import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import {
  type Answer,
  confirm,
  type RelyingParty,
  register,
  signInTo,
  startRelyingParty,
} from '../helpers/relying-party.ts';
import { copyUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';

interface Logout {
  readonly endedAt: string;
  readonly user: string | null;
  readonly client: string;
  readonly state: string;
  readonly tries: number;
  readonly lastError: string | null;
  readonly nextTryAt: string | null;
}

let dataDir: string;
let console: RunningConsole;

beforeAll(async () => {
  dataDir = await usedDataDir();
  console = await startConsole({ dataDir });
});
afterAll(async () => {
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const logouts = async (...user: string[]) =>
  (await toolDone(['session', 'logouts', ...user, '--json'], { dataDir })).json<Logout[]>();
const patience = 60_000;

async function partyOf(id: string, answer: Answer): Promise<RelyingParty> {
  const party = await startRelyingParty(id, { answer });
  onTestFinished(() => void party.close());
  await register(console, party);
  return party;
}

async function personOf(username: string) {
  await copyUser(console, admin.username, username);
  return { ...admin, username };
}

/** Signs in at each. @returns the browser */
async function open(person: typeof admin, ...parties: RelyingParty[]): Promise<UserAgent> {
  const agent = createUserAgent(console.url);
  for (const party of parties) await signInTo(console, agent, party, person);
  return agent;
}

async function signOut(agent: UserAgent): Promise<void> {
  await agent.submit(await agent.get('/connect/logout'));
}

test('each application of an ended session: confirmed, told, gave up with the last error; newest first', async () => {
  const person = await personOf('grace');
  const good = await partyOf('good', confirm);
  const broken = await partyOf('broken', (res) => res.writeHead(500).end());
  await signOut(await open(person, good));
  await until(async () => (await logouts('grace'))[0]?.state === 'confirmed', 'the first', patience);
  await signOut(await open(person, good, broken));
  const latest = async (id: string) => (await logouts('grace')).find(({ client }) => client === id);
  await until(async () => (await latest('broken'))?.state === 'told', 'the first try', patience);
  const reported = await latest('broken');
  expect(reported).toMatchObject({ user: 'grace', lastError: 'status_500' });
  expect(Date.parse(reported!.nextTryAt!)).toBeGreaterThan(Date.parse(reported!.endedAt));

  await until(async () => (await latest('broken'))?.state === 'gave_up', 'the last try', patience);
  const all = await logouts('grace');
  const asRows = all.map(({ client, state, tries, lastError, nextTryAt }) => [
    client,
    state,
    tries,
    lastError,
    nextTryAt,
  ]);
  expect(asRows).toEqual([
    ['broken', 'gave_up', 3, 'status_500', null],
    ['good', 'confirmed', 1, null, null],
    ['good', 'confirmed', 1, null, null],
  ]);
  expect(Date.parse(all[1]!.endedAt)).toBeGreaterThan(Date.parse(all[2]!.endedAt));
  const token = await apiToken(console);
  const page = async (query: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${console.url}/api/v1/sessions/logouts?user=grace&limit=2${query}`, {
      headers,
    });
    return (await reply.json()) as { items: Logout[]; next: string | null };
  };
  const first = await page('');
  const second = await page(`&cursor=${encodeURIComponent(first.next!)}`);
  expect([[...first.items, ...second.items], second.next]).toEqual([all, null]);
  const { stdout } = await toolDone(['session', 'logouts'], { dataDir });
  expect(stdout).toMatch(/^ENDED +USER +APPLICATION +STATE +TRIES +LAST ERROR$/m);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ +grace +broken +gave up +3 +status_500$/m);
}, 180_000);

test('what ends while the console is down waits for it', async () => {
  const person = await personOf('linus');
  const party = await partyOf('patient', confirm);
  await open(person, party);
  await console.stop();
  const sessions = await toolDone(['session', 'list', 'linus', '--json'], { dataDir });
  await toolDone(['session', 'end', sessions.json<{ id: string }[]>()[0]!.id], { dataDir });
  expect(await logouts('linus')).toMatchObject([{ client: 'patient', state: 'waiting', tries: 0 }]);
  expect(party.posted).toEqual([]);
  console = await startConsole({ dataDir });
  await until(async () => (await logouts('linus'))[0]?.state === 'confirmed', 'the notice', patience);
  expect(party.posted).toHaveLength(1);
}, 120_000);

test('who ends another session on the account page sees what its applications make of it', async () => {
  const person = await personOf('barbara');
  const good = await partyOf('helpful', confirm);
  const mute = await partyOf('mute', () => {});
  await open(person, good, mute);
  const here = createUserAgent(console.url);
  const home = await here.signIn(person);
  const page = await here.submit(home, {}, { action: '/account/sessions' });
  expect(page.status).toBe(200);
  expect(textOf(page)).toMatch(/The session has ended\. .*The ended session/);
  const list = /aria-label="Applications of this session">(.*?)<\/ul>/s.exec(page.body)![1]!;
  expect(textOf({ ...page, body: list })).toMatch(/^ *helpful Signed out *mute .*Waiting *$/);
  expect(textOf(await here.get('/account'))).not.toContain('The ended session');
});

test('nothing to list is said in words', async () => {
  await personOf('nobody');
  const { stdout } = await toolDone(['session', 'logouts', 'nobody'], { dataDir });
  expect(stdout).toBe('No application was told of an ended session within a day.\n');
});

test('an application shows how many sessions are open at it, and what became of its last logout', async () => {
  const person = await personOf('edsger');
  const party = await partyOf('counted', confirm);
  const token = await apiToken(console);
  const shown = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const res = await fetch(`${console.url}/api/v1/applications/counted`, { headers });
    return (await res.json()) as { openSessions: object; lastLogout: object | null };
  };
  expect(await shown()).toMatchObject({ openSessions: { value: 0, isExact: true }, lastLogout: null });
  const first = await open(person, party);
  await open(person, party);
  expect(await shown()).toMatchObject({ openSessions: { value: 2, isExact: true }, lastLogout: null });
  await signOut(first);
  await until(async () => (await shown()).lastLogout !== null, 'the logout', patience);
  expect(await shown()).toMatchObject({
    openSessions: { value: 1, isExact: true },
    lastLogout: { state: 'confirmed', tries: 1, lastError: null },
  });
  const headers = { authorization: `Bearer ${token}` };
  const list = await fetch(`${console.url}/api/v1/applications?q=counted`, { headers });
  expect(((await list.json()) as { items: object[] }).items).toMatchObject([
    { id: 'counted', openSessions: { value: 1, isExact: true }, lastLogout: { state: 'confirmed' } },
  ]);
});

test('of sessions that a version before has written nobody says that they are all counted', async () => {
  const former = await usedDataDir();
  onTestFinished(() => rmSync(former, { recursive: true, force: true }));
  await withStore(former, ({ artifacts }) => {
    const [uid, clientId, startedAt] = ['before', 'wiki', Math.floor(Date.now() / 1000)];
    const expiresAt = startedAt + 3_600;
    return artifacts.put('SessionUse', `${uid} ${clientId}`, {
      payload: { uid, clientId, startedAt },
      expiresAt,
      uid,
    });
  });
  const upgraded = await startConsole({ dataDir: former });
  onTestFinished(async () => void (await upgraded.stop()));
  const headers = { authorization: `Bearer ${await apiToken(upgraded)}`, 'content-type': 'application/json' };
  const applications = `${upgraded.url}/api/v1/applications`;
  const body = JSON.stringify({ id: 'wiki', redirectUris: ['https://wiki.example.com/callback'] });
  expect((await fetch(applications, { method: 'POST', headers, body })).status).toBe(201);
  const shown = (await (await fetch(`${applications}/wiki`, { headers })).json()) as { openSessions: object };
  expect(shown.openSessions).toEqual({ value: 0, isExact: false });
});
