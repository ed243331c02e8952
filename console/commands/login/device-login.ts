/** The program's side of a sign-in by a code (RFC 8628), and of what it got. */

import { setTimeout as delay } from 'node:timers/promises';
import { recentSignInSeconds } from '../../operations/access-check.ts';
import { unreachable } from '../operations/http-caller.ts';
import { CommandError } from '../runner/command.ts';
import { ReportedFailure } from '../runner/reported-failure.ts';
import type { StoredLogin, StoredLogins } from './stored-logins.ts';

export interface OAuthDeps {
  /** Of the console, without a slash at its end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const clientId = 'console-cli';
const scope = 'openid profile email';
const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const timeoutMs = 15_000;
/** So long before its end a token is renewed: the call takes time, and clocks differ. */
const earlyMs = 10_000;

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  readonly expires_in: number;
  readonly interval?: number;
}

/** @param say  shows the person where to type what. @throws {CommandError} `access_denied`, `expired_token`, `no_console` */
export async function signInByCode(deps: OAuthDeps, say: (line: string) => void): Promise<StoredLogin> {
  const asked = await post(deps, '/oauth2/device_authorization', {
    scope,
    resource: `${deps.url}/api`,
    // A browser that has been signed in for longer asks who it is: what is dangerous wants that, and sends people here.
    max_age: String(recentSignInSeconds),
  });
  if (asked.status !== 200) throw oauthError(asked.body);
  const codes = asked.body as unknown as Codes;
  say(`Open ${printable(codes.verification_uri)} and type the code ${printable(codes.user_code)}`);
  const endsAt = deps.now() + codes.expires_in * 1000;
  let seconds = codes.interval ?? 5;
  while (deps.now() < endsAt) {
    await delay(seconds * 1000);
    const fields = { grant_type: deviceCodeGrant, device_code: codes.device_code };
    // One answer that is lost is no reason to start anew (RFC 8628 §3.5).
    const { status, body } = await post(deps, '/oauth2/token', fields).catch(() => waiting);
    if (status === 200) return loginOf(body, deps.now());
    if (body.error === 'slow_down') seconds += 5;
    else if (body.error !== 'authorization_pending') throw oauthError(body);
  }
  throw new CommandError('expired_token', 'Nobody typed the code in time. Start anew.');
}

const waiting = { status: 0, body: { error: 'authorization_pending' } as Record<string, unknown> };

/** A token that is good for a while yet, renewed where there is a way. @returns undefined: sign in anew */
export async function freshToken(
  deps: OAuthDeps,
  logins: StoredLogins,
  refused?: string,
): Promise<string | undefined> {
  const stored = await logins.find(deps.url);
  if (!stored) return undefined;
  const isGood = stored.expiresAt - earlyMs > deps.now() && stored.accessToken !== refused;
  if (isGood) return stored.accessToken;
  if (stored.refreshToken === undefined) return undefined;
  const fields = { grant_type: 'refresh_token', refresh_token: stored.refreshToken };
  const { status, body } = await post(deps, '/oauth2/token', fields);
  if (status === 200) {
    const renewed = loginOf(body, deps.now(), stored);
    await logins.store(deps.url, renewed);
    return renewed.accessToken;
  }
  if (body.error !== 'invalid_grant') throw oauthError(body);
  await logins.store(deps.url, undefined);
  return undefined;
}

/** Ends what the console gave, with all that comes of it (RFC 7009). @throws {CommandError} `no_console` */
export async function revoke(deps: OAuthDeps, { accessToken, refreshToken }: StoredLogin): Promise<void> {
  const { status, body } = await post(deps, '/oauth2/revoke', { token: refreshToken ?? accessToken });
  if (status !== 200) throw oauthError(body);
}

async function post(
  { url, fetch }: OAuthDeps,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, ...fields }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: await response.json().catch(() => ({})) };
  } catch (cause) {
    throw unreachable(url, cause);
  }
}

function loginOf(body: Record<string, unknown>, now: number, former?: StoredLogin): StoredLogin {
  const { access_token: accessToken, refresh_token: refreshToken = former?.refreshToken, expires_in } = body;
  const claims = claimsOf(String(accessToken));
  return {
    accessToken: String(accessToken),
    ...(typeof refreshToken === 'string' && { refreshToken }),
    expiresAt: now + Number(expires_in) * 1000,
    username: printable(String(claims.preferred_username ?? claims.sub ?? '')),
  };
}

/** What a token says, unchecked: for a person to read. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return {};
  }
}

function oauthError({ error, error_description: description }: Readonly<Record<string, unknown>>): Error {
  if (error === 'access_denied') return refused(error, 'It was denied in the browser.');
  if (error === 'expired_token') return new CommandError(error, 'Nobody typed the code in time. Start anew.');
  const code = typeof error === 'string' ? error : 'failed';
  const why = typeof description === 'string' ? `: ${printable(description)}` : '';
  return refused(code, `The console refused: ${code}${why}`);
}

/** @param code  of the console that is asked, whichever version it is */
function refused(code: string, message: string): ReportedFailure {
  return new ReportedFailure({ exitCode: 1, code, message });
}

/** What a server says must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '?');
}
