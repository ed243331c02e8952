/** SAML single logout through the front door: passed on, received, and everything that is refused. */
import { rm } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { storeWithProviders } from '../helpers/providers.ts';
import { type RelyingParty, register, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import { nameId, postedFields, readBindingMessage, redirectQuery } from './saml-logout-messages.ts';
import { missingOpenssl, newKeyPair, seconds, sign } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import { leave } from './upstream.ts';

const obstacle = missingOpenssl();

describe.skipIf(obstacle !== undefined)(`SAML single logout${obstacle ? ` (${obstacle})` : ''}`, () => {
  let staff: SamlServer;
  let forms: SamlServer;
  let plain: SamlServer;
  let console: RunningConsole;
  let shop: RelyingParty;
  let dataDir: string;
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    staff = await startSamlServer(url, 'staff', 'Staff', 'redirect');
    forms = await startSamlServer(url, 'forms', 'Forms', 'post');
    plain = await startSamlServer(url, 'plain', 'Plain');
    dataDir = await storeWithProviders(staff.provider, forms.provider, plain.provider);
    console = await startConsole({ port, dataDir, env: { CONSOLE_LOG_LEVEL: 'info' } });
    shop = await startRelyingParty('shop');
    await register(console, shop);
  });
  afterAll(async () => {
    await console?.stop();
    await Promise.all([staff, forms, plain, shop].map((one) => one?.close()));
    await rm(dataDir, { recursive: true, force: true });
  });

  let agent: UserAgent;
  beforeEach(() => {
    agent = createUserAgent(console.url);
    shop.posted.length = 0;
  });

  const isSignedIn = async (someone = agent) => (await someone.get('/account')).status === 200;
  /** The line of this very request, which may arrive later than its reply. */
  const lineOf = (event: string, { headers }: Reply) =>
    console.waitFor(
      () => console.log().find((line) => line.event === event && line.requestId === headers['x-request-id']),
      event,
    );
  const nextOf = ({ headers }: Reply) => /^\d+; url=(.+)$/.exec(String(headers.refresh ?? ''))?.[1];
  /** As the form of another site arrives: without cookies. */
  const post = (fields: Record<string, string>, { logoutUrl, origin } = staff) =>
    createUserAgent(console.url).post(logoutUrl, fields, { origin });
  const get = (query: string, { logoutUrl } = staff) =>
    createUserAgent(console.url).get(`${logoutUrl}?${query}`);

  async function signInBy(idp: SamlServer, name = 'user-4711', someone = agent): Promise<void> {
    const title = idp.provider.name;
    const fields = idp.answer(await leave(someone, await someone.get('/login'), title), { nameId: name });
    const reply = await createUserAgent(console.url).post(idp.callbackUrl, fields, { origin: idp.origin });
    const home = await someone.follow(await someone.get(reply.headers.location!));
    expect(titleOf(home)).toMatch(signedInTitle);
  }

  /** On the console's own page. @returns the page that goes on to the provider */
  async function signOut(parameters: Record<string, string> = {}): Promise<Reply> {
    const page = await agent.get(`/connect/logout?${new URLSearchParams(parameters)}`);
    return agent.follow(page.status === 200 ? await agent.submit(page) : page);
  }

  describe('a sign-out here', () => {
    test('goes on to the provider by HTTP-Redirect, and back to the application that asked', async () => {
      await signInBy(staff);
      const { id_token: hint } = await signInTo(console, agent, shop);
      const home = `${shop.origin}/`;
      const page = await signOut({ id_token_hint: hint, post_logout_redirect_uri: home });
      expect([await isSignedIn(), shop.posted.length]).toEqual([false, 1]);
      const away = await agent.get(nextOf(page)!);
      const { xml } = readBindingMessage({ method: 'GET', location: away.headers.location! });
      expect(away.headers.location).toMatch(
        new RegExp(`^${staff.origin}/logout\\?SAMLRequest=.*&Signature=`),
      );
      expect(xml).toContain('>user-4711</saml:NameID><samlp:SessionIndex>session-7</samlp:SessionIndex>');
      const query = redirectQuery(staff.logoutResponse(xml), staff.keys, { name: 'SAMLResponse' });
      const back = await agent.get(`${staff.logoutUrl}?${query}`);
      expect([back.status, back.headers.location]).toEqual([303, home]);
      expect(await lineOf('logout.passed', away)).toMatchObject({ outcome: 'success', provider: 'staff' });
    });

    test('goes on by a form, and back by one', async () => {
      await signInBy(forms);
      const form = await agent.get(nextOf(await signOut())!);
      expect([form.status, titleOf(form)]).toEqual([200, 'Continue to Forms']);
      expect(form.headers['content-security-policy']).toContain(`form-action 'self' ${forms.origin} https:`);
      expect(form.headers['content-security-policy']).toContain("script-src 'none'");
      const message = /name="SAMLRequest" value="([^"]+)"/.exec(form.body)![1]!;
      const fields = postedFields(
        forms.logoutResponse(Buffer.from(message, 'base64').toString()),
        forms.keys,
        'SAMLResponse',
      );
      const end = await agent.follow(await post(fields, forms));
      expect(textOf(end)).toContain('You are signed out at Forms too.');
    });

    test('a failure there is told', async () => {
      await signInBy(staff);
      const page = await signOut();
      const away = await agent.get(nextOf(page)!);
      const { xml } = readBindingMessage({ method: 'GET', location: away.headers.location! });
      const failed = staff.logoutResponse(xml, { status: 'Responder' });
      const query = redirectQuery(failed, staff.keys, { name: 'SAMLResponse' });
      const end = await agent.follow(await agent.get(`${staff.logoutUrl}?${query}`));
      expect(textOf(end)).toContain('your session there may still be open');
    });

    test('an answer that is not signed changes nothing (S48)', async () => {
      await signInBy(staff);
      const page = await signOut();
      const away = await agent.get(nextOf(page)!);
      const { xml } = readBindingMessage({ method: 'GET', location: away.headers.location! });
      const response = staff.logoutResponse(xml);
      const unsigned = encodeURIComponent(deflateRawSync(response).toString('base64'));
      expect((await get(`SAMLResponse=${unsigned}`)).status).toBe(403);
      expect((await post(postedFields(response, undefined, 'SAMLResponse'))).status).toBe(403);
      expect(textOf(await agent.get(page.url))).toContain('may still be open');
    });

    test('at a provider without single logout is told', async () => {
      await signInBy(plain);
      const end = await agent.follow(await agent.get(nextOf(await signOut())!));
      expect(textOf(end)).toContain('your session there may still be open: Plain has not confirmed');
    });
  });

  describe('a logout request of the provider', () => {
    test('ends the session and its applications’, and is answered by a signed response', async () => {
      await signInBy(staff);
      await signInTo(console, agent, shop);
      const query = redirectQuery(staff.logoutRequest({ id: '_r1' }), staff.keys, { relayState: 'r' });
      const reply = await get(query);
      const { name, xml, relayState, location } = readBindingMessage({
        method: 'GET',
        location: reply.headers.location!,
      });
      expect([reply.status, reply.headers['cache-control']]).toEqual([303, 'no-store']);
      expect({ name, relayState, location }).toEqual({
        name: 'SAMLResponse',
        relayState: 'r',
        location: `${staff.origin}/logged-out`,
      });
      expect(reply.headers.location).toMatch(/&SigAlg=.*&Signature=/);
      expect(xml).toContain('InResponseTo="_r1"');
      expect(await isSignedIn()).toBe(false);
      await waitFor(() => shop.posted.length > 0, 'the notice to the application');
      expect(await lineOf('logout.received', reply)).toMatchObject({ outcome: 'success', provider: 'staff' });
    });

    test('comes as a form of another site, without a cookie, and is answered by one', async () => {
      await signInBy(forms);
      const reply = await post(postedFields(forms.logoutRequest(), forms.keys), forms);
      expect([reply.status, titleOf(reply)]).toEqual([200, 'Continue to Forms']);
      expect(reply.body).toContain(`action="${forms.origin}/logged-out"`);
      expect(await isSignedIn()).toBe(false);
    });

    test('is about one person of this provider, and of a session when it names one', async () => {
      const [second, other, elsewhere] = [1, 2, 3].map(() => createUserAgent(console.url)) as UserAgent[];
      await signInBy(staff, 'user-1');
      await signInBy(staff, 'user-1', second);
      await signInBy(staff, 'user-2', other);
      await signInBy(forms, 'user-1', elsewhere);
      const everybody = () =>
        Promise.all([agent, second, other, elsewhere].map((someone) => isSignedIn(someone)));
      const index = (value: string) => `<samlp:SessionIndex>${value}</samlp:SessionIndex>`;
      const about = (content: string) =>
        get(redirectQuery(staff.logoutRequest({ content }), staff.keys)).then(({ status }) => status);
      expect(await about(nameId('user-1') + index('session-8'))).toBe(303);
      expect(await about(nameId('nobody'))).toBe(303);
      expect(await everybody()).toEqual([true, true, true, true]);
      expect(await about(nameId('user-1'))).toBe(303);
      expect(await everybody()).toEqual([false, false, true, true]);
    });

    test('works once (S47)', async () => {
      await signInBy(staff);
      const xml = staff.logoutRequest();
      const query = redirectQuery(xml, staff.keys);
      expect((await get(query)).status).toBe(303);
      agent = createUserAgent(console.url);
      await signInBy(staff);
      expect((await get(query)).status).toBe(400);
      expect((await post(postedFields(xml, staff.keys))).status).toBe(400);
      expect(await isSignedIn()).toBe(true);
    });

    const stranger = obstacle === undefined ? newKeyPair() : { key: '', certificate: '' };
    const form = (xml: string) => ({ SAMLRequest: Buffer.from(xml).toString('base64') });
    const packed = (xml: string) => encodeURIComponent(deflateRawSync(xml).toString('base64'));
    const signed = (xml: string) => sign(xml, '_r', staff.keys);
    const bent = (changes: Parameters<SamlServer['logoutRequest']>[0]) =>
      staff.logoutRequest({ id: '_r', ...changes });
    const query = (changes: Parameters<SamlServer['logoutRequest']>[0]) =>
      redirectQuery(bent(changes), staff.keys);
    const to = (address: string) => ({ attributes: `Destination="${address}"` });

    test.each<[string, number, () => Promise<Reply>]>([
      ['unsigned by HTTP-Redirect (S48)', 403, () => get(`SAMLRequest=${packed(bent({}))}`)],
      ['with an algorithm and no signature (S48)', 403, () => get(query({}).replace(/&Signature=.*/, ''))],
      ['with a signature and no algorithm (S48)', 403, () => get(query({}).replace(/&SigAlg=[^&]*/, ''))],
      ['unsigned by HTTP-POST (S48)', 403, () => post(form(bent({})))],
      ['signed by a stranger (S46)', 403, () => get(redirectQuery(bent({}), stranger))],
      ['signed by a stranger, as a form (S46)', 403, () => post(postedFields(bent({}), stranger))],
      [
        'tampered with (S46)',
        403,
        () =>
          get(
            query({}).replace(
              /SAMLRequest=[^&]*/,
              `SAMLRequest=${packed(bent({ content: nameId('user-4711') }))}`,
            ),
          ),
      ],
      [
        'tampered with, as a form (S46)',
        403,
        () => post(form(signed(bent({ content: nameId('eve') })).replace('eve', 'user-4711'))),
      ],
      [
        'of another issuer (S47)',
        403,
        () => get(query({ issuer: '<saml:Issuer>https://other.example</saml:Issuer>' })),
      ],
      ['for another address (S47)', 403, () => get(query(to('https://other.example/logout')))],
      ['for the address of another provider (S47)', 403, () => get(query(to(forms.logoutUrl)))],
      ['of another provider (S47)', 403, () => get(redirectQuery(bent({}), forms.keys))],
      ['expired (S47)', 403, () => get(query({ issuedAt: seconds(-3600) }))],
      [
        'with a DTD (S48)',
        400,
        () => post(form(`<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${signed(bent({}))}`)),
      ],
      ['with a DTD, packed (S48)', 400, () => get(redirectQuery(`<!DOCTYPE r>${bent({})}`, staff.keys))],
      ['an inflate bomb (S48)', 400, () => get(redirectQuery(`<a>${' '.repeat(1_000_000)}</a>`, staff.keys))],
      ['more than 64 KiB as a form (S48)', 413, () => post({ SAMLRequest: 'x'.repeat(70_000) })],
      ['nothing', 400, () => get('')],
      ['no form', 400, () => post({})],
    ])('is refused, and no session ends: %s', async (_name, status, bring) => {
      await signInBy(staff);
      const reply = await bring();
      expect([reply.status, reply.headers.location]).toEqual([status, undefined]);
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(await isSignedIn()).toBe(true);
    });

    test('is taken at the address of a provider that is there, and speaks SAML', async () => {
      const queryOf = redirectQuery(staff.logoutRequest(), staff.keys);
      expect((await agent.get(`/login/saml/unknown/logout?${queryOf}`)).status).toBe(404);
      expect((await agent.send('DELETE', '/login/saml/staff/logout')).status).toBe(405);
      expect((await agent.post('/login/backchannel/staff', { logout_token: 'x' })).status).toBe(404);
    });

    test('the metadata tell where it goes when it can be answered, by both bindings', async () => {
      const { body } = await agent.get('/login/saml/staff/metadata');
      expect(
        body.match(new RegExp(`<SingleLogoutService [^>]*Location="${staff.logoutUrl}"`, 'g')),
      ).toHaveLength(2);
      expect((await agent.get('/login/saml/plain/metadata')).body).not.toContain('SingleLogout');
    });
  });
});
