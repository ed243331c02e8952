/** Sign-in by SAML 2.0 through the front door: answers honest, forged, late and unasked for. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { storeWithProviders } from '../helpers/providers.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { countUsers } from '../helpers/store.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import { missingOpenssl, newKeyPair, readRequest, seconds, sign, takeApart } from './saml-provider.ts';
import { type SamlAnswer, type SamlServer, startSamlServer } from './saml-server.ts';
import { leave } from './upstream.ts';

const reason = missingOpenssl();

describe.skipIf(reason !== undefined)(`SAML sign-in${reason ? ` (${reason})` : ''}`, () => {
  let idp: SamlServer;
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    const port = await freePort();
    idp = await startSamlServer(`http://localhost:${port}`, 'idp', 'Staff');
    const off = { ...idp.provider, id: 'off', enabled: false };
    dataDir = await storeWithProviders(idp.provider, off);
    console = await startConsole({ port, dataDir });
  });
  afterAll(async () => {
    await console?.stop();
    await idp?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  let agent: UserAgent;
  beforeEach(() => {
    agent = createUserAgent(console.url);
  });

  const ask = async () => leave(agent, await agent.get('/login'), 'Staff');
  /** As the form of another site arrives: without cookies. */
  const post = (fields: Readonly<Record<string, string>>) =>
    createUserAgent(console.url).post('/login/callback/idp', fields, { origin: idp.origin });
  /** The post, and the navigation that it leads to, with the cookies. */
  async function bring(fields: Readonly<Record<string, string>>): Promise<Reply> {
    const reply = await post(fields);
    return reply.status === 303 ? agent.follow(await agent.get(reply.headers.location!)) : reply;
  }
  const isSignedIn = async (someone: UserAgent) => (await someone.get('/account')).status === 200;

  test('a posted answer leads to an account with the roles of the rules', async () => {
    const home = await bring(idp.answer(await ask()));
    expect([home.status, titleOf(home)]).toEqual([200, expect.stringMatching(signedInTitle)]);
    const account = textOf(await agent.get('/account'));
    expect(account).toMatch(/Signed in with Staff/);
    expect(account).toContain('ada@corp.example');
    expect(account).toContain('Viewer');
  });

  test('it goes on at the application that asked, and ForceAuthn is asked for when it asks for a new proof', async () => {
    const page = await agent.follow(await agent.get(authorizationPath()));
    const first = await leave(agent, page, 'Staff');
    expect(
      await bring(idp.answer(first))
        .then(callbackOf)
        .then((query) => redeem(console, query.get('code'))),
    ).toMatchObject({ status: 200 });
    const again = await agent.follow(await agent.get(authorizationPath({ prompt: 'login' })));
    const location = await leave(agent, again, 'Staff');
    expect(textOf(again)).toContain('asks you to sign in once more');
    const { xml } = readRequest(location);
    expect(xml).toContain('ForceAuthn="true"');
    expect(callbackOf(await bring(idp.answer(location))).get('code')).toEqual(expect.any(String));
  });

  test('the metadata name this console, at a provider that is switched off too', async () => {
    for (const id of ['idp', 'off']) {
      const reply = await agent.get(`/login/saml/${id}/metadata`);
      expect(reply.status).toBe(200);
      expect(reply.headers['content-type']).toMatch(/^application\/samlmetadata\+xml/);
      expect(reply.body).toContain(`entityID="${console.url}/login/saml/${id}/metadata"`);
      expect(reply.body).toContain(`Location="${console.url}/login/callback/${id}"`);
    }
    expect((await agent.get('/login/saml/nobody/metadata')).status).toBe(404);
  });

  describe('is refused, and leaves nothing behind:', () => {
    const stranger = reason === undefined ? newKeyPair() : { key: '', certificate: '' };
    const rows: readonly [string, number, RegExp, Partial<SamlAnswer>][] = [
      ['an unsigned assertion (S46)', 403, /does not prove anything/, { isUnsigned: true }],
      [
        'an assertion signed by a stranger (S46)',
        403,
        /does not prove anything/,
        { isUnsigned: true, bent: { assertionId: '_own' }, alter: (xml) => sign(xml, '_own', stranger) },
      ],
      [
        'a signed assertion with another around it (S46)',
        403,
        /exactly one assertion/,
        {
          alter: (xml) => {
            const { around, evil, assertion } = takeApart(xml);
            return around(`${evil}${assertion}`);
          },
        },
      ],
      [
        'a name that was changed after the signature (S46)',
        403,
        /does not prove anything/,
        { alter: (xml) => xml.replace('user-4711', 'user-0815') },
      ],
      [
        'a comment within the name (S46)',
        403,
        /contains comments/,
        { alter: (xml) => xml.replace('user-4711', 'user<!-- -->-4711') },
      ],
      [
        'another audience (S47)',
        403,
        /login_failed/,
        {
          bent: {
            conditions:
              '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>',
          },
        },
      ],
      [
        'an assertion that is over (S47)',
        403,
        /login_failed/,
        { bent: { times: `NotBefore="${seconds(-900)}" NotOnOrAfter="${seconds(-600)}"` } },
      ],
      [
        'an answer to another request (S47)',
        403,
        /belongs to another sign-in/,
        { alter: (xml) => xml.replace(/InResponseTo="[^"]+"/, 'InResponseTo="_another"') },
      ],
      [
        'a document type (S48)',
        400,
        /invalid_request/,
        { alter: (xml) => `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}` },
      ],
      ['more than 256 KiB (S48)', 400, /invalid_request/, { alter: (xml) => `${xml}${' '.repeat(262_144)}` }],
      [
        'an error of the provider',
        403,
        /refused the sign-in \(AuthnFailed\)/,
        {
          bent: {
            status:
              '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode>',
          },
        },
      ],
      [
        'somebody whom no rule gives a role (S45)',
        403,
        /forbidden/,
        {
          nameId: 'nobody',
          bent: {
            attributes:
              '<saml:Attribute Name="groups"><saml:AttributeValue>staff</saml:AttributeValue></saml:Attribute>',
          },
        },
      ],
    ];

    test.each(rows)('%s', async (_name, status, sentence, change) => {
      const location = await ask();
      const users = await countUsers(console);
      const reply = await bring(idp.answer(location, change));
      expect([reply.status, textOf(reply)]).toEqual([status, expect.stringMatching(sentence)]);
      expect(await isSignedIn(agent)).toBe(false);
      expect(await countUsers(console)).toBe(users);
    });

    test('an assertion that was used before (S47)', async () => {
      const fields = idp.answer(await ask());
      expect(titleOf(await bring(fields))).toMatch(signedInTitle);
      agent = createUserAgent(console.url);
      const next = idp.answer(await ask());
      const reply = await bring({ ...fields, RelayState: next.RelayState! });
      expect([reply.status, textOf(reply)]).toEqual([403, expect.stringContaining('login_failed')]);
      expect(await isSignedIn(agent)).toBe(false);
    });

    test('an answer that nobody asked for, and it says where sign-ins begin (S47)', async () => {
      const location = await ask();
      for (const relayState of [undefined, '']) {
        const reply = await bring(idp.answer(location, { relayState }));
        expect([reply.status, textOf(reply)]).toEqual([
          403,
          expect.stringMatching(/nobody here has asked for.*login_failed/),
        ]);
        expect(reply.setCookies).toEqual([]);
      }
    });

    test('an address as RelayState (S48)', async () => {
      const reply = await bring(idp.answer(await ask(), { relayState: 'https://evil.example/' }));
      expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
      expect(reply.body).not.toContain('evil.example');
    });

    test('in the browser of somebody else (S43)', async () => {
      const { headers } = await post(idp.answer(await ask()));
      const victim = createUserAgent(console.url);
      await leave(victim, await victim.get('/login'), 'Staff');
      expect((await victim.get(headers.location!)).status).toBe(400);
      expect(await isSignedIn(victim)).toBe(false);
    });

    test('an answer in the address', async () => {
      const fields = idp.answer(await ask());
      const reply = await agent.get(`/login/callback/idp?${new URLSearchParams(fields)}`);
      expect([reply.status, textOf(reply)]).toEqual([400, expect.stringContaining('by HTTP-POST')]);
    });
  });

  test('the log says that somebody was refused, and nothing of what the provider sent (S85)', async () => {
    const fields = idp.answer(await ask(), {
      nameId: 'secretive',
      bent: { issuer: 'https://other.example' },
    });
    expect((await bring(fields)).status).toBe(403);
    const lines = await console.waitFor(() => {
      const found = console.log().filter(({ msg }) => msg === 'an outside sign-in failed');
      return found.some(({ reason }) => String(reason).includes('issuer')) && found;
    }, 'the line of the error');
    expect(lines.at(-1)).toMatchObject({ provider: 'idp', requestId: expect.any(String) });
    for (const secret of ['secretive', fields.RelayState!, fields.SAMLResponse!.slice(100, 160)]) {
      expect(console.stderr()).not.toContain(secret);
    }
  });
});
