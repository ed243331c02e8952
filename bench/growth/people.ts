/** What people and applications do at a console, one after the other, over HTTP. */
import { createHash } from 'node:crypto';
import { password } from './growth-store.ts';

const application = 'application-dashboard';
const redirectUri = 'http://localhost:9021/login/callback';
const verifier = 'a-verifier-of-an-application-that-signs-in-0123456789';

/** @returns the cookies of a session */
export async function signIn(url: string, username: string): Promise<string> {
  const page = await fetch(`${url}/login`);
  const csrf = /name="csrf"[^>]*value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(page), origin: url },
    body: new URLSearchParams({ csrf, username, password }),
  });
  await response.arrayBuffer();
  if (response.status !== 303) throw new Error(`a sign-in was answered with ${response.status}`);
  return cookiesOf(response);
}

/** The page that lists the sessions of who asks. */
export async function openAccount(url: string, cookie: string): Promise<void> {
  const response = await fetch(`${url}/account`, { redirect: 'manual', headers: { cookie } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the account page was answered with ${response.status}`);
}

/** By the session, without a page. @returns the refresh token */
export async function getTokens(url: string, cookie: string): Promise<string> {
  const parameters = new URLSearchParams({
    client_id: application,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'some-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await fetch(`${url}/oauth2/authorize?${parameters}`, {
    redirect: 'manual',
    headers: { cookie },
  });
  await answer.arrayBuffer();
  const code = new URL(answer.headers.get('location') ?? url).searchParams.get('code');
  if (code === null) throw new Error(`no code: ${answer.status} ${answer.headers.get('location')}`);
  const redeemed = {
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
  };
  return askForTokens(url, redeemed);
}

/** @returns the next refresh token */
export function refresh(url: string, refreshToken: string): Promise<string> {
  return askForTokens(url, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

async function askForTokens(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: application, ...form }),
  });
  const { refresh_token: token } = (await response.json()) as { readonly refresh_token?: string };
  if (token === undefined) throw new Error(`a token request was answered with ${response.status}`);
  return token;
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((field) => field.split(';')[0])
    .join('; ');
}
