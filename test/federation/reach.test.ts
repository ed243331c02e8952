/** C9 through the front door: test sign-ins of an administrator, requests by a form, metadata that are fetched again. */
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SamlProvider } from '../../console/federation/providers/schema.ts';
import { runTool } from '../helpers/commands.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { countUsers, until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { type KeyPair, missingOpenssl, newKeyPair, sign } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import type { RunningProvider } from './support.ts';
import { leave, signInAbroad, startOpenIdProvider } from './upstream.ts';

const reason = missingOpenssl();

describe.skipIf(reason !== undefined)(`providers as they are met${reason ? ` (${reason})` : ''} (C9)`, () => {
  let idp: SamlServer;
  let rolling: SamlServer;
  let corp: RunningProvider;
  let publisher: Publisher;
  let unsigned: Publisher;
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    idp = await startSamlServer(url, 'idp', 'Staff');
    rolling = await startSamlServer(url, 'rolling', 'Rolling');
    corp = await startOpenIdProvider(url, 'corp');
    publisher = await startPublisher(rolling.provider);
    unsigned = await startPublisher({ ...rolling.provider, id: 'unsigned', name: 'Unsigned' });
    unsigned.publish({ isUnsigned: true });
    const byForm = { ...idp.provider.saml.metadata, signOnBinding: 'post' as const };
    dataDir = await storeWithProviders(
      idp.provider,
      { ...idp.provider, id: 'form', name: 'Form', saml: { ...idp.provider.saml, metadata: byForm } },
      { ...oidcProvider('corp', 'Corp', corp.issuer), enabled: false },
      publisher.provider,
      unsigned.provider,
    );
    console = await startConsole({ port, dataDir, env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
  });
  afterAll(async () => {
    await console?.stop();
    await Promise.all([idp, rolling, corp, publisher, unsigned].map((server) => server?.close()));
    await rm(dataDir, { recursive: true, force: true });
  });

  let agent: UserAgent;
  beforeEach(() => {
    agent = createUserAgent(console.url);
  });
  const bring = async (path: string, fields: Readonly<Record<string, string>>): Promise<Reply> => {
    const posted = await createUserAgent(console.url).post(path, fields, { origin: idp.origin });
    return posted.status === 303 ? agent.follow(await agent.get(posted.headers.location!)) : posted;
  };

  describe('a test sign-in', () => {
    test('shows an administrator what SAML sent, which rules match and the account, and signs nobody in', async () => {
      await agent.signIn();
      const before = await countUsers(console);
      const page = await agent.get('/login/test/idp');
      expect([page.status, titleOf(page)]).toEqual([200, 'Test sign-in with Staff']);
      const away = await agent.get('/login/test/idp/start');
      const result = await bring('/login/callback/idp', idp.answer(away.headers.location!));
      const text = textOf(result);
      expect(result.status).toBe(200);
      expect(text).toContain('A sign-in would work, with Viewer.');
      expect(text).toContain('The first sign-in would make this account.');
      expect(text).toMatch(/Subject user-4711/);
      expect(text).toMatch(/groups=ops → Viewer Matches/);
      expect(text).toMatch(/groups=cn=admins,dc=example → Admin Does not match/);
      expect(text).toMatch(/groups ops R&D/);
      expect(await countUsers(console)).toBe(before);
      expect(textOf(await agent.get('/account'))).toContain('ada');
      expect(textOf(await agent.get('/account'))).not.toContain('Signed in with Staff');
    });

    test('works at a provider that is disabled, where sign-ins do not', async () => {
      await agent.signIn();
      const away = await agent.get('/login/test/corp/start');
      const back = await signInAbroad(away.headers.location!, 'grace');
      const text = textOf(await agent.get(back));
      expect(text).toMatch(/OpenID Connect, corp ?, disabled/);
      expect(text).toContain('A sign-in would work, with Admin.');
      expect(text).toMatch(/preferred_username grace/);
      expect((await createUserAgent(console.url).get('/login/start/corp')).status).toBe(404);
      // The answer served the test; as a sign-in it is worth nothing.
      expect((await agent.get(back)).status).toBe(404);
    });

    test('is for administrators, in the session that has begun it', async () => {
      const stranger = await agent.get('/login/test/idp');
      expect([stranger.status, stranger.headers.location]).toEqual([303, '/login']);
      const added = await runTool(['user', 'add', 'vera', '--role', 'Viewer', '--password-file', '-'], {
        dataDir,
        stdin: 'a long enough sentence',
      });
      expect(added.code).toBe(0);
      await until(
        async () =>
          (await agent.signIn({ username: 'vera', password: 'a long enough sentence' })).status === 200,
        'vera to be known',
      );
      expect((await agent.get('/login/test/idp')).status).toBe(403);
      expect((await agent.get('/login/test/idp/start')).status).toBe(403);

      const own = createUserAgent(console.url);
      await own.signIn();
      const away = await own.get('/login/test/idp/start');
      const fields = idp.answer(away.headers.location!);
      // Vera's browser has another state cookie.
      const stolen = await bring('/login/callback/idp', fields);
      expect(stolen.status).toBe(400);
      expect(textOf(stolen)).not.toContain('user-4711');
    });

    test('says why an answer proves nothing, on its own page', async () => {
      await agent.signIn();
      const away = await agent.get('/login/test/idp/start');
      const fields = idp.answer(away.headers.location!, { isUnsigned: true });
      const result = await bring('/login/callback/idp', fields);
      expect([result.status, titleOf(result)]).toEqual([403, 'Problem: Test sign-in with Staff']);
      expect(textOf(result)).toContain('does not prove anything');
    });

    test('of a provider that is not there is 404, and idp show and idp test tell the address', async () => {
      await agent.signIn();
      expect((await agent.get('/login/test/nobody')).status).toBe(404);
      const shown = await runTool(['idp', 'show', 'idp'], { dataDir, env: { CONSOLE_URL: console.url } });
      expect(shown.stdout).toContain(`${console.url}/login/test/idp`);
    });
  });

  test('a provider that takes requests by a form gets one, by a press', async () => {
    const page = await agent.get('/login/start/form');
    expect(page.status).toBe(200);
    expect(textOf(page)).toMatch(/You sign in at Form ?, which wants to be asked by a form\./);
    expect(page.headers['content-security-policy']).toContain("script-src 'none'");
    expect(page.body).toMatch(new RegExp(`<form method="post" action="${idp.origin}/sign-on"`));
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.body)![1]!;
    const xml = Buffer.from(field('SAMLRequest'), 'base64').toString();
    expect(xml).toContain(`AssertionConsumerServiceURL="${console.url}/login/callback/form"`);
    expect(field('RelayState')).toMatch(/^[\w-]{24}$/);
  });

  describe('metadata under a pinned certificate', () => {
    test('are fetched again at a start, and sign-ins by the new key work', async () => {
      await console.waitFor(
        () => console.log().find(({ event }) => event === 'idp.refreshed'),
        'metadata to be fetched',
      );
      expect(console.log().find(({ event }) => event === 'idp.refreshed')).toMatchObject({
        outcome: 'success',
        provider: 'rolling',
        changed: ['certificates'],
      });
      const away = await leave(agent, await agent.get('/login'), 'Rolling');
      await bring('/login/callback/rolling', rolling.answer(away));
      expect(textOf(await agent.get('/account'))).toContain('Signed in with Rolling');
    });

    test('say when they were last read, and why not again', async () => {
      const shown = async (id: string) =>
        (await runTool(['idp', 'show', id, '--json'], { dataDir })).json<{
          readonly metadataReadAt: string | null;
          readonly metadataFailure: { readonly at: string; readonly reason: string } | null;
        }>();
      await until(async () => (await shown('unsigned')).metadataFailure !== null, 'the failure', 15_000);
      const [read, failed, pinned] = [await shown('rolling'), await shown('unsigned'), await shown('idp')];
      expect(read.metadataFailure).toBeNull();
      expect(Date.now() - Date.parse(read.metadataReadAt!)).toBeLessThan(60_000);
      expect(failed.metadataReadAt).toBeNull();
      expect(failed.metadataFailure!.reason).toMatch(/is not signed/);
      expect(pinned).toMatchObject({ metadataReadAt: null, metadataFailure: null });
      const list = await runTool(['idp', 'list'], { dataDir });
      expect(list.stdout).toMatch(new RegExp(`rolling +saml .*${read.metadataReadAt}`));
      const inWords = (await runTool(['idp', 'show', 'unsigned'], { dataDir })).stdout;
      expect(inWords).toMatch(/metadata failure:? +\d{4}-.*is not signed/);
      await agent.signIn();
      const pageOf = async (id: string) => textOf(await agent.get(`/access/identity-providers/${id}`));
      expect(await pageOf('rolling')).toMatch(/Metadata Read (now|\d+ sec ago) It is read again each hour\./);
      expect(await pageOf('unsigned')).toMatch(
        /Metadata Could not be read again (now|.* ago) ?: .*is not signed/,
      );
      expect(await pageOf('idp')).toMatch(/Metadata It is not read again by itself\./);
      expect(textOf(await agent.get('/access/identity-providers'))).toMatch(
        /Unsigned \S+ SAML 2.0 Enabled .*Metadata cannot be read again/,
      );
      publisher.publish();
      const again = ['idp', 'update', 'form', '--metadata-url', publisher.url];
      expect((await runTool(again, { dataDir })).code).toBe(0);
      expect((await shown('form')).metadataReadAt, 'an administrator has had them read').not.toBeNull();
    });

    test.each([
      { name: 'unsigned', publish: (p: Publisher) => p.publish({ isUnsigned: true }), why: /is not signed/ },
      {
        name: 'signed by a stranger',
        publish: (p: Publisher) => p.publish({ by: newKeyPair() }),
        why: /not signed by the certificate/,
      },
      {
        name: 'of another provider',
        publish: (p: Publisher) => p.publish({ entityId: 'https://other.example/saml' }),
        why: /another/,
      },
      {
        name: 'that have expired',
        publish: (p: Publisher) => p.publish({ validUntil: '2020-01-01T00:00:00Z' }),
        why: /no longer valid/,
      },
    ])('$name leave what is pinned in force (S46)', async ({ publish, why }) => {
      publish(publisher);
      const tested = await runTool(['idp', 'update', 'rolling', '--metadata-url', publisher.url], {
        dataDir,
        env: { CONSOLE_URL: console.url, CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' },
      });
      expect([tested.code, tested.stderr]).toEqual([1, expect.stringMatching(why)]);
      publisher.publish();
    });
  });
});

interface Publisher {
  readonly url: string;
  /** As it was before the provider changed its key. */
  readonly provider: SamlProvider;
  publish(change?: Published): void;
  close(): Promise<unknown>;
}

interface Published {
  readonly by?: KeyPair;
  readonly isUnsigned?: boolean;
  readonly entityId?: string;
  readonly validUntil?: string;
}

/** Publishes the metadata of a provider with its key of today, signed by a key of the publisher's own. */
async function startPublisher(provider: SamlProvider): Promise<Publisher> {
  const own = newKeyPair();
  const former = newKeyPair();
  const { metadata } = provider.saml;
  let document = '';
  const server: Server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'application/samlmetadata+xml');
    res.end(document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;

  function publish({
    by = own,
    isUnsigned = false,
    entityId = metadata.entityId,
    validUntil,
  }: Published = {}) {
    const key = metadata.certificates[0]!.replace(/-----[^-]+-----|\s/g, '');
    const until = validUntil === undefined ? '' : ` validUntil="${validUntil}"`;
    const xml = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" ID="_metadata" entityID="${entityId}"${until}><md:Issuer/><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${key}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${metadata.signOnUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;
    document = isUnsigned ? xml : sign(xml, '_metadata', by);
  }
  publish();
  return {
    url,
    provider: {
      ...provider,
      saml: {
        ...provider.saml,
        metadata: { ...metadata, certificates: [former.certificate] },
        metadataUrl: url,
        metadataCertificate: own.certificate,
      },
    },
    publish,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
