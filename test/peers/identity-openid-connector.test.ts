/** The OpenID Connect connector with Keycloak, in a real browser. */
import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { UpstreamIdentity } from '../../console/federation/connector.ts';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import type { OidcSettings } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';
import { loopbackOutbound } from '../federation/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { type CallbackAddress, openCallback } from './support/callback.ts';
import { type Keycloak, keycloakStartMs, openKeycloak, whyNoKeycloak } from './support/keycloak.ts';
import { corporation, excludeFromIdTokens, typeInAtKeycloak } from './support/keycloak-realm.ts';

const { browser, reason } = whyNoKeycloak ? {} : await openBrowser();
const skipped = whyNoKeycloak ?? (reason ? ` (skipped: ${reason})` : undefined);

// On a busy machine Keycloak takes seconds for a page.
describe.skipIf(skipped)(
  `OpenID Connect connector and Keycloak${skipped ?? ''}`,
  { timeout: 120_000 },
  () => {
    let keycloak: Keycloak;
    let callback: CallbackAddress;
    let context: BrowserContext;
    let issuer: string;
    /** Of the realm whose ID tokens say less. */
    let spare: string;
    const secret = randomBytes(24).toString('base64');

    beforeAll(async () => {
      [keycloak, callback] = await Promise.all([openKeycloak(), openCallback()]);
      const client = { clientId: 'console', secret, redirectUris: [callback.url] };
      issuer = await keycloak.addRealm(corporation('company', client));
      spare = await keycloak.addRealm(corporation('spare-company', client));
      await excludeFromIdTokens(keycloak, 'spare-company', ['email', 'profile']);
      // Realms and their keys take as long again.
    }, 2 * keycloakStartMs);
    afterAll(async () => {
      await Promise.all([browser?.close(), callback?.close()]);
    });
    afterEach(() => context?.close());

    const connect = (authentication: OidcSettings['authentication'], at = issuer) =>
      createOidcConnector({
        config: { issuer: at, clientId: 'console', authentication, claims: ['groups'] },
        outbound: loopbackOutbound(),
        now: Date.now,
      });

    async function signIn(
      connector: ReturnType<typeof connect>,
      { page, reauthenticate = false, asks = true }: { page: Page; reauthenticate?: boolean; asks?: boolean },
    ): Promise<UpstreamIdentity> {
      const attemptId = randomBytes(32).toString('base64url');
      const { location, secrets } = await connector.begin({
        stateId: attemptId,
        callbackUrl: callback.url,
        reauthenticate,
      });
      await page.goto(location);
      if (asks) await typeInAtKeycloak(page, 'ada');
      await page.waitForURL(`${callback.url}?**`);
      return connector.finish(callback.reply(), secrets);
    }

    async function newPage(): Promise<Page> {
      context = await (browser as Browser).newContext();
      context.setDefaultTimeout(60_000);
      return context.newPage();
    }

    test.each(['client_secret_basic', 'client_secret_post'] as const)('signs in with %s', async (method) => {
      const connector = connect({ method, secret: new Secret(secret) });
      const page = await newPage();
      const identity = await signIn(connector, { page });
      expect(identity).toMatchObject({
        subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: 'ada',
        email: 'ada@corp.example',
        name: 'Ada Lovelace',
        session: { id: expect.stringMatching(/./), hint: expect.stringMatching(/^eyJ/) },
      });
      expect(identity.attributes.groups).toEqual(['admins']);
      const again = await signIn(connector, { page, asks: false });
      expect(again.subject).toBe(identity.subject);
      const fresh = await signIn(connector, { page, reauthenticate: true });
      expect(fresh.subject).toBe(identity.subject);
    });

    test('takes e-mail, name and groups from userinfo where ID tokens lack them', async () => {
      const connector = connect({ method: 'client_secret_basic', secret: new Secret(secret) }, spare);
      const { session, ...identity } = await signIn(connector, { page: await newPage() });
      const [, claims] = session!.hint!.split('.');
      expect(Object.keys(JSON.parse(Buffer.from(claims!, 'base64url').toString()))).not.toContain('email');
      expect(identity).toMatchObject({ username: 'ada', email: 'ada@corp.example', name: 'Ada Lovelace' });
    });
  },
);
