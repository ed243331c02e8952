/** A provider whose signing certificate ends before long: in the health check, on its page, in the list, in either language. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSelfSigned } from '../../platform/certificates/self-signed.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personWith } from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';

const dayMs = 24 * 3600 * 1000;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  console = await startConsole();
  ada = createUserAgent(console.url);
  await ada.signIn();
  await addProvider('nine', [9.25]);
  await addProvider('next', [9.25, 400]);
  await addProvider('later', [31]);
  await addProvider('last', [1.25]);
  await addProvider('over', [-0.5]);
  await addProvider('off', [9.25], false);
}, 60_000);
afterAll(() => console?.stop());

/** @param days  until the ends of its certificates */
async function addProvider(id: string, days: readonly number[], enabled = true): Promise<void> {
  const pairs = await Promise.all(
    days.map((each) =>
      newSelfSigned(`${id} for ${each} days`, { randomBytes, now: Date.now, lifeMs: each * dayMs }),
    ),
  );
  const keys = pairs.map(
    ({ certificate }) =>
      `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate.replace(/-----.*?-----|\s/g, '')}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
  );
  const metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://${id}.example/saml"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://${id}.example/sign-on"/></IDPSSODescriptor></EntityDescriptor>`;
  const provider = { id, kind: 'saml', name: `Provider ${id}`, metadata, defaultRole: 'Viewer', enabled };
  await callApi(console, 'POST', '/identity-providers', provider);
}

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly reason: string;
  readonly fix: string | null;
}

test('the health check warns of each enabled one all of whose certificates end within 30 days', async () => {
  const { findings } = (await callApi(console, 'POST', '/health/run')) as { findings: readonly Finding[] };
  const of = findings.filter(({ check }) => check.startsWith('identity provider '));
  const next = 'Once the provider signs with another one, nobody can sign in until that one is pinned.';
  expect(of.map(({ check, state, reason }) => [check, state, reason]).sort()).toEqual([
    ['identity provider last', 'warning', `Its signing certificate ends in 1 day. ${next}`],
    ['identity provider nine', 'warning', `Its signing certificate ends in 9 days. ${next}`],
    [
      'identity provider over',
      'warning',
      'Its signing certificate has ended. It counts as long as it is pinned; nobody can sign in once the provider signs with another one.',
    ],
  ]);
  expect(of.find(({ check }) => check.endsWith('nine'))).toMatchObject({
    fix: 'Have its new metadata read, from their address or from a file.',
    command: 'npx console idp update nine --metadata-url URL',
    operation: 'updateIdentityProvider',
  });
});

test('the overview says so and leads to the provider', async () => {
  const page = await ada.get('/');
  expect(textOf(page)).toContain('Identity provider nine Its signing certificate ends in 9 days.');
  expect(page.body).toContain('href="/access/identity-providers/nine#edit"');
  expect(textOf(page)).toContain('Have its metadata read : Identity provider nine');
  expect(page.body).not.toContain('npx console');
  const viewer = await personWith(console, 'viewer', ['Viewer']);
  const shown = await viewer.get('/');
  expect(shown.body, 'who may not change it').toContain('href="/access/identity-providers/nine"');
  expect(textOf(shown)).not.toContain('Have its metadata read :');
  // A line each: what puts it right is where the link leads.
  expect(page.body).toContain('<ul class="rows boxed lines">');
});

test('the list and the page of a provider say when its certificate ends', async () => {
  const list = textOf(await ada.get('/access/identity-providers'));
  expect(list).toMatch(
    /Provider nine \S+ SAML 2.0 Metadata read (?:now|\d+ sec ago) Enabled Certificate ends in 9 days /,
  );
  expect(list).toMatch(
    /Provider over \S+ SAML 2.0 Metadata read (?:now|\d+ sec ago) Enabled Certificate ended 12 hr ago /,
  );
  for (const fine of ['next', 'later'])
    expect(list).toMatch(new RegExp(`Provider ${fine} \\S+ SAML 2.0 Metadata read \\S+.{0,9} Enabled - 0`));
  expect(list).toMatch(/Provider off \S+ SAML 2.0 Metadata read (?:now|\d+ sec ago) Disabled - 0 /);
  const page = textOf(await ada.get('/access/identity-providers/next'));
  expect(page).toMatch(
    /next for 9\.25 days ?, issued .{2,10} ago ?, ends in 9 days .*next for 400 days ?, issued .{2,10} ago ?, ends in 13 mo/,
  );
  expect(textOf(await ada.get('/access/identity-providers/over'))).toMatch(
    /days ?, issued .{2,10} ago ?, ended 12 hr ago/,
  );
});

test('all of it in German', async () => {
  const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await german.signIn();
  const health = await german.get('/observe/health');
  expect(textOf(health)).toContain(
    'Identitätsanbieter nine Das Zertifikat, mit dem er signiert, endet in 9 Tagen.',
  );
  expect(textOf(health)).toContain('endet in 1 Tag.');
  expect(textOf(health)).toContain('Das Zertifikat, mit dem er signiert, ist abgelaufen.');
  expect(textOf(health)).toContain(
    'Lassen Sie seine neuen Metadaten lesen, von ihrer Adresse oder aus einer Datei. Metadaten lesen lassen',
  );
  expect(textOf(await german.get('/access/identity-providers'))).toContain('Zertifikat endet in 9 Tagen');
});
