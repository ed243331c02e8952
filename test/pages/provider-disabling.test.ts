/** An identity provider is disabled from its page: at once where that hits nobody, and never so that nobody administers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CraftedProvider, clientId, startCraftedProvider } from '../federation/crafted-provider.ts';
import { signInAt } from '../federation/crafted-sign-in.ts';
import { admin, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, sendForm, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';

let folder: string;
let clock: string;
let crafted: CraftedProvider;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clock-'));
  clock = join(folder, 'seconds');
  await writeFile(clock, '0');
  const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  crafted = await startCraftedProvider();
  const env = {
    CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
    TEST_CLOCK_FILE: clock,
    NODE_OPTIONS: `--import ${movable}`,
  };
  ({ console, ada } = await startWithAdmin({ env }));
  for (const id of ['corp', 'unused']) {
    await callApi(console, 'POST', '/identity-providers', {
      ...{ id, kind: 'oidc', name: id, issuer: crafted.issuer, clientId },
      ...{ clientSecret: 'marmot-0123456789-abcdefghij', roleRules: ['groups=ops -> Admin'] },
    });
  }
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
  await rm(folder, { recursive: true, force: true });
});

const pageOf = (id: string) => `/access/identity-providers/${id}`;
const isEnabled = async (id: string) =>
  ((await callApi(console, 'GET', `/identity-providers/${id}`)) as { enabled: boolean }).enabled;

test('whoever signed in long ago is asked for the password first, and for nothing else (RFC 9470)', async () => {
  const page = await ada.get(pageOf('unused'));
  await writeFile(clock, '301');
  try {
    const asked = await sendForm(ada, page, 'disable');
    expect([asked.status, asked.body.includes('name="current_password"')]).toEqual([200, true]);
    expect(textOf(asked)).not.toContain('is not right');
    expect(await isEnabled('unused')).toBe(true);
    const wrong = await sendForm(ada, asked, 'disable', { current_password: 'not-the-password' });
    expect([wrong.status, await isEnabled('unused')]).toEqual([400, true]);
    const done = await sendForm(ada, asked, 'disable', { current_password: admin.password });
    expect(textOf(await ada.follow(done))).toContain('Disabled: nobody can sign in by it.');
    expect(await isEnabled('unused')).toBe(false);
  } finally {
    await writeFile(clock, '0');
  }
});

test('the page of the question has no button where every administrator comes from there', async () => {
  const eva = createUserAgent(console.url);
  await signInAt(crafted, eva, 'corp', { sub: 'eva', groups: ['ops'] });
  const question = await eva.get(`${pageOf('corp')}?do=disable`);
  expect(textOf(question)).toContain('You sign in by it yourself: this session ends, too.');
  expect(textOf(question)).not.toContain('Every administrator signs in by it');
  await callApi(console, 'PATCH', `/users/${admin.username}`, { roles: ['Viewer'] });
  const stopped = await eva.get(`${pageOf('corp')}?do=disable`);
  expect(textOf(stopped)).toContain(
    'Every administrator signs in by it: without it nobody could administer the console.',
  );
  expect(stopped.body).not.toContain('value="disable"');
  expect(stopped.body).toContain(`href="${pageOf('corp')}"`);
  const german = await eva.get(`${pageOf('corp')}?do=disable`, { 'accept-language': 'de' });
  expect(textOf(german)).toContain('Alle Administratoren melden sich darüber an');
  // Sent all the same, it is refused by the operation.
  const csrf = hiddenIn(question, 'csrf')!;
  const refused = await eva.post(pageOf('corp'), { csrf, do: 'disable', users: '1' });
  expect([refused.status, textOf(refused).includes('This is the last administrator.')]).toEqual([400, true]);
  expect(await isEnabled('corp')).toBe(true);
  await callApi(console, 'PATCH', `/users/${admin.username}`, { roles: ['Admin'] });
});

test('whoever puts back that it was enabled reads whom that hits', async () => {
  await callApi(console, 'POST', '/identity-providers/corp/disable');
  await callApi(console, 'POST', '/identity-providers/corp/enable');
  // The change of roles has ended the session.
  const again = createUserAgent(console.url);
  await again.signIn();
  const [href = ''] = /[^"]*do=put-back[^"]*/.exec((await again.get(pageOf('corp'))).body) ?? [];
  const question = textOf(await again.get(href.replaceAll('&amp;', '&')));
  expect(question).toContain('It hits one user: their sessions and tokens end at once');
  expect(await isEnabled('corp')).toBe(true);
});
