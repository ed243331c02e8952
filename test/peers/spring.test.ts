/** Applications of Spring Boot 3 and 4, by docs/interop/spring-boot.md: they sign people in, and check access tokens. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { pasteClientAdd } from './support/documented.ts';
import { answers, cacheFolder, type RunningProgram, startProgram, whyMissing } from './support/program.ts';
import { recipe } from './support/recipe.ts';
import { signInAtApplication } from './support/walk.ts';

const source = join(import.meta.dirname, 'spring/Application.java');

describe.each([
  ['3', '3.5.7', false],
  ['4', '4.0.0', true],
] as const)('Spring Boot %s', (_name, version, sendsPkce) => {
  const missing = whyMissing(`spring-boot-${version}`, 'test/peers/set-up-spring.sh');

  describe.skipIf(missing)(`client and resource server${missing ?? ''}`, () => {
    let console: RunningConsole;
    let application: RunningProgram;
    let folder: string;
    let url: string;
    beforeAll(async () => {
      console = await startConsole();
      const port = await freePort();
      url = `http://localhost:${port}`;
      const page = recipe('interop/spring-boot.md', {
        'https://orders.example.com': url,
        'https://console.example.com': console.url,
      });
      const secret = await pasteClientAdd(page.blocks('sh')[0]!, console);
      folder = await mkdtemp(join(tmpdir(), 'console-spring-'));
      const settings = join(folder, 'application.yml');
      await writeFile(settings, page.blocks('yaml')[0]!);
      const libraries = join(cacheFolder, `spring-boot-${version}`, '*');
      await promisify(execFile)('javac', ['-parameters', '-cp', libraries, '-d', folder, source]);
      const started = [
        `--server.port=${port}`,
        '--server.address=127.0.0.1',
        `--spring.config.location=${settings}`,
      ];
      const java = [
        '-XX:TieredStopAtLevel=1',
        '-cp',
        `${folder}:${libraries}`,
        'peer.Application',
        ...started,
      ];
      application = await startProgram('java', java, { ORDERS_SECRET: secret }, () =>
        answers(`${url}/machine`),
      );
    }, 240_000);
    afterAll(async () => {
      await application?.stop();
      await console?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('signs somebody in, and is told of the sign-out (C1)', async () => {
      const { there, here, asked, end } = await signInAtApplication(console.url, `${url}/me`);
      expect(asked.searchParams.has('nonce')).toBe(true);
      expect(asked.searchParams.has('code_challenge')).toBe(sendsPkce);
      expect([end.status, end.body]).toEqual([200, `${admin.username} [Admin, Viewer]`]);
      await here.follow(await here.submit(await here.get('/connect/logout')));
      await until(async () => (await there.get('/me')).status === 302, 'the session there to end', 10_000);
    });

    test('lets machines in by role, and refuses tokens that are not for it', async () => {
      expect(await call(await machineToken(console))).toEqual([
        200,
        { name: 'application-client', authorities: expect.arrayContaining(['ROLE_Admin']) },
      ]);
      expect((await call(await machineToken(console, 'app:Viewer')))[0]).toBe(403);
      expect((await call('made-up'))[0]).toBe(401);
      expect((await call(await tokenForApi()))[0]).toBe(401);
    });

    /** Of the admin API: another audience. */
    async function tokenForApi(): Promise<string> {
      const options = { dataDir: console.dataDir, env: { CONSOLE_URL: console.url } };
      const add = ['client', 'add', 'auditor', '--scope', 'api:revocations:read', '--json'];
      const { secret } = (await toolDone(add, options)).json<{ secret: string }>();
      const asked = ['token', '--client', 'auditor', '--secret-file', '-', '--scope', 'api:revocations:read'];
      return (await toolDone(asked, { ...options, stdin: secret })).stdout.trim();
    }

    async function call(token: string): Promise<[number, unknown]> {
      const response = await fetch(`${url}/machine`, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      return [response.status, text === '' ? undefined : JSON.parse(text)];
    }
  });
});
