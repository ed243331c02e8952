/** Keycloak as a broker: it sends people to the console, by docs/interop/keycloak-broker.md. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, type Reply, type UserAgent } from '../helpers/user-agent.ts';
import { pasteClientAdd } from './support/documented.ts';
import { type Keycloak, keycloakStartMs, openKeycloak, whyNoKeycloak } from './support/keycloak.ts';
import { recipe } from './support/recipe.ts';

describe.skipIf(whyNoKeycloak)(`Keycloak as a broker${whyNoKeycloak ?? ''}`, { timeout: 60_000 }, () => {
  let console: RunningConsole;
  let keycloak: Keycloak;
  let issuer: string;
  const callback = 'http://localhost:9/callback';
  beforeAll(async () => {
    [console, keycloak] = await Promise.all([
      startConsole({ env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } }),
      openKeycloak(),
    ]);
    issuer = await keycloak.addRealm({
      realm: 'staff',
      clients: [
        {
          clientId: 'intranet',
          protocol: 'openid-connect',
          publicClient: true,
          directAccessGrantsEnabled: false,
          redirectUris: [callback],
        },
      ],
    });
    const page = recipe('interop/keycloak-broker.md', {
      'https://login.example.com': keycloak.origin,
      'https://console.example.com': console.url,
    });
    const secret = await pasteClientAdd(page.blocks('sh')[0]!, console);
    const provider = JSON.parse(page.blocks('json')[0]!.replace('the secret that was printed', secret));
    await keycloak.manage('POST', '/staff/identity-provider/instances', provider);
  }, keycloakStartMs + 60_000);
  afterAll(async () => {
    await console?.stop();
  });

  test('somebody signs in here, and the application gets a code of Keycloak', async () => {
    const { asked, tokens } = await signIn();
    expect([asked.origin, asked.searchParams.get('code_challenge_method')]).toEqual([console.url, 'S256']);
    expect(decodeJwt(tokens.access_token).preferred_username).toBe(admin.username);
  });

  test('a logout there ends the session here, by the browser', async () => {
    const { here, there, tokens } = await signIn();
    expect((await here.get('/account')).status).toBe(200);
    const asked = `${issuer}/protocol/openid-connect/logout?id_token_hint=${tokens.id_token}`;
    const away = await there.follow(await there.get(asked));
    expect(away.headers.location).toMatch(new RegExp(`^${console.url}/connect/logout\\?`));
    const back = await here.follow(await here.get(away.headers.location!));
    expect(back.headers.location).toMatch(new RegExp(`^${issuer}/broker/console/endpoint/logout_response`));
    expect((await there.follow(await there.get(back.headers.location!))).status).toBe(200);
    expect((await here.get('/account')).status).toBe(303);
  });

  async function signIn(): Promise<{ here: UserAgent; there: UserAgent; asked: URL; tokens: Tokens }> {
    const [here, there] = [createUserAgent(console.url), createUserAgent(keycloak.origin)];
    const query = { client_id: 'intranet', redirect_uri: callback, response_type: 'code', scope: 'openid' };
    const start = `${issuer}/protocol/openid-connect/auth?${new URLSearchParams({ ...query, kc_idp_hint: 'console' })}`;
    const away = await there.follow(await there.get(start));
    const asked = new URL(away.headers.location!);
    const back = await signInHere(here, asked.href);
    const code = new URL((await finishAt(there, back)).headers.location!).searchParams.get('code');
    const reply = await ask({ grant_type: 'authorization_code', redirect_uri: callback, code: code! });
    return { here, there, asked, tokens: (await reply.json()) as Tokens };
  }

  function ask(form: Readonly<Record<string, string>>): Promise<Response> {
    const body = new URLSearchParams({ client_id: 'intranet', ...form });
    return fetch(`${issuer}/protocol/openid-connect/token`, { method: 'POST', body });
  }

  async function signInHere(here: UserAgent, address: string): Promise<string> {
    let page = await here.follow(await here.get(address));
    page = await here.follow(await here.submit(page, admin));
    if (page.status === 200) page = await here.follow(await here.submit(page, { decision: 'allow' }));
    return page.headers.location!;
  }

  /** Past Keycloak's question for what it does not know of the person yet. */
  async function finishAt(there: UserAgent, back: string): Promise<Reply> {
    const page = await there.follow(await there.get(back));
    if (page.status !== 200) return page;
    const profile = {
      username: admin.username,
      email: 'ada@corp.example',
      firstName: 'Ada',
      lastName: 'Lovelace',
    };
    return there.follow(await there.submit(page, profile));
  }
});

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}
