/** The settings that docs/interop/grafana.md gives, followed step by step as Grafana's generic OAuth does. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { pasteClientAdd } from './support/documented.ts';
import { cacheFolder, whyMissing } from './support/program.ts';
import { recipe } from './support/recipe.ts';

const missing = whyMissing('python-clients-3', 'test/peers/set-up-python.sh');

describe.skipIf(missing)(`Grafana's generic OAuth${missing ?? ''}`, () => {
  let console: RunningConsole;
  let settings: ReadonlyMap<string, string>;
  let secret: string;
  let url: string;
  beforeAll(async () => {
    console = await startConsole();
    url = `http://127.0.0.1:${await freePort()}`;
    const page = recipe('interop/grafana.md', {
      'https://grafana.example.com': url,
      'https%3A%2F%2Fgrafana.example.com': encodeURIComponent(url),
      'https://console.example.com': console.url,
    });
    secret = await pasteClientAdd(page.blocks('sh')[0]!, console);
    settings = new Map(
      page
        .blocks('ini')[0]!
        .split('\n')
        .flatMap((line) => {
          const at = line.indexOf(' = ');
          return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 3)] as const];
        }),
    );
  });
  afterAll(() => console?.stop());

  test('somebody signs in, gets the role of the expression, and the token is refreshed', async () => {
    const agent = createUserAgent(console.url);
    const verifier = randomBytes(32).toString('base64url');
    const redirectUri = `${url}/login/generic_oauth`;
    const asked = new URL(settings.get('auth_url')!);
    asked.search = new URLSearchParams({
      client_id: settings.get('client_id')!,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: settings.get('scopes')!,
      state: 'state-of-grafana',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    let page = await agent.follow(await agent.get(asked.href));
    page = await agent.follow(await agent.submit(page, admin));
    expect(page.body).toContain('grafana');
    page = await agent.follow(await agent.submit(page, { decision: 'allow' }));
    const code = new URL(page.headers.location!).searchParams.get('code')!;
    const tokens = await ask(settings.get('token_url')!, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const info = await userinfo(tokens.access_token);
    expect(valueAt(settings.get('role_attribute_path')!, info)).toBe('Admin');
    expect(valueAt(settings.get('login_attribute_path')!, info)).toBe(admin.username);
    expect(valueAt(settings.get('role_attribute_path')!, { ...info, roles: ['MetricsViewer'] })).toBe(false);
    const again = await ask(settings.get('token_url')!, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    expect(await userinfo(again.access_token)).toMatchObject({ preferred_username: admin.username });
    const out = await agent.follow(await agent.get(settings.get('signout_redirect_url')!));
    expect(out.status).toBe(200);
  });

  /** Grafana finds out by itself that Basic is taken. */
  async function ask(address: string, form: Record<string, string>) {
    const basic = Buffer.from(`${settings.get('client_id')}:${secret}`).toString('base64');
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { access_token: string; refresh_token: string };
  }

  async function userinfo(token: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(settings.get('api_url')!, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  }
});

function valueAt(path: string, data: unknown): unknown {
  const script =
    'import jmespath, json, sys; print(json.dumps(jmespath.search(sys.argv[1], json.loads(sys.argv[2]))))';
  const python = join(cacheFolder, 'python-clients-3/bin/python');
  return JSON.parse(execFileSync(python, ['-c', script, path, JSON.stringify(data)], { encoding: 'utf8' }));
}
