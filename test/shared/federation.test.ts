/**
 * Sign-in and sign-out with identity providers of others, each step at another one of two consoles on one PostgreSQL:
 * an OpenID provider, SimpleSAMLphp and OpenLDAP, as they are installed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../console/storage/postgres/open.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from '../federation/crafted-provider.ts';
import {
  emptyTree,
  type LdapServer,
  whySkipped as noLdap,
  passwordPolicy,
  service,
  startLdapServer,
  suffix,
} from '../federation/ldap-server.ts';
import type { RunningProvider } from '../federation/support.ts';
import { leave, signInAbroad, startOpenIdProvider } from '../federation/upstream.ts';
import { toolDone } from '../helpers/commands.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { type RelyingParty, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import { authorizationPath, redeem, refresh, type Tokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, formsOf, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { type SimpleSaml, startSimpleSaml, whyNoSimpleSaml } from '../peers/support/simplesaml.ts';

const password = 'correct-staple-1';
const isAbsent = postgresPrograms === undefined;

/**
 * Where one request after the other goes. With the second, what is two steps apart is at two consoles as well, such as the
 * way out and the fetching of an answer that came by a form.
 */
const turns = [
  { turn: 'in turn', order: [0, 1] },
  { turn: 'two and two', order: [0, 0, 1, 1] },
];

describe.skipIf(isAbsent)(
  'providers at two consoles, where PostgreSQL is installed',
  { timeout: 60_000 },
  () => {
    let postgres: Postgres;
    let front: LoadBalancer;
    let consoles: readonly RunningConsole[];
    let shop: RelyingParty;
    let corp: RunningProvider;
    let framing: CraftedProvider;

    beforeAll(async () => {
      [postgres, front, shop, framing] = await Promise.all([
        startPostgres(),
        startLoadBalancer(),
        startRelyingParty('shop'),
        startCraftedProvider(),
      ]);
      const databaseUrl = postgres.url(await postgres.createDatabase());
      const start = async () =>
        startConsole({
          isFirstStart: true,
          port: await freePort(),
          env: {
            CONSOLE_URL: front.url,
            CONSOLE_DATABASE_URL: databaseUrl,
            CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
          },
        });
      consoles = [await start(), await start()];
      front.choose(...consoles.map(({ port }) => port));
      const storage = await openPostgresStorage({ url: databaseUrl });
      await storage.records.change(async (transaction) => transaction.put('clients', shop.client));
      await storage.close();
      corp = await startOpenIdProvider(front.url, 'corp');
      const oidc = ['--kind', 'oidc', '--client-auth', 'none', '--scope', 'email profile groups'];
      await addProvider('corp', [
        ...oidc,
        '--name',
        'Corp',
        '--issuer',
        corp.issuer,
        '--client-id',
        'console',
      ]);
      await addProvider('frame', [
        ...oidc,
        '--name',
        'Frame',
        '--issuer',
        framing.issuer,
        '--client-id',
        clientId,
      ]);
    }, 180_000);
    afterAll(async () => {
      await Promise.all((consoles ?? []).map((one) => one.stop()));
      await Promise.all([front?.close(), shop?.close(), corp?.close(), framing?.close()]);
      await postgres?.close();
    }, 120_000);

    let agent: UserAgent;
    beforeEach(() => {
      agent = createUserAgent(front.url);
      shop.posted.length = 0;
    });

    /** Given to one, and waited for at both. */
    async function addProvider(id: string, flags: readonly string[], stdin = ''): Promise<void> {
      const roles = ['--role-rule', 'groups=admins -> Admin', '--role-rule', 'groups=operators -> Viewer'];
      await toolDone(['idp', 'add', id, ...flags, ...roles], {
        dataDir: consoles[0]!.dataDir,
        env: { CONSOLE_URL: front.url, CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' },
        stdin,
      });
      if (flags.includes('ldap')) return;
      for (const { port } of consoles) {
        front.choose(port);
        const isOffered = async () =>
          (await createUserAgent(front.url).get('/login')).body.includes(`/login/start/${id}`);
        await until(isOffered, `${id} at each console`, 20_000);
      }
    }

    /** From the next request on. */
    function takeTurns(order: readonly number[]): void {
      front.asked.length = 0;
      front.choose(...order.map((n) => consoles[n]!.port));
    }

    /**
     * The way out and an answer were at two consoles: in turn the first of such a request, two and two the last, which fetches
     * what came by a form; without a form those two are neighbours there.
     */
    function expectTurns(order: readonly number[], start: string, callback: string): void {
      const at = (path: string) =>
        front.asked.filter((each) => each.path.endsWith(path)).map(({ port }) => port);
      const [left, answered] = [at(start), at(callback)];
      expect([left.length, answered.length > 0]).toEqual([1, true]);
      if (order.length === 2) expect(answered[0]).not.toBe(left[0]);
      else if (answered.length > 1) expect(answered.at(-1)).not.toBe(left[0]);
    }

    const isSignedIn = async () => (await agent.get('/account')).status === 200;
    const nextOf = ({ headers }: Reply) => /^\d+; url=(.+)$/.exec(String(headers.refresh ?? ''))?.[1];
    /** The console's page of a sign-in that an application has asked for. */
    const asked = async () =>
      agent.follow(
        await agent.get(authorizationPath({ client_id: shop.id, redirect_uri: `${shop.origin}/callback` })),
      );

    /** @param end  what the way back from a provider ends at */
    async function tokensOf({ status, headers, body }: Reply): Promise<Tokens> {
      const { location = '' } = headers;
      if (!location.startsWith(`${shop.origin}/callback`)) throw new Error(`no way back: ${status} ${body}`);
      const changes = { client_id: shop.id, redirect_uri: `${shop.origin}/callback` };
      const tokens = await redeem(front, new URL(location).searchParams.get('code'), changes);
      expect(tokens.status).toBe(200);
      return tokens.body;
    }

    /** @returns the page that goes on to the provider */
    async function signOut(idToken: string): Promise<Reply> {
      return agent.follow(
        await agent.get(`/connect/logout?${new URLSearchParams({ id_token_hint: idToken })}`),
      );
    }

    /** Here, at the application, and for what it has. */
    async function expectSignedOut(tokens: Tokens): Promise<void> {
      expect(await isSignedIn()).toBe(false);
      expect(await isSignedIn()).toBe(false);
      await until(async () => shop.posted.length > 0, 'the notice to the application', 20_000);
      expect((await refresh(front, tokens.refresh_token, { client_id: shop.id })).status).toBe(400);
    }

    describe.each(turns)('an OpenID provider, $turn', ({ order }) => {
      let there: UserAgent;
      beforeEach(() => {
        there = createUserAgent(corp.issuer);
        takeTurns(order);
      });

      async function signIn(login: string): Promise<Tokens> {
        const way = await leave(agent, await asked(), 'Corp');
        return tokensOf(await agent.follow(await agent.get(await signInAbroad(way, login, there))));
      }

      async function signOutAbroad(location: string): Promise<string> {
        const page = await there.follow(await there.get(location));
        const end = await there.follow(await there.submit(page, { logout: 'yes' }));
        return end.headers.location!;
      }

      test('a sign-in for an application, and a sign-out that goes there and comes back', async () => {
        const tokens = await signIn('grace');
        const page = await signOut(tokens.id_token);
        const away = await agent.get(nextOf(page)!);
        expect(await isSignedIn()).toBe(false);
        const end = await agent.follow(await agent.get(await signOutAbroad(away.headers.location!)));
        expect(textOf(end)).toMatch(/You are signed out at Corp too/);
        await expectSignedOut(tokens);
        expectTurns(order, '/start/corp', '/login/callback/corp');
      });

      test('its message by the back channel ends the session that began at the other console', async () => {
        const tokens = await signIn('hedy');
        await signOutAbroad(`${corp.issuer}/session/end`);
        await until(
          async () => front.asked.some(({ path }) => path === '/login/backchannel/corp'),
          'the message',
          20_000,
        );
        await until(async () => !(await isSignedIn()), 'the end of the session', 20_000);
        await expectSignedOut(tokens);
      });

      test('its frame ends the session that began at the other console', async () => {
        const location = await leave(agent, await asked(), 'Frame');
        const { searchParams } = new URL(location);
        framing.nonce = searchParams.get('nonce')!;
        const sid = `session-${order.length}`;
        framing.forgery = { claims: { sub: 'joan', sid, groups: ['operators'] } };
        framing.userinfo = { sub: 'joan' };
        const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
        const tokens = await tokensOf(await agent.follow(await agent.get(`/login/callback/frame?${query}`)));
        const frame = new URLSearchParams({ iss: framing.issuer, sid });
        expect((await createUserAgent(front.url).get(`/login/frontchannel/frame?${frame}`)).status).toBe(200);
        await expectSignedOut(tokens);
      });

      test('the trial sign-in of an administrator', async () => {
        await agent.signIn();
        await agent.get('/login/test/corp');
        const away = await agent.get('/login/test/corp/start');
        const shown = await agent.follow(
          await agent.get(await signInAbroad(away.headers.location!, 'vera', there)),
        );
        expect([shown.status, textOf(shown).includes('vera')]).toEqual([200, true]);
      });
    });

    describe.skipIf(whyNoSimpleSaml !== undefined)(`SimpleSAMLphp${whyNoSimpleSaml ?? ''}`, () => {
      let provider: SimpleSaml;
      beforeAll(async () => {
        const person = (uid: string) => ({
          password,
          attributes: { uid, email: `${uid}@corp.example`, groups: ['operators'] },
        });
        provider = await startSimpleSaml({ grace: person('grace'), vera: person('vera') });
        const folder = await mkdtemp(join(tmpdir(), 'shared-saml-'));
        const file = join(folder, 'metadata.xml');
        await writeFile(file, await provider.metadata());
        await addProvider('saml', [
          '--kind',
          'saml',
          '--name',
          'Saml',
          '--metadata-file',
          file,
          '--sign-requests',
        ]);
        await rm(folder, { recursive: true });
        await provider.trust((await agentless('/login/saml/saml/metadata')).body);
      }, 120_000);
      afterAll(() => provider?.stop());

      const agentless = (path: string) => createUserAgent(front.url).get(path);

      describe.each(turns)('$turn', ({ order }) => {
        let there: UserAgent;
        beforeEach(() => {
          there = createUserAgent(provider.origin);
          takeTurns(order);
        });

        /** Its answer comes as a form of another site: without cookies. */
        async function signIn(username: string): Promise<Tokens> {
          const way = await leave(agent, await asked(), 'Saml');
          const question = await there.follow(await there.get(way));
          const answer = await there.follow(await there.submit(question, { username, password }));
          const [form] = formsOf(answer.body);
          const posted = await createUserAgent(front.url).post(form!.action, form!.hidden, {
            origin: provider.origin,
          });
          return tokensOf(await agent.follow(await agent.get(posted.headers.location!)));
        }

        test('a sign-in for an application, and a sign-out that goes there and comes back', async () => {
          const tokens = await signIn('grace');
          const page = await signOut(tokens.id_token);
          const away = await agent.get(nextOf(page)!);
          expect(await isSignedIn()).toBe(false);
          const back = await there.follow(await there.get(away.headers.location!));
          expect(back.headers.location).toContain(`${front.url}/login/saml/saml/logout?SAMLResponse=`);
          const end = await agent.follow(await agent.get(back.headers.location!));
          expect(textOf(end)).toContain('You are signed out at Saml too.');
          await expectSignedOut(tokens);
          expectTurns(order, '/start/saml', '/login/callback/saml');
        });

        test('a sign-out that begins there ends the session that began at the other console', async () => {
          const tokens = await signIn('vera');
          const begun = `${provider.origin}/saml2/idp/initSLO.php?RelayState=${provider.origin}/logout.php`;
          const request = await there.follow(await there.get(begun));
          expect(request.headers.location).toContain(`${front.url}/login/saml/saml/logout?SAMLRequest=`);
          const answer = await agent.get(request.headers.location!);
          expect(answer.headers.location).toContain(`${provider.origin}/`);
          const end = await there.follow(await there.get(answer.headers.location!));
          expect(end.url).toBe(`${provider.origin}/logout.php`);
          await expectSignedOut(tokens);
          // The same message at both consoles, however it comes: once is all that it is good for.
          for (const _ of order) expect((await agentless(request.headers.location!)).status).toBe(400);
        });
      });
    });

    describe.skipIf(noLdap !== undefined)(`OpenLDAP${noLdap ?? ''}`, () => {
      let directory: LdapServer;
      beforeAll(async () => {
        const person = (uid: string) => `
dn: uid=${uid},ou=people,${suffix}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Piper
mail: ${uid}@corp.example
userPassword: ${password}
`;
        const group = `
dn: cn=operators,ou=groups,${suffix}
objectClass: groupOfNames
cn: operators
member: uid=paula,ou=people,${suffix}
member: uid=otto,ou=people,${suffix}
`;
        const people = ['paula', 'otto'].map(person).join('');
        directory = await startLdapServer(`${emptyTree}${passwordPolicy}${people}`, group);
        const folder = await mkdtemp(join(tmpdir(), 'shared-ldap-'));
        const authority = join(folder, 'ca.pem');
        await writeFile(authority, directory.ca);
        await addProvider(
          'staff',
          [
            ...['--kind', 'ldap', '--ldap-url', `ldap://localhost:${directory.port}`, '--start-tls'],
            ...['--ca-file', authority, '--bind-dn', service.dn, '--bind-password-file', '-'],
            ...['--base-dn', `ou=people,${suffix}`, '--group-base-dn', `ou=groups,${suffix}`],
            ...['--group-attribute', 'member'],
          ],
          service.password,
        );
        await rm(folder, { recursive: true });
        // Nothing shows from outside that a console knows of a directory, but that it lets one of its people in.
        for (const { port } of consoles) {
          front.choose(port);
          const isIn = async () =>
            (await createUserAgent(front.url).signIn({ username: 'otto', password })).status === 200;
          await until(isIn, 'the directory at each console', 30_000);
        }
      }, 120_000);
      afterAll(() => directory?.stop());

      test.each(turns)('a sign-in for an application and a sign-out, $turn', async ({ order }) => {
        takeTurns(order);
        const wrong = await agent.submit(await asked(), { username: 'paula', password: 'wrong' });
        expect(textOf(wrong)).toContain('not right');
        const tokens = await signInTo(front, agent, shop, { username: 'paula', password });
        expect(await isSignedIn()).toBe(true);
        const renewed = await refresh(front, tokens.refresh_token, { client_id: shop.id });
        expect(renewed.status).toBe(200);
        expect(textOf(await signOut(tokens.id_token))).toContain('You are signed out');
        await expectSignedOut(renewed.body);
        expect(new Set(front.asked.map(({ port }) => port)).size).toBe(2);
      });
    });
  },
);
