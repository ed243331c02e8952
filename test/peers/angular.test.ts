/** An Angular application with angular-oauth2-oidc, by docs/interop/angular.md: renewed in a hidden frame. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { cacheFolder, whyMissing } from './support/program.ts';
import { recipe } from './support/recipe.ts';

const home = join(cacheFolder, 'angular-1');
const { browser, reason } = await openBrowser();
const missing =
  whyMissing('angular-1', 'test/peers/set-up-angular.sh') ?? (reason ? ` (skipped: ${reason})` : undefined);
afterAll(() => browser?.close());

describe.skipIf(missing)(`Angular with angular-oauth2-oidc${missing ?? ''}`, { timeout: 60_000 }, () => {
  let console: RunningConsole;
  let server: Server;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    console = await startConsole();
    const port = await freePort();
    url = `http://localhost:${port}`;
    const page = recipe('interop/angular.md', {
      'https://board.example.com': url,
      'https://console.example.com': console.url,
    });
    const words = page
      .blocks('sh')[0]!
      .trim()
      .match(/"[^"]*"|\S+/g)!
      .map((word) => word.replaceAll('"', ''));
    await toolDone(words.slice(2), { dataDir: console.dataDir, env: { CONSOLE_URL: console.url } });
    folder = await mkdtemp(join(tmpdir(), 'console-angular-'));
    await symlink(join(home, 'node_modules'), join(folder, 'node_modules'));
    const main = await readFile(join(import.meta.dirname, 'angular/main.ts.txt'), 'utf8');
    await writeFile(
      join(folder, 'main.ts'),
      main.replace('//RECIPE', () => page.blocks('ts')[0]!),
    );
    const bundle = join(folder, 'main.js');
    const bundler = join(home, 'node_modules/.bin/esbuild');
    await promisify(execFile)(bundler, ['main.ts', '--bundle', '--format=esm', `--outfile=${bundle}`], {
      cwd: folder,
    });
    const script = await readFile(bundle);
    const frame = page.blocks('html')[0]!;
    server = createServer((req, res) => {
      const { pathname } = new URL(req.url ?? '/', url);
      if (pathname === '/main.js') return res.setHeader('Content-Type', 'text/javascript').end(script);
      res.setHeader('Content-Type', 'text/html');
      if (pathname === '/silent-refresh.html')
        return res.end(`<!doctype html><title>Renewal</title>${frame}`);
      return res.end(
        '<!doctype html><title>Board</title><link rel="icon" href="data:,"><body></body><script type="module" src="/main.js"></script>',
      );
    });
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  }, 120_000);
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await console?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('it signs in by PKCE, renews without a page, and notices a sign-out at the console', async () => {
    const context = await browser!.newContext();
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Username').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: `Signed in as ${admin.username}` }).waitFor();
    const first = await tokenOf(page);
    expect(decodeJwt(first)).toMatchObject({ iss: console.url, client_id: 'board' });

    await page.evaluate(() => oauth.silentRefresh());
    await until(async () => (await tokenOf(page)) !== first, 'a new token', 10_000);

    const other = await context.newPage();
    await other.goto(console.url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
    const rejected = await page.evaluate(() =>
      oauth.silentRefresh().then(
        () => 'renewed',
        (error: unknown) => JSON.stringify(error),
      ),
    );
    expect(rejected).toContain('login_required');
    await context.close();
  });
});

const tokenOf = (page: Page): Promise<string> => page.evaluate(() => oauth.getAccessToken());

/** Where the page has it. */
declare const oauth: {
  getAccessToken(): string;
  silentRefresh(): Promise<unknown>;
};
