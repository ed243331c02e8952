/** The SAML connector with the answers of SimpleSAMLphp, which a real browser posts. */
import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedirectConnector, UpstreamIdentity } from '../../console/federation/connector.ts';
import { createSamlConnector } from '../../console/federation/saml/connector.ts';
import { readProviderMetadata, writeOwnMetadata } from '../../console/federation/saml/metadata.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { newKeyPair, ownPair } from '../federation/saml-provider.ts';
import { errorOf } from '../federation/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { type CallbackAddress, openCallback } from './support/callback.ts';
import { type SimpleSaml, startSimpleSaml, whyNoSimpleSaml } from './support/simplesaml.ts';

const { browser, reason } = whyNoSimpleSaml ? {} : await openBrowser();
const skipped = whyNoSimpleSaml ?? (reason ? ` (skipped: ${reason})` : undefined);

const ada = {
  password: 'correct-staple-1',
  attributes: {
    uid: 'ada',
    email: 'ada@corp.example',
    displayName: 'Ada Lovelace, née Byron & co <x>',
    groups: ['admins', 'R&D'],
  },
};
const eve = { password: 'correct-staple-2', attributes: { uid: 'eve', groups: 'visitors' } };

describe.skipIf(skipped)(`SAML connector and SimpleSAMLphp${skipped ?? ''}`, { timeout: 120_000 }, () => {
  let provider: SimpleSaml;
  let callback: CallbackAddress;
  let connector: RedirectConnector;
  let context: BrowserContext;
  const entityId = 'http://localhost:9/login/saml/corp/metadata';

  beforeAll(async () => {
    [provider, callback] = await Promise.all([startSimpleSaml({ ada, eve }), openCallback()]);
    const signing = ownPair(newKeyPair());
    const { url: callbackUrl, logoutUrl } = callback;
    await provider.trust(writeOwnMetadata({ entityId, callbackUrl, logoutUrl }, { signing }));
    connector = createSamlConnector({
      saml: { metadata: await readProviderMetadata(await provider.metadata(), Date.now()), signing },
      entityId,
      artifacts: createMemoryStorage().artifacts,
      randomBytes,
      now: Date.now,
    });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), provider?.stop(), callback?.close()]);
  });
  afterEach(() => context?.close());

  const begin = (reauthenticate = false) =>
    connector.begin({
      stateId: randomBytes(32).toString('base64url'),
      callbackUrl: callback.url,
      reauthenticate,
    });

  async function newPage(): Promise<Page> {
    context = await (browser as Browser).newContext();
    return context.newPage();
  }

  async function typeIn(page: Page, username: string, password: string): Promise<void> {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Login' }).click();
  }

  test('reads who signed in, with every attribute, and the session', async () => {
    const { location, secrets } = await begin();
    const page = await newPage();
    await page.goto(location);
    await typeIn(page, 'ada', ada.password);
    await page.waitForURL(callback.url);

    const identity = await connector.finish(callback.reply(), secrets);
    expect(identity).toMatchObject({
      subject: expect.stringMatching(/^[0-9a-f]{40}$/),
      username: 'ada',
      email: 'ada@corp.example',
      name: 'Ada Lovelace, née Byron & co <x>',
      attributes: { groups: ['admins', 'R&D'], uid: ['ada'] },
      session: { id: expect.stringMatching(/./), hint: expect.stringContaining(':persistent') },
    });
    expect(await errorOf(connector.finish(callback.reply(), secrets))).toEqual({
      status: 403,
      message: 'The answer of the identity provider has been used before',
    });

    // A second sign-in needs no password there, and names the same person; a fresh proof needs one.
    const again = await begin();
    await page.goto(again.location);
    await page.waitForURL(callback.url);
    const { subject } = await connector.finish(callback.reply(), again.secrets);
    expect(subject).toBe(identity.subject);
    const fresh = await begin(true);
    await page.goto(fresh.location);
    await typeIn(page, 'ada', ada.password);
    await page.waitForURL(callback.url);
    expect((await connector.finish(callback.reply(), fresh.secrets)).subject).toBe(identity.subject);
  });

  test('an answer to the request of another browser proves nothing (S43)', async () => {
    const mine = await begin();
    const theirs = await begin();
    const page = await newPage();
    await page.goto(theirs.location);
    await typeIn(page, 'eve', eve.password);
    await page.waitForURL(callback.url);
    expect(await errorOf(connector.finish(callback.reply(), mine.secrets))).toMatchObject({ status: 400 });
    expect((await connector.finish(callback.reply(), theirs.secrets)).attributes.groups).toEqual([
      'visitors',
    ]);
  });

  test('an answer that was changed on its way is refused (S46)', async () => {
    const { location, secrets } = await begin();
    const page = await newPage();
    await page.goto(location);
    await typeIn(page, 'eve', eve.password);
    await page.waitForURL(callback.url);
    const { callbackUrl, parameters } = callback.reply();
    const xml = Buffer.from(parameters.get('SAMLResponse')!, 'base64').toString();
    expect(xml).toContain('>visitors<');
    const forged = Buffer.from(xml.replace('>visitors<', '>admins<')).toString('base64');
    const reply = { callbackUrl, parameters: new Map([...parameters, ['SAMLResponse', forged]]) };
    expect(await errorOf(connector.finish(reply, secrets))).toMatchObject({ status: 403 });
  });

  test('ends the session there with a signed request, and reads the signed answer', async () => {
    const page = await newPage();
    const { subject, session } = await signInEve(page);
    const logoutId = randomBytes(16).toString('base64url');
    const { logoutUrl: returnUrl } = callback;
    const message = await connector.beginLogout!({ subject, session: session!, logoutId, returnUrl });
    await page.goto(message!.location);
    await page.waitForURL(`${returnUrl}?**`);
    expect(await readLogout(callback.query())).toEqual({ type: 'response', logoutId, isDone: true });
    await page.goto((await begin()).location);
    await page.getByLabel('Password').waitFor();
  });

  test('reads a logout that begins there, answers it, and takes no change of it (S48)', async () => {
    const page = await newPage();
    const { subject, session } = await signInEve(page);
    const received: string[] = [];
    callback.onLogout = async (query) => {
      received.push(query);
      const request = await readLogout(query);
      if (request.type !== 'request') throw new Error('not a request');
      expect(request.logout).toMatchObject({ subject, sessionIds: [session!.id] });
      return (await connector.answerSamlLogout!(request))?.location;
    };
    const end = `${callback.url}?ended`;
    await page.goto(`${provider.origin}/saml2/idp/initSLO.php?RelayState=${encodeURIComponent(end)}`);
    await page.waitForURL(end);
    expect(received).toHaveLength(1);
    await page.goto((await begin()).location);
    await page.getByLabel('Password').waitFor();

    const [query] = received as [string];
    const otherRelayState = query.replace('&SigAlg=', '0&SigAlg=');
    expect(otherRelayState).not.toBe(query);
    expect(await errorOf(readLogout(otherRelayState))).toMatchObject({ status: 403 });
    const unsigned = query.slice(0, query.indexOf('&SigAlg='));
    expect(await errorOf(readLogout(unsigned))).toMatchObject({ status: 403 });
  });

  const readLogout = (query: string) =>
    connector.readSamlLogout!({ binding: 'redirect', query, logoutUrl: callback.logoutUrl });

  async function signInEve(page: Page): Promise<UpstreamIdentity> {
    const { location, secrets } = await begin();
    await page.goto(location);
    await typeIn(page, 'eve', eve.password);
    await page.waitForURL(callback.url);
    return connector.finish(callback.reply(), secrets);
  }
});
