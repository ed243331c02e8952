/** The pages of Access in German, as a browser that asks for it sees them; what operations and programs get stays as it is. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../../views/texts/text.ts';
import type { TextForm } from '../../views/texts/text-form.ts';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personPassword, personWith, sendForm } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let dataDir: string;
const places: Record<string, string> = {};

beforeAll(async () => {
  dataDir = await usedDataDir();
  console = await startConsole({ dataDir });
  await callApi(console, 'POST', '/roles', { id: 'Keeper', permissions: ['svc:map:orders:read'] });
  await personWith(console, 'grace', ['Viewer', 'Keeper']);
  await callApi(console, 'PATCH', '/users/grace', { displayName: 'Grace' });
  await callApi(console, 'POST', '/users', {
    id: 'linus',
    password: personPassword,
    roles: [],
    eligibleRoles: ['Viewer'],
  });
  await callApi(console, 'POST', '/clients', {
    id: 'billing',
    scopes: ['svc:map:orders:read', 'svc:queue:jobs:offer', 'svc:cluster:read', 'api:users:read'],
  });
  await callApi(console, 'POST', '/applications', {
    id: 'wiki',
    redirectUris: ['https://wiki.example.com/callback'],
    maxRoles: ['Viewer'],
  });
  await callApi(console, 'POST', '/identity-providers', {
    id: 'corp',
    kind: 'ldap',
    enabled: false,
    url: 'ldaps://127.0.0.1:1',
    bindDn: 'cn=reader',
    bindPassword: 'secret-0123456789',
    baseDn: 'dc=example',
    roleRules: ['memberOf=cn=ops -> Admin'],
  });
  // Only people ask for approval: what a program makes is made before it is needed.
  await console.stop();
  console = await startConsole({ dataDir, env: { CONSOLE_APPROVALS_REQUIRE: 'updateRole' } });
  ada = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await ada.signIn();
  const sessions = (await callApi(console, 'GET', '/sessions?user=grace')) as {
    readonly items: readonly { readonly id: string }[];
  };
  places.session = `/access/sessions/${sessions.items[0]!.id}`;
  const change = { description: 'Liest', maps: 'orders', 'map:read': 'on' };
  const asked = await sendForm(ada, await ada.get('/access/roles/Keeper'), 'save', change);
  places.approval = new URL(asked.headers.location!, console.url).pathname;
});
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sentences of English pages that are others in German. */
const english = Object.entries<TextForm>(languages.en.texts).flatMap(([key, form]) => {
  const german = languages.de.texts[key as keyof typeof languages.de.texts];
  const isSame = JSON.stringify(form) === JSON.stringify(german);
  const forms = typeof form === 'string' ? [form] : Object.values(form);
  return isSame ? [] : forms.filter((text) => / .* /.test(text) && !text.includes('{'));
});

function expectGerman(page: Reply, ...texts: readonly string[]): void {
  expect(page.body).toContain('<html lang="de"');
  for (const text of texts) expect(textOf(page)).toContain(text);
  expect(english.filter((text) => textOf(page).includes(text))).toEqual([]);
}

function entryIn(href: string): string {
  return new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1]).get('entry') ?? '';
}

describe('a list', () => {
  test.each([
    ['/access/users', 'Benutzer', 'Benutzer einladen', 'Anmeldung über'],
    ['/access/roles', 'Rollen', 'Rolle hinzufügen', 'Darf Map „orders“ lesen. Sonst nichts.'],
    [
      '/access/clients',
      'Maschinen-Clients',
      'Maschinen-Client hinzufügen',
      'Darf Map „orders“ und den Zustand des Clusters lesen, in Queue „jobs“ einreihen und hat api:users:read. Sonst nichts.',
    ],
    ['/access/applications', 'Anwendungen', 'Anwendung hinzufügen', 'Rollen, die sie bekommt'],
    ['/access/identity-providers', 'Identitätsanbieter', 'Identitätsanbieter hinzufügen', 'LDAP-Verzeichnis'],
    ['/access/sessions', 'Sitzungen', 'Filtern', 'Zuletzt gesehen'],
    ['/access/effective', 'Effektiver Zugriff', 'Nach einem Aufruf fragen', 'Cluster lesen'],
    ['/access/approvals', 'Freigaben', 'Rolle Keeper ändern', 'Wartet'],
  ])('%s has heading, act and sentences in German', async (path, title, ...texts) => {
    const page = await ada.get(path);
    expect(titleOf(page)).toBe(title);
    expectGerman(page, ...texts);
  });

  test('says a choice of its filter in German, and finds by what the operation calls it', async () => {
    const page = await ada.get('/access/users?status=disabled');
    expect(page.body).toMatch(/<option value="disabled" selected>Deaktiviert</);
    expectGerman(page, 'Nichts passt zu diesem Filter.');
  });
});

describe('the page of one', () => {
  test.each([
    ['/access/users/grace', 'Hat die Rollen Viewer, Keeper.', 'Deaktivieren', 'Alles im Audit-Protokoll'],
    ['/access/roles/Keeper', 'Wer sie hat', 'Kopieren', 'Gesundheit der Member'],
    ['/access/roles/Viewer', 'Eingebaut: Sie bleibt, wie sie ist', 'Liest Angaben zum Cluster'],
    ['/access/clients/billing', 'Ausprobieren', 'In 30 Tagen genutzt', 'Erlaubt, aber ungenutzt: '],
    [
      '/access/applications/wiki',
      'sie erfährt, ob die Person die Rolle Viewer hat.',
      '0 offene Sitzungen',
      'Secret rotieren',
    ],
    ['/access/identity-providers/corp', 'Rollen kommen aus einer Regel', 'Aktivieren', 'Bind-Passwort'],
    ['session', 'Sitzung von grace', 'Sitzung beenden', 'Läuft ab'],
    ['approval', 'Rolle Keeper ändern', 'Zurückziehen', 'Sie haben sie angefragt'],
    ['/account/elevation', 'Rolle übernehmen', 'Ihr Konto'],
  ])('%s is German', async (path, ...texts) => {
    expectGerman(await ada.get(places[path] ?? path), ...texts);
  });

  test.each([
    ['/access/users?do=new', 'Die Person wird eingeladen'],
    ['/access/roles?do=new', 'Alle Maps und Queues'],
    ['/access/clients?do=new', 'Auf der nächsten Seite stehen sein Secret'],
    ['/access/applications?do=new&for=browser', 'Seite in einem Browser'],
    ['/access/identity-providers?do=new&for=saml', 'Er darf Anmeldungen nicht selbst beginnen'],
    ['/access/identity-providers?do=new&for=ad', '(uid={username})), wo nichts angegeben ist.'],
  ])('%s, which adds one, is German', async (path, text) => {
    expectGerman(await ada.get(path), text, 'optional');
  });
});

describe('what asks before an act', () => {
  test.each([
    ['/access/users/grace?do=end-everything', 'Alles von grace beenden', 'Alle Sitzungen enden'],
    ['/access/users/grace?do=remove', 'grace entfernen', 'Benutzer entfernen'],
    ['/access/roles/Keeper?do=remove', 'Keeper entfernen', 'Sie wird einem Benutzer genommen, sofort.'],
    ['/access/clients/billing?do=rotate', 'Secret von billing rotieren', 'Endet in einer Stunde'],
    ['/access/clients/billing?do=narrow', 'Zugriff von billing einschränken', 'Verloren gehen svc:map'],
    ['/access/applications/wiki?do=remove', 'wiki entfernen', 'wiki meldet niemanden mehr an'],
    ['/access/identity-providers/corp?do=enable', 'corp aktivieren', 'Identitätsanbieter aktivieren'],
    ['session?do=end', 'Diese Sitzung von grace beenden', 'Keine Anwendung wurde mit ihr geöffnet.'],
    ['approval?do=reject', 'Zurückziehen: Rolle Keeper ändern', 'Niemand kann sie mehr freigeben.'],
    [
      '/access/effective?do=open&client=billing&method=POST&path=/svc/rest/maps/orders/1',
      'Für billing öffnen',
      'billing darf auch svc:map:orders:write anfordern: das Geringste, was POST /svc/rest/maps/orders/1 öffnet.',
    ],
  ])('%s says in German what it hits', async (path, title, text) => {
    const [named = '', query] = path.split('?');
    const page = await ada.get(`${places[named] ?? named}?${query}`);
    expect(titleOf(page)).toBe(title);
    expectGerman(page, text, 'Zurück ');
    expect(textOf(page)).not.toContain('Abbrechen');
  });
});

test('a change is put back by a question in German, and waits by a German name', async () => {
  const page = await ada.get('/access/users/grace');
  const [, href = ''] = /href="([^"]*do=put-back[^"]*)"/.exec(page.body) ?? [];
  const question = await ada.get(href.replaceAll('&amp;', '&'));
  expect(titleOf(question)).toBe('Änderung an grace rückgängig machen');
  expectGerman(question, 'displayName: von Grace zurück auf –.', 'application-client geändert');
  const done = await ada.follow(await sendForm(ada, question, 'put-back', { entry: entryIn(href) }));
  expect(titleOf(done)).toBe('Benutzer grace ändern');
  expectGerman(done, 'Noch ist nichts geändert: Ein zweiter Administrator muss es freigeben.');
});

test('a role is taken for a while in German', async () => {
  const linus = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await linus.signIn({ username: 'linus', password: personPassword });
  const question = await linus.get('/account/elevation');
  expect(titleOf(question)).toBe('Rolle auf Zeit übernehmen');
  expectGerman(question, '15 Minuten', 'Rolle, Dauer und Grund stehen im Audit-Protokoll');
  const fields = { role: 'Viewer', minutes: '15', reason: 'Ticket 4711' };
  const taken = await linus.follow(await sendForm(linus, question, 'take', fields));
  expectGerman(taken, 'Sie haben die Rolle Viewer', 'Die Rolle gehört vorerst Ihnen.', 'Endet');
});

describe('what operations say', () => {
  test('of a call is said in German, and by the API in English', async () => {
    const query = 'client=billing&method=POST&path=/svc/rest/maps/orders/1';
    expectGerman(
      await ada.get(`/access/effective?${query}`),
      'billing darf nicht',
      'Der Aufruf braucht svc:data:write oder svc:map:<name>:write, und nichts, was der Aufrufer hat, schließt es ein.',
    );
    const explained = await callApi(console, 'GET', `/access/explain?${query}`);
    expect(JSON.stringify(explained)).toContain('The call needs svc:data:write');
  });

  test('of a client that is tried, and of a provider', async () => {
    const tried = await sendForm(ada, await ada.get('/access/clients/billing'), 'try');
    expectGerman(tried, 'Was sein Token enthielte und öffnete', 'und der Aufrufer hat es.');
    const dry = await sendForm(ada, await ada.get('/access/identity-providers/corp'), 'test');
    expectGerman(dry, 'Verbindung', 'Fehlgeschlagen', 'ob dieser Rechner sie erreicht.');
    expectGerman(dry, 'an 127.0.0.1:1 antwortet niemand (ECONNREFUSED)');
  });

  test('of what was typed', async () => {
    const user = await ada.get('/access/users?do=new');
    const refused = await sendForm(ada, user, 'new', { id: 'a b', email: 'x' });
    expect([refused.status, titleOf(refused)]).toEqual([400, 'Problem: Benutzer einladen']);
    expectGerman(refused, 'Es wurde nichts gespeichert.', 'Keine E-Mail-Adresse.');
    const role = await ada.get('/access/roles?do=new');
    const taken = await sendForm(ada, role, 'new', { id: 'Keeper', maps: 'orders', 'map:read': 'on' });
    expectGerman(taken, 'Die Rolle Keeper gibt es schon.');
  });

  test('of what is done: a role that is made in German is made of the same scopes', async () => {
    const form = await ada.get('/access/roles?do=new');
    const fields = { maps: 'orders', 'map:write': 'on', queues: 'jobs', 'queue:size': 'on' };
    const ways = await sendForm(ada, form, 'new', { id: 'Schreiber', show: 'ways', ...fields });
    expectGerman(ways, 'Dasselbe als Befehl', 'svc:map:orders:write svc:queue:jobs:size');
    const added = await ada.follow(await sendForm(ada, form, 'new', { id: 'Schreiber', ...fields }));
    expectGerman(
      added,
      'Die Rolle ist hinzugefügt.',
      'Darf Map „orders“ schreiben und die Größe von Queue „jobs“ lesen.',
    );
    expect(await callApi(console, 'GET', '/roles/Schreiber')).toMatchObject({
      permissions: ['svc:map:orders:write', 'svc:queue:jobs:size'],
    });
  });
});
