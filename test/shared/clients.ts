/** What programs and people ask consoles that share a database, and the proxies beside them, all the time. */
import { apiToken, machineToken } from '../helpers/console.ts';
import { authorize, redeem, refresh, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import type { Work } from './load.ts';

/** Of a token that is used again; it lives for five minutes. */
const tokenMs = 60_000;

/**
 * Requests that nobody repeats, and none of which may fail.
 *
 * @param proxies  address of the separate ones
 */
export async function requestsOf(
  url: string,
  proxies: string,
): Promise<readonly (readonly [kind: string, work: Work])[]> {
  const console = { url };
  const browser = createUserAgent(url);
  await browser.signIn();
  let tokens = await signInForTokens(console, createUserAgent(url));
  const [memberToken, adminToken] = [reused(() => machineToken(console)), reused(() => apiToken(console))];
  let changes = 0;

  return [
    ['machine token', () => machineToken(console).then(() => undefined)],
    ['refresh', refreshed],
    ['userinfo', async () => statusIn(await userinfo(console, tokens.access_token), 200)],
    ['sign-in', signedIn],
    ['page', async () => statusIn(await browser.get('/account'), 200)],
    ['admin reading', async () => answered(`${url}/api/v1/users`, await adminToken(), 200)],
    ['admin change', changed],
    ['admin addition', added],
    ['call by a console', async () => answered(`${url}/svc/rest/cluster`, await memberToken(), 200)],
    ['call by a proxy', async () => answered(`${proxies}/svc/rest/cluster`, await memberToken(), 200)],
    ['call by a proxy', async () => answered(`${proxies}/svc/rest/cluster`, await memberToken(), 200)],
  ];

  /** The same session all along. */
  async function refreshed(): Promise<string | undefined> {
    const answer = await refresh(console, tokens.refresh_token);
    if (answer.status !== 200) return `${answer.status} ${JSON.stringify(answer.body)}`;
    tokens = answer.body;
    return undefined;
  }

  async function signedIn(): Promise<string | undefined> {
    const code = (await authorize(createUserAgent(url))).get('code');
    const answer = await redeem(console, code);
    return answer.status === 200 ? undefined : `${answer.status} ${JSON.stringify(answer.body)}`;
  }

  async function changed(): Promise<string | undefined> {
    const body = { permissions: ['svc:data:read'], description: `shift ${changes++}` };
    return answered(`${url}/api/v1/roles/shift`, await adminToken(), [200, 201], {
      method: 'PUT',
      body: JSON.stringify(body),
    });
  }

  async function added(): Promise<string | undefined> {
    const id = `machine-${changes++}`;
    return answered(`${url}/api/v1/clients`, await adminToken(), 201, {
      method: 'POST',
      headers: { 'Idempotency-Key': `addition-of-${id}-0123456789` },
      body: JSON.stringify({ id, scopes: ['svc:data:read'] }),
    });
  }
}

async function answered(
  address: string,
  token: string,
  wanted: number | readonly number[],
  init: RequestInit = {},
): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers };
  const { method = 'GET', body } = init;
  const answer = await fetch(address, { method, headers, ...(body != null && { body }) });
  return statusIn({ status: answer.status, body: await answer.text() }, wanted);
}

function statusIn(
  { status, body }: { readonly status: number; readonly body: unknown },
  wanted: number | readonly number[],
): string | undefined {
  return [wanted].flat().includes(status) ? undefined : `${status} ${JSON.stringify(body).slice(0, 300)}`;
}

function reused(ask: () => Promise<string>): () => Promise<string> {
  let token: Promise<string> | undefined;
  let until = 0;
  return () => {
    if (token === undefined || performance.now() > until) {
      token = ask();
      until = performance.now() + tokenMs;
    }
    return token;
  };
}
