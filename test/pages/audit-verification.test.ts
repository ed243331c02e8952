/** `/observe/audit`: when its chain was verified last, how far, and with what outcome; verified by a form. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedEntries } from '../helpers/audit.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  sendForm,
} from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/observe/audit';
let dataDir: string;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'console-verify-'));
  await start();
}, 30_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  console = await startConsole({ dataDir });
  ada = await signedIn();
}

async function signedIn(headers: Readonly<Record<string, string>> = {}): Promise<UserAgent> {
  const agent = createUserAgent(console.url, { headers });
  await agent.signIn();
  return agent;
}

interface Verification {
  readonly verifiedAt: string | null;
  readonly verifiedBy: string | null;
  readonly isGood: boolean | null;
  readonly isSigned: boolean | null;
  readonly entries: number | null;
  readonly writers: readonly {
    readonly verdict: string;
    readonly lastSeq: number;
    readonly entries: number;
  }[];
}
const last = () => callApi(console, 'GET', '/audit/verification') as Promise<Verification>;
const partOf = ({ body }: Reply) =>
  /<section class="part" id="verification".*?<\/section>/s.exec(body)?.[0] ?? '';
const shown = (page: Reply) => textOf({ ...page, body: partOf(page) });

/** @returns the page, when the job is over */
async function verified(): Promise<Reply> {
  const before = (await last()).verifiedAt;
  await sendForm(ada, await ada.get(href), 'verify');
  await until(async () => (await last()).verifiedAt !== before, 'the verification');
  return ada.get(href);
}

test('before the first time it says so; then how far, by whom, and that it is as it was written', async () => {
  expect(shown(await ada.get(href))).toContain('Never verified.');
  expect(await last()).toMatchObject({ verifiedAt: null, isGood: null, writers: [] });
  const page = await verified();
  expect(shown(page)).toMatch(/Intact ?\. Verified .* entries\. Up to entry \w+-\d+/);
  const { isGood, isSigned, entries, writers, verifiedBy } = await last();
  expect([isGood, isSigned]).toEqual([true, true]);
  expect(entries).toBeGreaterThan(2);
  expect(entries).toBe(writers.reduce((sum, one) => sum + one.entries, 0));
  const me = (await callApi(console, 'GET', '/users/ada')) as { subject?: string; id: string };
  expect([me.id, me.subject]).toContain(verifiedBy);
  const entry = /href="(\/observe\/audit\/[^"]+)"/.exec(partOf(page))![1]!;
  expect((await ada.get(entry)).status).toBe(200);
  const events = () => storedEntries(dataDir).map(({ event }) => event);
  await until(async () => events().includes('audit.verified'), 'its entry');
  expect(events()).toContain('audit.verification_started');
});

test('in German', async () => {
  const german = await signedIn({ 'accept-language': 'de' });
  expect(shown(await german.get(href))).toMatch(/Prüfung Prüfen Unverändert ?\. Geprüft .* Einträge/);
});

/** How many were begun. */
const jobsOf = async () =>
  ((await callApi(console, 'GET', '/jobs?kind=verify-audit')) as { items: { id: string }[] }).items.length;

test('the same form sent twice begins one', async () => {
  const before = await jobsOf();
  const page = await ada.get(href);
  for (const _time of [1, 2]) expect((await sendForm(ada, page, 'verify')).status).toBe(303);
  expect(await jobsOf()).toBe(before + 1);
});

test.each(foreignForms)('is not begun by a form $name (S31)', async ({ fields, headers }) => {
  const before = await jobsOf();
  const csrf = hiddenIn(await ada.get(href), 'csrf')!;
  expect((await ada.post(href, { csrf, do: 'verify', ...fields }, headers)).status).toBe(403);
  expect(await jobsOf()).toBe(before);
});

test('is for administrators alone', async () => {
  await personWith(console, 'viewer', ['Viewer']);
  const viewer = createUserAgent(console.url);
  await viewer.signIn({ username: 'viewer', password: personPassword });
  const csrf = hiddenIn(await viewer.get('/account'), 'csrf')!;
  const key = '0123456789abcdef0123456789abcdef';
  expect((await viewer.post(href, { csrf, do: 'verify', idempotencyKey: key })).status).toBe(403);
});

test('holds over a restart; what was changed in the files is found, said and remembered', async () => {
  await verified();
  const before = await last();
  await console.stop();
  const folder = join(dataDir, 'audit');
  for (const writer of await readdir(folder, { recursive: true })) {
    const path = join(folder, writer);
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.includes('"user.added"')) await writeFile(path, text.replace('"user.added"', '"user.adder"'));
  }
  await start();
  expect(await last()).toEqual(before);
  const page = await verified();
  expect((await last()).isGood).toBe(false);
  expect(shown(page)).toMatch(/Altered .*Changed \d+/);
}, 30_000);
