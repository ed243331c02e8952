import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { type RelyingParty, register, startRelyingParty } from '../helpers/relying-party.ts';
import { authorizationPath, redeem } from '../helpers/sign-in.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

describe.skipIf(!found)(`front-channel logout${reason ? ` (${reason})` : ''} (S39)`, () => {
  let console: RunningConsole;
  let framed: RelyingParty;
  let other: RelyingParty;
  let page: Page;
  const framesOf = ({ visited }: RelyingParty) =>
    visited.filter(({ url }) => url.startsWith('/logout/frame'));

  beforeAll(async () => {
    console = await startConsole();
    framed = await startRelyingParty('framed', { frontchannelLogoutUri: 'ORIGIN/logout/frame?tenant=1' });
    other = await startRelyingParty('other');
    await register(console, framed, other);
  });
  afterAll(async () => {
    await console?.stop();
    await Promise.all([framed?.close(), other?.close()]);
  });
  beforeEach(async () => {
    for (const party of [framed, other]) Object.assign(party, { page: '', visited: [], posted: [] });
    page = await (await browser.newContext({ javaScriptEnabled: true })).newPage();
    page.setDefaultTimeout(10_000);
    return () => page.context().close();
  });

  /** @returns the ID token */
  async function signInTo({ id, origin }: RelyingParty): Promise<string> {
    const redirect = { client_id: id, redirect_uri: `${origin}/callback` };
    await page.goto(console.url + authorizationPath(redirect));
    if (page.url().startsWith(console.url)) {
      await page.getByLabel('Username').fill(admin.username);
      await page.getByLabel('Password', { exact: true }).fill(admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    }
    await page.waitForURL(`${origin}/callback?**`);
    const code = new URL(page.url()).searchParams.get('code');
    return (await redeem(console, code, redirect)).body.id_token;
  }

  const signOut = async () => {
    await page.goto(`${console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${console.url}/connect/logout/success?**`);
  };

  test('the page loads a hidden frame of the application, with iss and sid and its cookies', async () => {
    const { sid } = decodeJwt(await signInTo(framed));
    await signInTo(other);
    const answer = page.waitForResponse((response) => response.url().includes('/connect/logout/success?'));
    await signOut();
    await waitFor(() => framesOf(framed).length > 0, 'the frame');
    const [{ url, cookie }] = framesOf(framed) as [{ url: string; cookie: string | undefined }];
    expect(Object.fromEntries(new URL(url, framed.origin).searchParams)).toEqual({
      tenant: '1',
      iss: console.url,
      sid,
    });
    expect(cookie).toContain('framed=signed-in');
    const policy = (await (await answer).allHeaders())['content-security-policy'];
    expect(policy).toContain(`frame-src ${framed.origin};`);
    expect(policy).toContain("script-src 'none'");
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await page.locator('iframe').isVisible()).toBe(false);
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^other\s+Signed out$/),
      expect.stringMatching(/^framed\s+By this page, in this browser\.\s+Notified$/),
    ]);
    expect(other.posted).toHaveLength(1);
    expect(framed.posted).toEqual([]);
  });

  test('the browser goes back to the application that asked, once the frames had time', async () => {
    const hint = await signInTo(framed);
    const home = `${framed.origin}/`;
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: home, state: 'a b&c' };
    await page.goto(`${console.url}/connect/logout?${new URLSearchParams(parameters)}`);
    expect(await page.getByRole('link', { name: 'Back to framed' }).getAttribute('href')).toBe(
      `${home}?state=a%20b%26c`,
    );
    await page.waitForURL(`${home}?state=a%20b%26c`);
    const visited = framed.visited.map(({ url }) => url.split('?')[0]);
    expect(visited.slice(-2)).toEqual(['/logout/frame', '/']);
  });

  test('a frame cannot lead the page elsewhere (S51)', async () => {
    await signInTo(framed);
    framed.page = `<script>fetch('/ran'); top.location = '${framed.origin}/stolen'</script>`;
    await signOut();
    await waitFor(() => framed.visited.some(({ url }) => url === '/ran'), 'its script to run');
    await page.waitForLoadState('networkidle');
    expect(page.url()).toContain(`${console.url}/connect/logout/success`);
    expect(framed.visited.map(({ url }) => url)).not.toContain('/stolen');
  });
});
