/** `/access/identity-providers` in a browser without script: presets, dry runs, role rules, and what comes of a sign-in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CraftedProvider, clientId, startCraftedProvider } from '../federation/crafted-provider.ts';
import { signInAt } from '../federation/crafted-sign-in.ts';
import { missingOpenssl, newKeyPair } from '../federation/saml-provider.ts';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const secret = 'marmot-0123456789-abcdefghij';
const base = '/access/identity-providers';

let crafted: CraftedProvider;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  crafted = await startCraftedProvider();
  ({ console, ada } = await startWithAdmin({ env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } }));
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
});

async function add(id: string, fields: Record<string, string> = {}, preset = 'keycloak'): Promise<Reply> {
  const form = await ada.get(`${base}?do=new&for=${preset}`);
  const given = { issuer: crafted.issuer, clientId, clientSecret: secret, roleRules: 'groups=ops -> Admin' };
  return sendForm(ada, form, 'new', {
    id,
    for: preset,
    idempotencyKey: hiddenIn(form, 'idempotencyKey')!,
    ...given,
    ...fields,
  });
}

async function change(id: string, fields: Record<string, string>, page?: Reply): Promise<Reply> {
  const read = page ?? (await ada.get(`${base}/${id}`));
  return sendForm(ada, read, 'save', { version: hiddenIn(read, 'version')!, ...fields });
}

async function confirmed(path: string, name: string, fields: Record<string, string> = {}): Promise<Reply> {
  const question = await ada.get(`${path}?do=${name}`);
  return sendForm(ada, question, name, fields);
}

const values = (clientSecret = '') => ({
  name: 'Keycloak',
  issuer: crafted.issuer,
  clientId,
  clientSecret,
  roleRules: 'groups=ops -> Admin',
  defaultRole: '',
  position: '',
  clientAuth: 'basic',
  clientKey: '',
  clientKeyId: '',
  scopes: 'email profile',
  idTokenAlg: 'RS256',
});

describe('an identity provider', () => {
  test('is added by a preset, disabled and tried at once, and its secret is on no page', async () => {
    const form = await ada.get(`${base}?do=new`);
    expect(titleOf(form)).toBe('Add identity provider');
    expect(form.body).toContain(`${console.url}/login/callback/keycloak`);
    const added = await add('corp', { name: 'Corp' });
    expect(added.status).toBe(200);
    expect(textOf(added)).toContain('Dry run');
    expect(textOf(added)).toContain(`${console.url}/login/callback/corp`);
    expect(textOf(added)).toContain('Disabled');
    expect(added.body).toContain('id="trial"');
    for (const page of [added, await ada.get(base), await ada.get(`${base}/corp`)])
      expect(page.body).not.toContain(secret);
    expect((await createUserAgent(console.url).get('/login')).body).not.toContain('/login/start/corp');
    const shown = await callApi(console, 'GET', '/identity-providers/corp');
    expect(shown).toMatchObject({ enabled: false, name: 'Corp', roleRules: ['groups=ops -> Admin'] });
  });

  test('is enabled after a question, and then shows who came, when, and why somebody did not', async () => {
    const enabled = await ada.follow(await confirmed(`${base}/corp`, 'enable'));
    expect(textOf(enabled)).toContain('Enabled: people can sign in by it.');
    await signInAt(crafted, createUserAgent(console.url), 'corp', { sub: 'eva', groups: ['ops'] });
    await signInAt(crafted, createUserAgent(console.url), 'corp', { sub: 'mallory', groups: [] });
    const page = await ada.get(`${base}/corp`);
    expect(page.body).toContain('href="/access/users?provider=corp">1</a>');
    expect(textOf(page)).toContain('no rule of this console gives you a role');
    const list = await ada.get(`${base}?q=corp&kind=oidc&enabled=true`);
    expect(list.body).toContain('href="/access/identity-providers/corp"');
    expect(textOf(list)).toContain('no rule of this console gives you a role');
    expect(textOf(await ada.get(`${base}?kind=saml`))).toContain('Nothing matches this filter. Kind: SAML');
    expect((await ada.get('/access/users?provider=corp')).body).toContain('/access/users/');
  });

  test.skipIf(missingOpenssl())('says in the list that its certificate ends soon', async () => {
    const lines = newKeyPair().certificate.split('\n');
    const certificate = lines.filter((line) => !line.startsWith('-')).join('');
    const metadata = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://ends.example">
      <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
      <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
      <ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
      <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://ends.example/sso"/>
      </md:IDPSSODescriptor></md:EntityDescriptor>`;
    await callApi(console, 'POST', '/identity-providers', {
      id: 'ends',
      kind: 'saml',
      name: 'Ends',
      defaultRole: 'Viewer',
      metadata,
    });
    expect(textOf(await ada.get(`${base}?q=ends`))).toMatch(/Enabled Certificate ends in (2 days|48 hr)/);
    expect(textOf(await ada.get(`${base}?q=corp`))).not.toContain('Certificate');
  });

  test('keeps its secret and all that is not typed anew; order and rules are changed', async () => {
    await add('edited', { name: 'Keycloak' });
    const saved = await ada.follow(
      await change('edited', { ...values(), position: '2', roleRules: 'a=1 -> Viewer\n\n b=2 -> Admin ' }),
    );
    expect(textOf(saved)).toContain('Saved');
    expect(await callApi(console, 'GET', '/identity-providers/edited')).toMatchObject({
      position: 2,
      roleRules: ['a=1 -> Viewer', 'b=2 -> Admin'],
      settings: { clientAuthentication: 'client_secret_basic', scopes: ['openid', 'email', 'profile'] },
    });
    const same = { ...values(), position: '2', roleRules: 'a=1 -> Viewer\nb=2 -> Admin' };
    expect(textOf(await ada.follow(await change('edited', same)))).toContain('Nothing was different.');
    const emptied = await ada.follow(await change('edited', { ...same, position: '', name: '' }));
    expect(textOf(emptied)).toContain('Behind all that have one');
  });

  test('says by command what is typed, with no secret in it', async () => {
    const page = await ada.get(`${base}/edited`);
    const typed = { ...values(secret), name: 'New', roleRules: 'x=1 -> Viewer' };
    const ways = await change('edited', { ...typed, show: 'ways' }, page);
    expect(textOf(ways)).toContain('npx console idp update edited --name New');
    expect(ways.body).not.toContain(secret);
    const first = await add('never', { show: 'ways' });
    expect(textOf(first)).toContain('npx console idp add never --kind oidc --disabled');
    expect(first.body).not.toContain(secret);
    expect((await ada.get(`${base}/never`)).status).toBe(404);
  });

  test('that somebody else has changed is not written over', async () => {
    const stale = await ada.get(`${base}/edited`);
    await callApi(console, 'PATCH', '/identity-providers/edited', { name: 'Meanwhile' });
    const late = await change('edited', { ...values(), name: 'Late' }, stale);
    expect([late.status, textOf(late).includes('This has changed meanwhile')]).toEqual([400, true]);
    expect(textOf(late)).toContain('Stored now: Meanwhile');
    expect(late.body).toContain('value="Late"');
  });

  test('by whom nobody has come is disabled at once, and enabled again by Undo', async () => {
    await add('unused', { name: 'Unused' });
    await callApi(console, 'POST', '/identity-providers/unused/enable', {});
    const enabledNow = async () =>
      ((await callApi(console, 'GET', '/identity-providers/unused')) as { enabled: boolean }).enabled;
    const disabled = await ada.follow(await sendForm(ada, await ada.get(`${base}/unused`), 'disable'));
    expect(textOf(disabled)).toContain('Disabled: nobody can sign in by it. Undo');
    expect(await enabledNow()).toBe(false);
    const back = await ada.follow(await sendForm(ada, disabled, 'enable'));
    expect(textOf(back)).toContain('Enabled: people can sign in by it. Undo');
    expect(await enabledNow()).toBe(true);
    const events = console.log().filter(({ event }) => event === 'idp.disabled' || event === 'idp.enabled');
    expect(events.slice(-2).map(({ event, via }) => [event, via])).toEqual([
      ['idp.disabled', 'page'],
      ['idp.enabled', 'page'],
    ]);
  });

  test('by whom somebody has come asks first: whom it hits, and that number alone', async () => {
    const page = await ada.get(`${base}/corp`);
    expect(page.body).toContain(`href="${base}/corp?do=disable"`);
    const csrf = hiddenIn(page, 'csrf')!;
    const isEnabled = async () =>
      ((await callApi(console, 'GET', '/identity-providers/corp')) as { enabled: boolean }).enabled;
    // Not by the button of another page, nor with another number.
    for (const fields of [{}, { users: '0' }, { users: '7' }]) {
      const asked = await ada.post(`${base}/corp`, { csrf, do: 'disable', ...fields });
      expect([asked.status, textOf(asked).includes('It hits one user')]).toEqual([200, true]);
    }
    expect(await isEnabled()).toBe(true);
    const question = await ada.get(`${base}/corp?do=disable`);
    expect(textOf(question)).not.toContain('You sign in by it yourself');
    const done = await ada.follow(await sendForm(ada, question, 'disable', { users: '1' }));
    expect(textOf(done)).toContain('Disabled: all sessions of its users have ended. Undo');
    expect(await isEnabled()).toBe(false);
    await callApi(console, 'POST', '/identity-providers/corp/enable', {});
  });

  test('is removed with its users after its id is typed', async () => {
    const question = await ada.get(`${base}/corp?do=remove`);
    expect(textOf(question)).toContain('One user from there is removed');
    const wrong = await sendForm(ada, question, 'remove', { typed_name: 'cor', withAccounts: 'true' });
    expect(wrong.status).toBe(400);
    const done = await ada.follow(
      await sendForm(ada, question, 'remove', { typed_name: 'corp', withAccounts: 'true' }),
    );
    expect(textOf(done)).toContain('The identity provider is removed.');
    expect((await ada.get(`${base}/corp`)).status).toBe(404);
    expect((await ada.get('/access/users?provider=corp')).body).not.toContain('href="/access/users/eva');
  });

  test('whose users came after the question was asked is not removed with them', async () => {
    await add('busy', { name: 'Busy' });
    const question = await ada.get(`${base}/busy?do=remove`);
    await callApi(console, 'POST', '/identity-providers/busy/enable', {});
    await signInAt(crafted, createUserAgent(console.url), 'busy', { sub: 'eva', groups: ['ops'] });
    const refused = await sendForm(ada, question, 'remove', { typed_name: 'busy' });
    expect(refused.status).toBe(400);
    expect((await ada.get(`${base}/busy`)).status).toBe(200);
  });
});

describe('a form', () => {
  test.each([
    [{ id: 'Not an id' }, 'id'],
    [{ id: 'y'.repeat(1001) }, 'id'],
    [{ issuer: '' }, 'issuer'],
    [{ issuer: 'https://10.0.0.1' }, undefined],
    [{ roleRules: 'no rule' }, 'roleRules'],
    [{ roleRules: '', defaultRole: '' }, 'roleRules'],
    [{ position: 'first' }, 'position'],
    [{ defaultRole: 'Admin' }, 'defaultRole'],
    [{ name: `<b>مرحبا 🚀</b>${'x'.repeat(1000)}` }, 'name'],
  ] as readonly (readonly [Record<string, string>, string | undefined])[])(
    'with %j is refused, what was typed stays, and nothing is added',
    async (fields, field) => {
      const refused = await add('refused', fields);
      expect([refused.status, titleOf(refused)]).toEqual([400, 'Problem: Add identity provider']);
      if (field !== undefined) expect(refused.body).toContain(`id="${field}-error"`);
      expect(refused.body).not.toContain('<b>');
      expect(refused.body).not.toContain(secret);
      expect((await ada.get(`${base}/refused`)).status).toBe(404);
    },
  );

  test.each([
    ['saml', { metadata: '<xml>', metadataUrl: '' }],
    ['saml', { metadataUrl: 'https://127.0.0.1:1/metadata' }],
    ['ldap', { url: 'ldaps://127.0.0.1', bindDn: 'cn=x' }],
    ['ad', { url: 'nowhere', bindDn: 'cn=x', bindPassword: secret, baseDn: 'dc=x' }],
  ])('of %s with %j says what is missing', async (preset, fields) => {
    const form = await ada.get(`${base}?do=new&for=${preset}`);
    const reply = await sendForm(ada, form, 'new', {
      id: 'other',
      for: preset,
      idempotencyKey: hiddenIn(form, 'idempotencyKey')!,
      roleRules: 'a=1 -> Viewer',
      ...fields,
    });
    expect([reply.status, titleOf(reply)]).toEqual([400, 'Problem: Add identity provider']);
    expect(reply.body).not.toContain(secret);
    expect((await ada.get(`${base}/other`)).status).toBe(404);
  });

  test('of a directory is tried with somebody’s password, which is on no page', async () => {
    const directory = {
      url: 'ldap://127.0.0.1:1',
      dnTemplate: 'uid={username},dc=x',
      roleRules: 'memberOf=a -> Viewer',
    };
    const added = await add('directory', directory, 'ldap');
    expect(added.body).toContain('id="trial"');
    const page = await ada.get(`${base}/directory`);
    const tried = await sendForm(ada, page, 'test', { username: 'eva', password: secret });
    expect([tried.status, tried.body.includes(secret)]).toEqual([200, false]);
    expect(textOf(tried)).toContain('A step has failed. Nothing was created.');
    const half = await sendForm(ada, page, 'test', { username: 'eva' });
    expect([half.status, (await ada.get(`${base}/directory`)).status]).toEqual([400, 200]);
  });

  test.each(foreignForms)('$name changes nothing (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(`${base}/edited`), 'csrf')!;
    const reply = await ada.post(
      `${base}/edited`,
      { csrf, do: 'remove', typed_name: 'edited', ...fields },
      headers,
    );
    expect(reply.status).toBe(403);
    expect((await ada.get(`${base}/edited`)).status).toBe(200);
  });
});

describe('for whoever', () => {
  test('is not signed in there is the sign-in', async () => {
    for (const path of [base, `${base}/edited`]) {
      const reply = await createUserAgent(console.url).get(path);
      expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
    }
  });

  test('is a Viewer all can be read and nothing changed; a MetricsViewer reads nothing', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const page = await viewer.get(`${base}/edited`);
    expect([page.status, page.body.includes('value="save"')]).toEqual([200, false]);
    const csrf = hiddenIn(page, 'csrf')!;
    for (const name of ['save', 'test', 'remove', 'enable', 'disable']) {
      const reply = await viewer.post(`${base}/edited`, { csrf, do: name, typed_name: 'edited', name: 'x' });
      expect([name, reply.status]).toEqual([name, 403]);
    }
    expect((await viewer.get(`${base}?do=new`)).status).toBe(403);
    const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
    for (const path of [base, `${base}/edited`]) expect((await metrics.get(path)).status).toBe(403);
  });

  test.each(['Corp', '..%2f', '%00', 'x'.repeat(1000), 'nobody'])('asks for %j there is none', async (id) => {
    const reply = await ada.get(`${base}/${id}`);
    expect([400, 404]).toContain(reply.status);
    expect(titleOf(reply)).toMatch(/^Problem/);
  });
});
