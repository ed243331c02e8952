/** The pages of the cluster for whoever reads German: headings, questions, empty states and what members say. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, sendForm } from '../helpers/management.ts';
import { freePort } from '../helpers/ports.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let member: string;

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  ada = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await ada.signIn();
  const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
  member = items[0]!.id;
}, 30_000);
afterAll(() => console?.stop());

const memberPage = () => `/cluster/members/${encodeURIComponent(member)}`;

test.each([
  ['/', 'Übersicht', 'Ein Member, Version'],
  ['/cluster/members', 'Member', 'Nimmt Aufrufe an Daten-Member'],
  ['/cluster/maps', 'Maps', 'Noch ist keine Map bekannt.'],
  ['/cluster/maps/orders', 'orders', 'Ihre Einträge findet man mit ihren Schlüsseln'],
  ['/cluster/maps/orders/none', 'none', 'Die Map hat keinen Eintrag mit diesem Schlüssel.'],
  ['/cluster/queues', 'Queues', 'Noch ist keine Queue bekannt.'],
  ['/cluster/queues/jobs', 'jobs', 'Jetzt sind 0 Elemente darin.'],
  ['/cluster/wan', 'WAN-Replikation', 'Noch ist kein Publisher bekannt.'],
  ['/cluster/wan/a/b', 'a/b', 'Nichts von hier aus'],
  ['/cluster/cp', 'CP-Subsystem', 'Verfügbar'],
  ['/cluster/cp?group=default', 'CP-Subsystem', 'Die Gruppe hat jetzt keine Sitzung.'],
  ['/cluster/operations', 'Betrieb', 'Was hier getan wird, trifft den ganzen Cluster.'],
])('%s is headed %s', async (href, title, text) => {
  const page = await ada.get(href);
  expect([page.status, titleOf(page)]).toEqual([200, title]);
  expect(textOf(page)).toContain(text);
});

test('a member is shown, and asked about, in German', async () => {
  expect(textOf(await ada.get(memberPage()))).toMatch(/CLUSTER_READ An/);
  const question = await ada.get(`${memberPage()}?do=shut-down`);
  expect(titleOf(question)).toBe(`${member} herunterfahren`);
  expect(textOf(question)).toContain('Kein anderes Member nimmt Aufrufe an');
  const refused = await sendForm(ada, await ada.get(memberPage()), 'drain');
  expect(textOf(refused)).toContain(`${member} ist das einzige Member, das Aufrufe annimmt`);
});

test.each([
  ['/cluster/maps/orders?do=clear', 'orders leeren', 'Jeder Eintrag der Map orders wird entfernt'],
  ['/cluster/queues/jobs?do=poll', 'Aus jobs entnehmen', 'Das erste Element der Queue jobs'],
  ['/cluster/queues/jobs?do=drain', 'Mehrere aus jobs entnehmen', 'In eine Datei entnehmen'],
  ['/cluster/wan?do=new', 'Publisher hinzufügen', 'Jedes Member sendet die Änderungen'],
  ['/cluster/wan/a/b?do=check', 'a/b vergleichen', 'Merkle-Bäume'],
  ['/cluster/cp?do=reset', 'CP-Subsystem zurücksetzen', 'Jede CP-Gruppe wird zerstört'],
  ['/cluster/operations?do=state', 'Zustand ändern', 'Der Zustand ist jetzt Aktiv.'],
  ['/cluster/operations?do=shut-down', 'Cluster herunterfahren', 'Jedes Member endet (jetzt 1)'],
])('%s asks in German: %s', async (href, title, text) => {
  const question = await ada.get(href);
  expect([question.status, titleOf(question)]).toEqual([200, title]);
  expect(textOf(question)).toContain(text);
});

test('what cannot be known without a member is said in German, with what to look at', async () => {
  const port = await freePort();
  const other = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${port}` } });
  try {
    const agent = createUserAgent(other.url, { headers: { 'accept-language': 'de' } });
    await agent.signIn();
    const page = await agent.get('/cluster/cp');
    expect(textOf(page)).toMatch(
      /Unbekannt Live Anhalten Das Member \S+ \(\w+\) ist nicht zu erreichen\. Sehen Sie/,
    );
    expect(textOf(await agent.get('/cluster/operations'))).toContain(
      'Kein Member, das Aufrufe annimmt, antwortet.',
    );
  } finally {
    await other.stop();
  }
});

test('what was stored, taken and refused is said in German', async () => {
  const entry = '/cluster/maps/orders/a';
  const fields = { value: '1,5', encoding: 'text', type: 'text/plain' };
  const stored = await sendForm(ada, await ada.get(entry), 'put', fields);
  expect(textOf(stored)).toMatch(/Gespeichert\..* Größe 3 Bytes/);
  const broken = { ...fields, type: 'application/json' };
  expect(textOf(await sendForm(ada, stored, 'put', broken))).toContain('Das ist kein JSON');
  const queue = '/cluster/queues/jobs';
  const offered = await ada.follow(await sendForm(ada, await ada.get(queue), 'offer', fields));
  expect(textOf(offered)).toMatch(/Jetzt ist 1 Element darin\. Eingereiht/);
  const taken = await sendForm(ada, await ada.get(`${queue}?do=poll`), 'poll');
  expect(textOf(taken)).toContain('Das entnommene Element');
  const csrf = hiddenIn(taken, 'csrf')!;
  const nobody = { csrf, do: 'remove-group', id: 'nobody', typed_name: 'nobody' };
  expect(textOf(await ada.post('/cluster/cp', nobody))).toContain('Eine solche CP-Gruppe gibt es nicht.');
});
