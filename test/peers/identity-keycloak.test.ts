/** Sign-in and sign-out with Keycloak, in a real browser: by OpenID Connect in three ways, and by SAML 2.0. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pair } from '../dashboard/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { until } from '../helpers/store.ts';
import { type Keycloak, keycloakStartMs, openKeycloak, whyNoKeycloak } from './support/keycloak.ts';
import {
  corporation,
  excludeFromIdTokens,
  trustByMetadata,
  typeInAtKeycloak,
} from './support/keycloak-realm.ts';
import {
  addProvider,
  type BrowserUser,
  ownMetadata,
  type ProviderInBrowser,
  startTour,
  upstreamAccounts,
  visit,
} from './support/tour.ts';

const { browser, reason } = whyNoKeycloak ? {} : await openBrowser();
const skipped = whyNoKeycloak ?? (reason ? ` (skipped: ${reason})` : undefined);

const named = (name: string): ProviderInBrowser => ({
  name,
  button: (page) => page.getByRole('button', { name: 'Sign In', exact: true }),
  typeIn: typeInAtKeycloak,
});
const providers = {
  basic: named('By Basic'),
  post: named('By form fields'),
  key: named('By a key'),
  assertion: named('By SAML'),
};
const rules = ['--role-rule', 'groups=admins -> Admin', '--role-rule', 'groups=operators -> Viewer'];

describe.skipIf(skipped)(`Keycloak, console and dashboard${skipped ?? ''}`, { timeout: 180_000 }, () => {
  let keycloak: Keycloak;
  let pair: Pair;
  let browserUser: BrowserUser;
  const secret = randomBytes(24).toString('base64');

  beforeAll(async () => {
    [keycloak, pair] = await Promise.all([openKeycloak(), startTour()]);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'of-console', use: 'sig', alg: 'RS256' };
    const issuer = await keycloak.addRealm(
      corporation(
        'corp',
        { ...registration('basic'), clientId: 'console', secret },
        { ...registration('key', keySet(jwk)), clientId: 'keyed', clientAuthenticatorType: 'client-jwt' },
      ),
    );
    const spare = await keycloak.addRealm(
      corporation('spare', { ...registration('post'), clientId: 'console', secret }),
    );
    await excludeFromIdTokens(keycloak, 'spare', ['email', 'profile']);

    const oidc = ['--kind', 'oidc', '--client-id', 'console', '--client-secret-file', '-', ...rules];
    const basic = ['--name', providers.basic.name, '--issuer', issuer, '--client-auth', 'basic'];
    await addProvider(pair, 'basic', [...oidc, ...basic], secret);
    const post = ['--name', providers.post.name, '--issuer', spare, '--client-auth', 'post'];
    await addProvider(pair, 'post', [...oidc, ...post], secret);
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const key = [
      '--client-auth',
      'private_key_jwt',
      '--client-key-file',
      '-',
      '--client-key-id',
      'of-console',
    ];
    const keyed = [
      '--kind',
      'oidc',
      '--name',
      providers.key.name,
      '--issuer',
      issuer,
      '--client-id',
      'keyed',
    ];
    await addProvider(pair, 'key', [...keyed, ...key, ...rules], pem);

    const metadataUrl = `${issuer}/protocol/saml/descriptor`;
    const saml = ['--kind', 'saml', '--name', providers.assertion.name, '--metadata-url', metadataUrl];
    await addProvider(pair, 'assertion', [...saml, '--sign-requests', ...rules]);
    await trustByMetadata(keycloak, 'corp', await ownMetadata(pair, 'assertion'));
    // Realms and their keys take as long again.
  }, 2 * keycloakStartMs);
  afterAll(async () => {
    await Promise.all([browser?.close(), pair?.stop()]);
  });
  beforeEach(async () => {
    browserUser = await visit(browser as Browser, pair);
  });
  afterEach(() => browserUser.leave());

  /** What the console's addresses are, as an administrator of Keycloak enters them. */
  function registration(id: string, attributes: Readonly<Record<string, string>> = {}) {
    const { url } = pair.console;
    return {
      redirectUris: [`${url}/login/callback/${id}`],
      attributes: {
        'post.logout.redirect.uris': `${url}/login/logout/${id}`,
        'backchannel.logout.url': `${url}/login/backchannel/${id}`,
        'backchannel.logout.session.required': 'true',
        ...attributes,
      },
    };
  }

  describe.each(['basic', 'post', 'assertion'] as const)('%s: a sign-in', (id) => {
    const provider = providers[id];

    test('who signs in there is signed in here, by the role of a rule, and links to nobody of the same name', async () => {
      await browserUser.signIn(provider, 'ada');
      await browserUser.page.getByText('Cluster healthy').waitFor();
      expect(await browserUser.isAskedAtConsole()).toBe(false);
      expect((await upstreamAccounts(pair)).get(`ada@${id}`)).toMatchObject({
        email: 'ada@corp.example',
        roles: ['Admin'],
        federated: { provider: id, subject: expect.stringMatching(/./) },
      });
    });

    test('the same person has the same account the next time', async () => {
      await browserUser.signInAtConsole(provider, 'vera');
      const before = await upstreamAccounts(pair);
      await browserUser.leave();
      browserUser = await visit(browser as Browser, pair);
      await browserUser.signInAtConsole(provider, 'vera');
      expect(await upstreamAccounts(pair)).toEqual(before);
    });

    test('whom no rule gives a role is refused, and nothing is created (S45)', async () => {
      const before = await upstreamAccounts(pair);
      await browserUser.chooseAtDashboard(provider);
      await provider.typeIn(browserUser.page, 'eve');
      await browserUser.page.getByText('no rule of this console gives you a role').waitFor();
      expect(await upstreamAccounts(pair)).toEqual(before);
      expect(await browserUser.isAskedAtConsole()).toBe(true);
    });
  });

  describe.each(['basic', 'assertion'] as const)('%s: signing out', (id) => {
    const provider = providers[id];

    test('at the dashboard ends the sessions at the console and there', async () => {
      await browserUser.signIn(provider, 'ada');
      await browserUser.page.getByRole('button', { name: 'Sign out' }).click();
      await browserUser.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await browserUser.page.waitForURL(`${pair.dashboard.url}/**`);
      expect(await browserUser.isAskedAtConsole()).toBe(true);
      expect(await browserUser.isAskedAtDashboard()).toBe(true);
      expect(await browserUser.isAskedAt(provider)).toBe(true);
    });

    test('at the console ends the sessions at the dashboard and there', async () => {
      await browserUser.signIn(provider, 'ada');
      await browserUser.page.goto(`${pair.console.url}/connect/logout`);
      await browserUser.page.getByRole('button', { name: 'Sign out' }).click();
      await browserUser.page.getByText(`You are signed out at ${provider.name} too.`).waitFor();
      expect(await browserUser.isAskedAtDashboard()).toBe(true);
      expect(await browserUser.isAskedAt(provider)).toBe(true);
    });

    test('there ends the sessions at the console and at the dashboard', async () => {
      const { page } = browserUser;
      await browserUser.signIn(provider, 'ada');
      await page.goto(`${keycloak.origin}/realms/corp/protocol/openid-connect/logout`);
      await page.getByRole('button', { name: 'Logout' }).click();
      await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
      await until(() => browserUser.isAskedAtConsole(), 'the console to know', 20_000);
      await until(() => browserUser.isAskedAtDashboard(), 'the dashboard to know', 20_000);
    });
  });

  test('who is signed in there is signed in without typing, also where the console proves itself by a key', async () => {
    await browserUser.signInAtConsole(providers.basic, 'vera');
    await browserUser.forget();
    expect(await browserUser.isAskedAt(providers.key)).toBe(false);
    expect((await upstreamAccounts(pair)).get('vera@key')).toMatchObject({ roles: ['Viewer'] });
  });

  test('whom an administrator there signs out is out of the console and of the dashboard', async () => {
    await browserUser.signIn(providers.basic, 'vera');
    const [user] = await keycloak.manage<{ id: string }[]>('GET', '/corp/users?username=vera&exact=true');
    // One by one: of a person with several sessions Keycloak tells each application of one only.
    const open = await keycloak.manage<{ id: string }[]>('GET', `/corp/users/${user!.id}/sessions`);
    for (const session of open) await keycloak.manage('DELETE', `/corp/sessions/${session.id}`);
    await until(() => browserUser.isAskedAtConsole(), 'the console to know', 20_000);
    await until(() => browserUser.isAskedAtDashboard(), 'the dashboard to know', 20_000);
  });

  describe('a sign-out after Keycloak has retired the key of the ID token (D22)', () => {
    test('is confirmed there, and comes back', async () => {
      await browserUser.signInAtConsole(providers.post, 'ada');
      await retireKey(200);
      await signOutAtConsole();
      await confirmThere();
      // D21: by the key that took its place, people are signed in at once.
      await browserUser.signInAtConsole(providers.post, 'ada');
    });

    test('in the last five minutes is asked for again without it', async () => {
      await browserUser.signInAtConsole(providers.post, 'ada');
      await retireKey(300);
      await signOutAtConsole();
      await browserUser.page.getByText('We are sorry').waitFor();
      await browserUser.page.goBack();
      await browserUser.page.getByText('it may want you to confirm').waitFor();
      await browserUser.page.getByRole('link', { name: `Sign out at ${providers.post.name}` }).click();
      await confirmThere();
    });

    async function signOutAtConsole(): Promise<void> {
      await browserUser.page.goto(`${pair.console.url}/connect/logout`);
      await browserUser.page.getByRole('button', { name: 'Sign out' }).click();
    }

    async function confirmThere(): Promise<void> {
      await browserUser.page.getByRole('button', { name: 'Logout' }).click();
      await browserUser.page.getByText(`You are signed out at ${providers.post.name} too.`).waitFor();
    }

    /** Another takes its place. @param priority  higher than that of the one before */
    async function retireKey(priority: number): Promise<void> {
      interface Component {
        readonly id: string;
        readonly providerId: string;
        readonly parentId: string;
        readonly config: Readonly<Record<string, readonly string[]>>;
      }
      const type = 'org.keycloak.keys.KeyProvider';
      const found = await keycloak.manage<Component[]>('GET', `/spare/components?type=${type}`);
      const old = found.filter(({ providerId }) => providerId === 'rsa-generated');
      await keycloak.manage('POST', '/spare/components', {
        name: `of ${priority}`,
        providerId: 'rsa-generated',
        providerType: type,
        parentId: old[0]!.parentId,
        config: { priority: [`${priority}`], algorithm: ['RS256'], keySize: ['2048'] },
      });
      for (const one of old) {
        const config = { ...one.config, enabled: ['false'], active: ['false'] };
        await keycloak.manage('PUT', `/spare/components/${one.id}`, { ...one, config });
      }
    }
  });

  describe('several sessions here (D22)', () => {
    /** @returns how many sessions here have ended by it */
    async function endThere(username: string, expected: number): Promise<number> {
      const received = () => pair.console.log().filter(({ event }) => event === 'logout.received');
      const before = received().length;
      const ended = () =>
        received()
          .slice(before)
          .filter(({ actor }) => actor !== undefined);
      await endAll(username);
      await until(async () => ended().length >= expected, 'the sessions to end', 20_000).catch((error) => {
        // Keycloak tells once: whether it came, and why it was not taken, says the log.
        throw new Error(`${error.message}: ${JSON.stringify(received().slice(before))}`);
      });
      return ended().length;
    }

    async function endAll(username: string): Promise<void> {
      const path = `/spare/users?username=${username}&exact=true`;
      const [user] = await keycloak.manage<{ id: string }[]>('GET', path);
      await keycloak.manage('POST', `/spare/users/${user!.id}/logout`);
    }

    /**
     * The keys of the tests above have come within five seconds of each other, and so often the console reads keys that it
     * does not know: meanwhile it refuses whom the last one signs in, and logouts that are signed by it.
     */
    beforeAll(async () => {
      const endedBy = () =>
        pair.console.log().filter(({ event, actor }) => event === 'logout.received' && actor !== undefined);
      await until(
        async () => {
          const visitor = await visit(browser as Browser, pair);
          const before = endedBy().length;
          try {
            await visitor.page.goto(`${pair.console.url}/login`);
            await visitor.page.getByRole('link', { name: providers.post.name }).click();
            await providers.post.typeIn(visitor.page, 'vera');
            await visitor.page.waitForURL(({ origin }) => origin === pair.console.url);
            await endAll('vera');
            return endedBy().length > before && new URL(visitor.page.url()).pathname === '/';
          } finally {
            await visitor.leave();
          }
        },
        'the console to know the last key',
        30_000,
      );
    });

    test('that began with one there end with it', async () => {
      // Of a person with several sessions Keycloak tells of one only, which may be an older one.
      await endAll('vera');
      await browserUser.signInAtConsole(providers.post, 'vera');
      await browserUser.forget();
      expect(await browserUser.isAskedAt(providers.post)).toBe(false);
      expect(await endThere('vera', 2)).toBe(2);
      expect(await browserUser.isAskedAtConsole()).toBe(true);
    });

    test('that began in two browsers end at once where the logout token names the person alone', async () => {
      const [client] = await keycloak.manage<{ id: string; attributes: Record<string, string> }[]>(
        'GET',
        '/spare/clients?clientId=console',
      );
      const attributes = { ...client!.attributes, 'backchannel.logout.session.required': 'false' };
      const other = await visit(browser as Browser, pair);
      try {
        await browserUser.signInAtConsole(providers.post, 'vera');
        await other.signInAtConsole(providers.post, 'vera');
        // With a session in it, one token comes, about one of the two.
        expect(await endThere('vera', 1)).toBe(1);
        const asked = [await browserUser.isAskedAtConsole(), await other.isAskedAtConsole()];
        expect(asked.filter(Boolean)).toHaveLength(1);

        await keycloak.manage('PUT', `/spare/clients/${client!.id}`, { ...client, attributes });
        for (const one of [browserUser, other]) {
          await one.forget();
          await one.signInAtConsole(providers.post, 'vera');
        }
        await endThere('vera', 2);
        expect([await browserUser.isAskedAtConsole(), await other.isAskedAtConsole()]).toEqual([true, true]);
      } finally {
        await other.leave();
      }
    });
  });
});

function keySet(jwk: object): Record<string, string> {
  return {
    'use.jwks.string': 'true',
    'jwks.string': JSON.stringify({ keys: [jwk] }),
    'token.endpoint.auth.signing.alg': 'RS256',
  };
}
