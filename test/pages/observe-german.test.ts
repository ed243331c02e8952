/** The pages of Observe for whoever reads German: headings, empty states, questions, findings and search. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manyUsers } from '../bulk/support.ts';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personWith, sendForm } from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let decision: string;

beforeAll(async () => {
  console = await startConsole();
  ada = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await ada.signIn();
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  const token = await machineToken(console, 'app:MetricsViewer');
  const headers = { Authorization: `Bearer ${token}` };
  const refused = await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers });
  decision = ((await refused.json()) as { decision_id: string }).decision_id;
  await console.waitFor(() => console.log().some((line) => line.decisionId === decision), 'its entry');
}, 30_000);
afterAll(() => console?.stop());

test.each([
  ['/observe/traffic', 'Datenverkehr', 'Aufrufe an die Member durch diese Konsole'],
  ['/observe/traffic?client=nobody', 'Datenverkehr', 'Kein Aufruf passt zu diesem Filter.'],
  ['/observe/audit', 'Audit-Protokoll', 'Ergebnis Wer Woran Warum Wann'],
  ['/observe/audit?actor=nobody', 'Audit-Protokoll', 'Nichts passt zu diesem Filter.'],
  ['/observe/jobs', 'Jobs', 'In den letzten 30 Tagen wurde kein Job begonnen.'],
  ['/observe/health', 'Systemprüfung', 'Braucht Aufmerksamkeit'],
  ['/observe/search', 'Suche', 'Was Sie eingeben können'],
  ['/observe/search?q=nothing-is-called-so', 'Suche', 'Namen findet man mit ihrem Anfang.'],
])('%s is headed %s', async (href, title, text) => {
  const page = await ada.get(href);
  expect([page.status, titleOf(page)]).toEqual([200, title]);
  expect(textOf(page)).toContain(text);
});

test('what the health check finds, and what puts it right, is in German, and in English for programs', async () => {
  const page = await ada.get('/observe/health');
  expect(textOf(page)).toContain(
    'Signaturschlüssel und Secrets von Identitätsanbietern liegen unverschlüsselt im Speicher.',
  );
  expect(textOf(page)).toContain(
    'Setzen Sie CONSOLE_ENCRYPTION_KEY="$(openssl rand -base64 32)", bewahren Sie ihn anderswo auf',
  );
  expect(textOf(page)).toMatch(/Member 127\S+ Es nimmt Aufrufe an\./);
  expect(textOf(page)).toMatch(/Speicher [\d.]+ [MGT]iB sind frei\. Schlüssel \d signieren\./);
  expect(page.body).not.toContain('<span lang="en">');
  const { findings } = (await callApi(console, 'GET', '/health')) as { findings: { reason: string }[] };
  expect(findings.map(({ reason }) => reason)).toContain('It takes calls.');
});

test('a refusal is explained in German: why, how it would be now, and what opens it', async () => {
  const page = await ada.get(`/observe/decisions/${decision}`);
  expect(titleOf(page)).toBe(`Entscheidung ${decision}`);
  const text = textOf(page);
  expect(text).toContain('Dieser Aufruf braucht den Scope svc:data:read oder eine Rolle');
  expect(text).toMatch(
    /Derselbe Aufruf mit demselben Token, jetzt Er würde abgelehnt\. Der Aufruf braucht svc:data:read oder svc:map/,
  );
  expect(text).toMatch(/Verlauf .*Aufruf an ein Member Abgelehnt/);
});

test('a job says in German how far it is, and asks before it is stopped', async () => {
  const authorization = { Authorization: `Bearer ${await apiToken(console)}` };
  const headers = { ...authorization, 'Content-Type': 'application/octet-stream' };
  const url = `${console.url}/api/v1/imports?of=users&format=csv`;
  const response = await fetch(url, { method: 'POST', headers, body: manyUsers(100_000, 'many-') });
  const { id } = (await response.json()) as { id: string };
  expect(textOf(await ada.get(`/observe/jobs/${id}`))).toContain(
    'Nach einem Neustart Macht da weiter, wo er war',
  );
  const question = await ada.get(`/observe/jobs/${id}?do=stop`);
  expect(titleOf(question)).toBe('Abbrechen: Import von Benutzern');
  // What leaves the job as it is does not read like what stops it.
  expect(textOf(question)).toMatch(/fertig ist.* Zurück Job abbrechen/);
  const stopped = await ada.follow(await sendForm(ada, question, 'stop'));
  expect(textOf(stopped)).toContain('Er bricht ab, sobald der laufende Schritt fertig ist.');
}, 30_000);

describe('the search', () => {
  const found = async (text: string) => ada.get(`/observe/search?q=${encodeURIComponent(text)}`);

  test.each([
    ['billing rotieren', 'Secret von billing rotieren', '/access/clients/billing?do=rotate'],
    ['rotate billing', 'Secret von billing rotieren', '/access/clients/billing?do=rotate'],
    ['sitzungen von ada beenden', 'Alle Sitzungen von ada beenden', '/access/users/ada?do=end-sessions'],
    ['signaturschlüssel', 'Signaturschlüssel rotieren', '/settings/keys?do=rotate'],
    ['orders/a1', 'Eintrag a1 der Map orders', '/cluster/maps/orders/a1'],
  ])('finds what can be done by %s', async (typed, name, href) => {
    const page = await found(typed);
    expect(textOf(page)).toContain(name);
    expect(page.body).toContain(`href="${href}"`);
  });

  test.each([
    ['öffentliche adresse', 'CONSOLE_URL'],
    ['Oeffentliche Adresse', 'CONSOLE_URL'],
    ['Schlüssels', 'CONSOLE_TLS_KEY'],
    ['zertifikat', 'CONSOLE_TLS_CERT'],
    ['konfigurationsdateien', 'CONSOLE_CONFIG_DIR'],
    ['configuration files', 'CONSOLE_CONFIG_DIR'],
    ['console_config', 'CONSOLE_CONFIG_DIR'],
  ])('finds settings by %s', async (typed, id) => {
    expect((await found(typed)).body).toContain(`href="/settings#${id}"`);
  });

  test('shows what settings mean in German', async () => {
    expect(textOf(await found('console_url'))).toContain('Öffentliche Adresse, zugleich der Issuer');
  });

  test.each([
    ['benutzer', '/access/users'],
    ['users', '/access/users'],
    ['Einstellungen', '/settings'],
    ['Protokoll', '/observe/audit'],
    ['schluessel', '/settings/keys'],
    ['clients', '/access/clients'],
  ])('finds pages by %s', async (typed, href) => {
    expect((await found(typed)).body).toContain(`href="${href}"`);
  });

  test.each([
    ['den Cluster herunterfahren', '/cluster/operations?do=shut-down'],
    ['shut down the cluster', '/cluster/operations?do=shut-down'],
    ['schlüssel rotieren', '/settings/keys?do=rotate'],
    ['benutzer hinzufuegen', '/access/users?do=new'],
    ['passwort von ada zuruecksetzen', '/access/users/ada?do=reset-password'],
  ])('finds acts by %s', async (typed, href) => {
    expect((await found(typed)).body).toContain(`href="${href}"`);
  });

  test.each(['%00', '🔑', 'ß'.repeat(250), '<script>', 'der die das', 'مفتاح'])(
    'answers %j',
    async (typed) => {
      const page = await ada.get(`/observe/search?q=${encodeURIComponent(typed)}`);
      expect([page.status, page.body.includes('<script>alert')]).toEqual([200, false]);
    },
  );

  test('names kinds of things in German', async () => {
    expect(textOf(await found('billing'))).toMatch(/Maschinen-Clients billing/);
  });
});

test('who may not open the pages of a group is told so in German', async () => {
  const viewer = await personWith(console, 'metrics', ['MetricsViewer']);
  const reply = await viewer.get('/access', { 'accept-language': 'de' });
  expect([reply.status, titleOf(reply)]).toEqual([403, 'Problem: Das ist nicht erlaubt']);
  expect(textOf(reply)).toContain('Ihre Rollen öffnen keine dieser Seiten.');
});
