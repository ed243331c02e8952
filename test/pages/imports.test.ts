/** The page of an import: how many lines came in, and why the others did not, in the language of the reader. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, type RunningConsole } from '../helpers/console.ts';
import { startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const german = { 'accept-language': 'de' };

/** @returns the address of its page, once it is over */
async function imported(query: string, body: string): Promise<string> {
  const response = await fetch(`${console.url}/api/v1/imports?${query}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await apiToken(console)}`,
      'Content-Type': 'application/octet-stream',
      Prefer: 'wait=30',
    },
    body,
  });
  const { id } = (await response.json()) as { id: string };
  return `/observe/jobs/${id}`;
}

const users = [
  'username,email,roles,passwordHash',
  'fine,fine@example.com,Viewer,',
  'nobody,,Nothing,',
  'ada,,,',
  '.dot,,,',
  'post,no address,,',
  'weak,,,{MD5}X03MO1qnZdYdgyfeuILPmQ==',
  'fine,,,',
  'short',
].join('\n');

test('of users says which lines were left out, and why', async () => {
  const page = await imported('of=users&format=csv&continue=true', users);
  const english = textOf(await ada.get(page));
  expect(english).toContain('Added 1 There already 0 Left out 7');
  for (const line of [
    'Line 3 There is no role "Nothing".',
    'Line 4 There is a user "ada" already.',
    'Line 5 The username ".dot" cannot be taken: A user name has 1 to 64 letters',
    'Line 6 "no address" is not an e-mail address.',
    'Line 7 Its password hash is too weak: {MD5} is a fast digest or none.',
    'Line 8 Its name stands in line 2 already, or looks like the one there.',
    'Line 9 It has 1 columns, and line 1 names 4.',
  ])
    expect(english).toContain(line);
  const reply = await ada.get(page, german);
  const text = textOf(reply);
  expect(text).toContain('Hinzugefügt 1 Schon vorhanden 0 Weggelassen 7');
  for (const line of [
    'Zeile 3 Es gibt keine Rolle "Nothing".',
    'Zeile 4 Es gibt schon einen Benutzer "ada".',
    'Zeile 5 Der Benutzername ".dot" kann nicht angenommen werden: Ein Benutzername hat',
    'Zeile 6 "no address" ist keine E-Mail-Adresse.',
    'Zeile 7 Der Passwort-Hash ist zu schwach: {MD5} ist ein schneller Digest oder keiner.',
    'Zeile 8 Der Name steht schon in Zeile 2, oder er sieht aus wie der dort.',
    'Zeile 9 Die Zeile hat 1 Spalten, und Zeile 1 nennt 4.',
  ])
    expect(text).toContain(line);
  expect(/<section[^>]*id="left-out".*?<\/section>/s.exec(reply.body)![0]).not.toContain('lang="en"');
});

test('of clients does so too, and a check says what would come in', async () => {
  const clients = [
    JSON.stringify({ id: 'good', scopes: ['svc:health:read'] }),
    '{',
    JSON.stringify({ id: 'odd', colour: 'red' }),
    JSON.stringify({ id: 'twice', secret: 'x'.repeat(40), secrets: [] }),
  ].join('\n');
  const page = await imported('of=clients&format=jsonl&continue=true&onlyCheck=true', clients);
  expect(textOf(await ada.get(page))).toContain('Would be added 1 There already 0 Left out 3');
  const text = textOf(await ada.get(page, german));
  expect(text).toContain('Würden hinzugefügt 1');
  for (const line of [
    'Zeile 2 Die Zeile ist',
    'Zeile 3 Es gibt kein Feld "colour"; es gibt id, name',
    'Zeile 4 secret und secrets',
  ])
    expect(text).toContain(line);
});

test.each([
  {
    what: 'a wrong line',
    body: 'username,roles\nx,Nothing\n',
    english: 'Line 2: there is no role "Nothing". Nothing was written.',
    said: 'Zeile 2: Es gibt keine Rolle "Nothing". Es wurde nichts geschrieben.',
  },
  {
    what: 'a column that there is not',
    body: 'username,colour\nx,red\n',
    english: 'Line 1: there is no column "colour". Columns are id, username',
    said: 'Zeile 1: Es gibt keine Spalte "colour". Spalten sind id, username',
  },
  {
    what: 'no columns at all',
    body: '',
    english: 'The file has no line with the names of its columns. Nothing was written.',
    said: 'Die Datei hat keine Zeile mit den Namen ihrer Spalten. Es wurde nichts geschrieben.',
  },
])('that has failed says why in German: $what', async ({ body, english, said }) => {
  const page = await imported('of=users&format=csv', body);
  expect(textOf(await ada.get(page))).toContain(english);
  const reply = await ada.get(page, german);
  expect(textOf(reply)).toContain(said);
});
