/** What the people of the demo do in their browsers, before anybody looks. */
import { randomBytes } from 'node:crypto';
import { type Browser, createBrowser, type Page } from './browser.ts';

export interface Person {
  readonly name: string;
  readonly role: string;
  readonly password: string;
}

type Credentials = Pick<Person, 'name' | 'password'>;

interface At {
  readonly consoleUrl: string;
  readonly signal: AbortSignal;
}

export const wikiCallback = 'https://wiki.example.com/callback';
/** Nothing listens at the first port: who has signed out is still signed in there, as far as the console knows. */
export const unreachableLogout = 'http://127.0.0.1:1/backchannel-logout';

const userAgents = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
];

/** For a session that others see. A password that does not hold is an entry of the audit. */
export async function signIn(at: At, person: Credentials): Promise<void> {
  const browser = browserOf(person, at);
  await typed(browser, await browser.open(`${at.consoleUrl}/login`), person);
}

/** Opens an application by the console, and signs out: the application cannot be told. */
export async function signOutOfWiki(at: At, person: Credentials): Promise<void> {
  const browser = browserOf(person, at);
  const asked = new URLSearchParams({
    client_id: 'wiki',
    response_type: 'code',
    scope: 'openid profile',
    redirect_uri: wikiCallback,
    state: randomBytes(9).toString('base64url'),
    // Nobody asks for tokens by the code, so that nothing has to be found that gives this.
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  });
  const login = await browser.open(`${at.consoleUrl}/oauth2/authorize?${asked}`);
  const consent = await typed(browser, login, person);
  const opened = await browser.submit(consent, { decision: 'allow' }, '/consent');
  if (!opened.url.startsWith(wikiCallback)) throw new Error(`${person.name} is not at the wiki.`);
  const account = await browser.open(`${at.consoleUrl}/account`);
  await browser.submit(account, {}, '/connect/logout/confirm');
}

/** By the account that the person has at an identity provider. */
export async function signInByProvider(at: At, account: ProviderSignIn): Promise<void> {
  const browser = browserOf(account, at);
  const there = await browser.open(`${at.consoleUrl}/login/start/${account.provider}`);
  const here = await typed(browser, there, account);
  if (!here.url.startsWith(at.consoleUrl)) throw new Error(`${account.name} is not signed in.`);
}

/** The same at a provider whose answer is a page that sends itself to the console. */
export async function signInBySaml(at: At, account: ProviderSignIn): Promise<void> {
  const browser = browserOf(account, at);
  const there = await browser.open(`${at.consoleUrl}/login/start/${account.provider}`);
  const here = await browser.submit(await typed(browser, there, account));
  if (!here.url.startsWith(at.consoleUrl)) throw new Error(`${account.name} is not signed in.`);
}

interface ProviderSignIn extends Credentials {
  /** As the console calls it. */
  readonly provider: string;
}

function browserOf({ name }: Credentials, { signal }: At): Browser {
  return createBrowser(userAgents[name.length % userAgents.length]!, signal);
}

function typed(browser: Browser, page: Page, { name, password }: Credentials): Promise<Page> {
  return browser.submit(page, { username: name, password });
}
