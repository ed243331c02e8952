/** What an application does to sign somebody in: authorization request, callback, tokens. */
import { createHash } from 'node:crypto';
import { admin, type RunningConsole } from './console.ts';
import type { Reply, UserAgent } from './user-agent.ts';

export const dashboard = {
  clientId: 'application-dashboard',
  address: 'http://localhost:9021',
  redirectUri: 'http://localhost:9021/login/callback',
} as const;

export const verifier = 'a-verifier-of-an-application-that-signs-in-0123456789';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

export type Parameters = Readonly<Record<string, string | undefined>>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly token_type: string;
}

/** A good request of the dashboard; a parameter that is given as undefined is left out. */
export function authorizationPath(changes: Parameters = {}): string {
  const parameters: Parameters = {
    client_id: dashboard.clientId,
    redirect_uri: dashboard.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'some-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `/oauth2/authorize?${new URLSearchParams(given)}`;
}

/** From the authorization request through the login page. @returns parameters of the callback */
export async function authorize(
  agent: UserAgent,
  changes: Parameters = {},
  credentials: { readonly username: string; readonly password: string } = admin,
): Promise<URLSearchParams> {
  const page = await agent.follow(await agent.get(authorizationPath(changes)));
  const end = page.status === 200 ? await agent.follow(await agent.submit(page, credentials)) : page;
  return callbackOf(end);
}

/** Parameters with which a redirect goes back to the application. */
export function callbackOf({ status, headers, body }: Reply): URLSearchParams {
  const { location } = headers;
  if (status !== 303 || !location?.startsWith(dashboard.address)) {
    throw new Error(`no redirect to the application: ${status} ${location ?? body}`);
  }
  return new URL(location).searchParams;
}

export async function tokenRequest(console: Pick<RunningConsole, 'url'>, form: Parameters) {
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(given),
  });
  return { status: response.status, body: (await response.json()) as Tokens & { error?: string } };
}

export function redeem(console: Pick<RunningConsole, 'url'>, code: string | null, changes: Parameters = {}) {
  return tokenRequest(console, {
    grant_type: 'authorization_code',
    client_id: dashboard.clientId,
    redirect_uri: dashboard.redirectUri,
    code: code ?? undefined,
    code_verifier: verifier,
    ...changes,
  });
}

export function refresh(
  console: Pick<RunningConsole, 'url'>,
  refreshToken: string,
  changes: Parameters = {},
) {
  return tokenRequest(console, {
    grant_type: 'refresh_token',
    client_id: dashboard.clientId,
    refresh_token: refreshToken,
    ...changes,
  });
}

/** A whole sign-in. @throws {Error} when no tokens come out */
export async function signInForTokens(
  console: Pick<RunningConsole, 'url'>,
  agent: UserAgent,
  changes: Parameters = {},
  credentials?: { readonly username: string; readonly password: string },
): Promise<Tokens> {
  const callback = await authorize(agent, changes, credentials);
  const { status, body } = await redeem(console, callback.get('code'));
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)} ${callback}`);
  return body;
}

export async function userinfo(console: Pick<RunningConsole, 'url'>, accessToken: string) {
  const response = await fetch(`${console.url}/userinfo`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
