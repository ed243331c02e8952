/** Files of CONSOLE_CONFIG_DIR on pages: the finding leads to what is wrong with them, with the file and the reason. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

const right = 'version: 1\nsource: platform-team\nroles:\n  Clerk: { permissions: [svc:health:read] }\n';
const place = 'href="/settings#configuration"';
let directory: string;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'configuration-'));
  await writeFile(join(directory, 'a.yaml'), right);
  ({ console, ada } = await startWithAdmin({ env: { CONSOLE_CONFIG_DIR: directory } }));
});
afterAll(async () => {
  await console?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function becomes(file: string, says: RegExp): Promise<void> {
  await writeFile(join(directory, 'a.yaml'), file);
  const isSo = async () =>
    says.test(JSON.stringify(await callApi(console, 'GET', '/configuration/directory')));
  await until(isSo, String(says), 15_000);
  await callApi(console, 'POST', '/health/run', {});
}

test('those in force are said to be so, and no finding leads anywhere', async () => {
  const page = textOf(await ada.get('/settings'));
  expect(page).toContain(`Files of configuration`);
  expect(page).toContain(`Directory ${directory} State In force Read last`);
  expect((await ada.get('/observe/health')).body).not.toContain(place);
});

test.each([
  {
    what: 'no YAML',
    file: 'version: 1\nroles: [',
    says: /not YAML at line 2/,
    english: /What is wrong \S*a\.yaml is not YAML at line 2 \(/,
    german: /Was falsch ist \S*a\.yaml ist kein YAML: Zeile 2 \(/,
  },
  {
    what: 'no source',
    file: 'version: 1\nroles: {}\n',
    says: /is wrong: Not as it should be/,
    english: /What is wrong \S*a\.yaml is wrong: Not as it should be: source \(/,
    german: /Was falsch ist \S*a\.yaml ist fehlerhaft: Nicht so, wie es sein soll: source \(/,
  },
  {
    what: 'a permission that there is not',
    file: right.replace('svc:health:read', 'svc:nothing'),
    says: /roles\/Clerk/,
    english: /What is wrong in platform-team roles\/Clerk: /,
    german: /Was in platform-team falsch ist roles\/Clerk: /,
  },
])('of one that is refused the finding leads to the file and the reason: $what', async (given) => {
  await becomes(given.file, given.says);
  for (const path of ['/observe/health', '/']) expect((await ada.get(path)).body).toContain(place);
  const settings = await ada.get('/settings');
  expect(settings.body).toContain('<section class="part" id="configuration"');
  expect(textOf(settings)).toMatch(/State Refused .*What was in force stays\./);
  expect(textOf(settings)).toMatch(given.english);
  const german = await ada.get('/settings', { 'accept-language': 'de' });
  expect(textOf(german)).toMatch(/Zustand Abgelehnt .*Was in Kraft war, bleibt\./);
  expect(textOf(german)).toMatch(given.german);
  await becomes(right, /"state":"applied","at"/);
  expect(textOf(await ada.get('/settings'))).not.toContain('What is wrong');
});

test('whoever may not see what is wrong is led nowhere, and told nothing of it', async () => {
  await becomes('version: 1\nroles: [', /not YAML/);
  const viewer = await personWith(console, 'viewer', ['Viewer']);
  await callApi(console, 'POST', '/roles', {
    id: 'SettingsReader',
    permissions: ['api:settings:read', 'api:health:read'],
  });
  const reader = await personWith(console, 'reader', ['SettingsReader']);
  for (const agent of [viewer, reader]) {
    const health = await agent.get('/observe/health');
    expect([health.status, textOf(health).includes('are refused')]).toEqual([200, true]);
    expect(health.body).not.toContain(place);
  }
  const settings = await reader.get('/settings');
  expect([settings.status, settings.body.includes('id="configuration"')]).toEqual([200, false]);
  await becomes(right, /"state":"applied","at"/);
});
