/** A Go application with go-oidc, by docs/interop/go-oidc.md. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { pasteClientAdd } from './support/documented.ts';
import { answers, type RunningProgram, startProgram } from './support/program.ts';
import { recipe } from './support/recipe.ts';
import { signInAtApplication } from './support/walk.ts';

const sources = join(import.meta.dirname, 'go');
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'console-go-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const missing = await whyNoGo();

describe.skipIf(missing)(`go-oidc${missing ?? ''}`, () => {
  let console: RunningConsole;
  let application: RunningProgram;
  let url: string;
  beforeAll(async () => {
    console = await startConsole();
    url = `http://127.0.0.1:${await freePort()}`;
    const page = recipe('interop/go-oidc.md', {
      'https://ledger.example.com': url,
      'https://console.example.com': console.url,
    });
    const secret = await pasteClientAdd(page.blocks('sh')[0]!, console);
    const program = join(folder, 'peer');
    const main = await readFile(join(sources, 'main.go.txt'), 'utf8');
    await writeFile(join(folder, 'main.go'), main.replace('//RECIPE', page.blocks('go')[0]!));
    await run('go', ['build', '-o', program, '.'], { cwd: folder, timeout: 240_000 });
    const env = { LEDGER_SECRET: secret, LISTEN: new URL(url).host };
    application = await startProgram(program, [], env, () => answers(url));
  }, 300_000);
  afterAll(async () => {
    await application?.stop();
    await console?.stop();
  });

  test('signs in by PKCE, and checks the ID token', async () => {
    const { asked, end } = await signInAtApplication(console.url, `${url}/start`);
    expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
    expect(end.status).toBe(200);
    expect(JSON.parse(end.body)).toMatchObject({
      iss: console.url,
      aud: 'ledger',
      preferred_username: admin.username,
      roles: ['Admin', 'Viewer'],
    });
  });

  test('checks access tokens of people and machines, and refuses what is no access token for it', async () => {
    const person = await signInForTokens(console, createUserAgent(console.url));
    expect((await call(person.access_token)).status).toBe(200);
    expect((await call(await machineToken(console))).status).toBe(200);
    expect((await call(person.id_token)).status).toBe(401);
    expect((await call(`${person.access_token.slice(0, -4)}AAAA`)).status).toBe(401);
  });

  const call = (token: string) => fetch(`${url}/call`, { headers: { authorization: `Bearer ${token}` } });
});

/** Fetches the libraries, once for each person. @returns what is skipped, and why */
async function whyNoGo(): Promise<string | undefined> {
  for (const name of ['go.mod', 'go.sum']) await copyFile(join(sources, name), join(folder, name));
  try {
    await run('go', ['mod', 'download'], { cwd: folder, timeout: 180_000 });
    return undefined;
  } catch (error) {
    const { code, stderr = '' } = error as Error & { code?: unknown; stderr?: string };
    const why = code === 'ENOENT' ? 'there is no Go here' : stderr.split('\n')[0];
    return ` (skipped: ${why})`;
  }
}
