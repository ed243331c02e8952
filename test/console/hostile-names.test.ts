/** Names that all objects have in common, as keys and values of everything that a caller can send. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { encodePart, makeProof, newClientKey } from '../helpers/dpop.ts';
import { authorizationPath } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { addProxyClient, memberOf, startProxy, tokenOf } from '../proxy/support.ts';

const names = ['__proto__', 'constructor', 'prototype'] as const;
/** Says on standard output what the process makes of the name, when it is asked. */
const spy = `process.on("SIGUSR2",()=>process.stdout.write("proto:"+("__proto__" in {})+({}).polluted+"\\n"))`;
const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(spy)}"` };

let console: RunningConsole;
/** At the admin API, and at the members. */
let admin: string;
let caller: string;
let reporter: string;

beforeAll(async () => {
  console = await startConsole({ env });
  [admin, caller] = [await apiToken(console), await machineToken(console)];
  reporter = await tokenOf(console, await addProxyClient(console, 'reporter'), 'api:refusals:write');
  await toolDone(['client', 'add', 'changed', '--scope', 'svc:health:read'], { dataDir: console.dataDir });
  await json('POST', '/api/v1/roles', '{"id":"Changed","permissions":["svc:health:read"]}');
});
afterAll(() => console?.stop());

const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });

function form(
  path: string,
  body: string,
  headers: Record<string, string> = basic('application-client', clientSecret),
) {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return fetch(console.url + path, {
    method: 'POST',
    headers: { ...type, ...headers },
    body,
    redirect: 'manual',
  });
}

function json(method: string, path: string, body: string, token = path.startsWith('/api/') ? admin : caller) {
  return fetch(console.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body,
  });
}

describe('a process has no __proto__ (S90)', () => {
  async function reported({ child, stdout }: Pick<RunningConsole, 'child' | 'stdout'>): Promise<void> {
    child.kill('SIGUSR2');
    await expect.poll(stdout, { timeout: 20_000 }).toContain('proto:falseundefined\n');
  }

  test('the console', () => reported(console));

  test('the proxy in a process of its own', async () => {
    const client = await addProxyClient(console, 'of-the-proxy');
    const proxy = await startProxy({ console, client, members: [memberOf(console)], env });
    try {
      await reported(proxy);
    } finally {
      await proxy.stop();
    }
  });
});

const bodies = [
  ['POST', '/api/v1/roles', '"id":"Orders","permissions":["svc:health:read"]'],
  ['PATCH', '/api/v1/roles/Changed', '"permissions":["svc:health:read"]'],
  ['POST', '/api/v1/identity-providers', '"id":"corp","kind":"oidc"'],
  ['PATCH', '/api/v1/clients/changed', '"scopes":["svc:health:read"]'],
  ['POST', '/api/v1/refusals', '"stem":"pkstem","number":0,"refusals":[]'],
] as const;

describe.each(names)('%s (S53, S90)', (name) => {
  test.each(bodies)(
    'as a key of the body of %s %s is refused, on top and deep inside',
    async (method, path, rest) => {
      for (const body of [
        `{"${name}":{"polluted":true,"roles":["Admin"]},${rest}}`,
        `{${rest},"further":{"list":[{"${name}":{"polluted":true}}]}}`,
        `{${rest},"\\u005f\\u005fproto__":{"polluted":true},"${name}":1}`,
      ]) {
        const reply = await json(method, path, body, path.endsWith('refusals') ? reporter : admin);
        const { code } = (await reply.json()) as { code: string };
        expect([reply.status, code]).toEqual([400, 'invalid_request']);
      }
    },
  );

  test('as a key of the JSON form of a call to a member is refused', async () => {
    const reply = await json('POST', '/svc/rest/management/cluster/state', `{"${name}":{"polluted":true}}`);
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['/oauth2/token', 'grant_type=client_credentials', 200],
    ['/oauth2/revoke', 'token=x.y.z', 200],
    ['/oauth2/introspect', 'token=x.y.z', 200],
  ])('as a parameter of %s counts for nothing', async (path, rest, status) => {
    for (const field of [`${name}=Admin`, `${name}[polluted]=true`, `${name}.polluted=true`]) {
      expect((await form(path, `${rest}&${field}`)).status).toBe(status);
    }
    expect((await form(path, `${rest}&${name}=1&${name}=2`)).status).toBe(400);
  });

  test.each([
    ['grant_type', `grant_type=${name}`, 'unsupported_grant_type'],
    ['scope', `grant_type=client_credentials&scope=${name}`, 'invalid_scope'],
    ['resource', `grant_type=client_credentials&resource=${name}`, 'invalid_target'],
  ])('as the %s of a token request is refused', async (_what, body, error) => {
    const reply = await form('/oauth2/token', body);
    expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([400, error]);
  });

  test('as a client is not known', async () => {
    const reply = await form('/oauth2/token', 'grant_type=client_credentials', basic(name, clientSecret));
    expect(reply.status).toBe(401);
    const page = await fetch(console.url + authorizationPath({ client_id: name }), { redirect: 'manual' });
    expect(page.status).toBe(400);
  });

  test('in the forms of a sign-in counts for nothing', async () => {
    const agent = createUserAgent(console.url);
    const page = await agent.get('/login');
    const fields = { username: name, password: name, [name]: 'Admin', [`${name}[roles]`]: 'Admin' };
    expect((await agent.submit(page, fields)).status).toBe(401);
  });

  test.each(['roles', 'clients', 'identity-providers', 'access', ''])(
    'below /api/v1/%s finds nothing',
    async (resource) => {
      const reply = await fetch(`${console.url}/api/v1/${resource}${resource && '/'}${name}`, {
        headers: { Authorization: `Bearer ${admin}` },
      });
      expect([400, 404]).toContain(reply.status);
    },
  );

  test('as a parameter of a query that is not known is refused', async () => {
    for (const query of [`${name}=x`, `role=${name}`, `user=${name}`, `client=${name}`, `decision=${name}`]) {
      const path = query.startsWith('decision') ? 'explain' : 'matrix';
      const reply = await fetch(`${console.url}/api/v1/access/${path}?${query}`, {
        headers: { Authorization: `Bearer ${admin}` },
      });
      expect([400, 404]).toContain(reply.status);
    }
  });

  test('in the head, the claims or the proof of a token opens nothing', async () => {
    const key = await newClientKey();
    const own = `{"${name}":{"roles":["Admin"],"alg":"none"},"alg":"${name}","kid":"${name}"}`;
    const forged = `${encodePart(own)}.${encodePart(`{"${name}":{"roles":["Admin"]}}`)}.AAAA`;
    const url = `${console.url}/svc/rest/cluster`;
    const bearer = await fetch(url, { headers: { Authorization: `Bearer ${forged}` } });
    expect(bearer.status).toBe(401);
    for (const proof of [
      forged,
      await makeProof(key, { url, claims: { [name]: 'x', ath: undefined } }),
      `${encodePart(`{"typ":"dpop+jwt","alg":"${name}","jwk":{"${name}":{}}}`)}.${encodePart('{}')}.AAAA`,
    ]) {
      const reply = await fetch(url, { headers: { Authorization: `DPoP ${caller}`, DPoP: proof } });
      expect(reply.status).toBe(401);
    }
  });

  test('is a name like any other for a map and its keys', async () => {
    const url = `${console.url}/svc/rest/maps/${name}/${name}`;
    const headers = { Authorization: `Bearer ${caller}`, 'Content-Type': 'text/plain' };
    expect((await fetch(url, { headers })).status).toBe(204);
    expect((await fetch(url, { method: 'POST', headers, body: name })).status).toBe(200);
    expect(await (await fetch(url, { headers })).text()).toBe(name);
  });
});

test('afterwards the console is as it was (S86, S90)', async () => {
  console.child.kill('SIGUSR2');
  await expect
    .poll(() => console.stdout().match(/proto:.*\n/g), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['proto:falseundefined\n']));
  expect(console.stdout()).not.toContain('proto:falsetrue');
  expect(await (await fetch(`${console.url}/metrics`)).text()).toContain('console_uncaught_errors_total 0\n');
  expect(console.log().filter(({ msg }) => msg === 'request failed')).toEqual([]);
  const roles = await fetch(`${console.url}/api/v1/roles`, { headers: { Authorization: `Bearer ${admin}` } });
  const { items } = (await roles.json()) as { items: { id: string; builtIn: boolean }[] };
  expect(items.filter(({ builtIn }) => !builtIn).map(({ id }) => id)).toEqual(['Changed']);
});
