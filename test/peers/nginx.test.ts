/** nginx asks the console about each call (auth_request), by docs/interop/nginx.md. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { answers } from './support/program.ts';
import { recipe } from './support/recipe.ts';

const program = '/usr/sbin/nginx';
const missing = existsSync(program)
  ? undefined
  : ' (skipped: there is no nginx here: apt-get install nginx-light)';

describe.skipIf(missing)(`nginx with auth_request${missing ?? ''}`, () => {
  let console: RunningConsole;
  let application: Server;
  let nginx: { stop(): Promise<void> };
  let url: string;
  let calls = 0;
  beforeAll(async () => {
    console = await startConsole();
    application = createServer((_req, res) => {
      calls += 1;
      res.end('the report');
    });
    await new Promise<void>((done) => application.listen(0, '127.0.0.1', done));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const page = recipe('interop/nginx.md', {
      'http://127.0.0.1:9000': `http://127.0.0.1:${(application.address() as AddressInfo).port}`,
      'https://console.example.com/userinfo': `http://127.0.0.1:${console.port}/userinfo`,
      'Host console.example.com': `Host localhost:${console.port}`,
    });
    nginx = await startNginx(port, page.blocks('nginx')[0]!);
    await until(() => answers(url), 'nginx', 20_000);
  });
  afterAll(async () => {
    await nginx?.stop();
    application?.close();
    await console?.stop();
  });

  const call = async (authorization?: string) =>
    (await fetch(`${url}/reports/today`, { headers: authorization ? { authorization } : {} })).status;

  test('lets a person with a good token through, and nobody else', async () => {
    const { access_token: token } = await signInForTokens(console, createUserAgent(console.url));
    expect(await call(`Bearer ${token}`)).toBe(200);
    const before = calls;
    expect(await call()).toBe(401);
    expect(await call('Bearer made-up')).toBe(401);
    expect(await call(`Bearer ${token.slice(0, -4)}AAAA`)).toBe(401);
    expect([401, 403]).toContain(await call(`Bearer ${await machineToken(console)}`));
    expect(calls).toBe(before);
  });

  test('refuses a token from the call on that follows the sign-out', async () => {
    const agent = createUserAgent(console.url);
    const { access_token: token } = await signInForTokens(console, agent);
    expect(await call(`Bearer ${token}`)).toBe(200);
    await agent.follow(await agent.submit(await agent.get('/connect/logout')));
    expect(await call(`Bearer ${token}`)).toBe(401);
  });
});

/** In the foreground, with nothing of the machine's own configuration. */
async function startNginx(port: number, locations: string): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'console-nginx-'));
  await chmod(folder, 0o755);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\nserver {\nlisten 127.0.0.1:${port};\n${locations}\n}\n}\n`,
  );
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
  const exited = new Promise((done) => child.once('close', done));
  return {
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
