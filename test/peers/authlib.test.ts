/** A Python application with Authlib, by docs/interop/authlib.md. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { pasteClientAdd } from './support/documented.ts';
import { answers, cacheFolder, type RunningProgram, startProgram, whyMissing } from './support/program.ts';
import { recipe } from './support/recipe.ts';
import { signInAtApplication } from './support/walk.ts';

const missing = whyMissing('python-clients-3', 'test/peers/set-up-python.sh');

describe.skipIf(missing)(`Flask with Authlib${missing ?? ''}`, () => {
  let console: RunningConsole;
  let application: RunningProgram;
  let url: string;
  beforeAll(async () => {
    console = await startConsole();
    url = `http://127.0.0.1:${await freePort()}`;
    const page = recipe('interop/authlib.md', {
      'https://reports.example.com': url,
      'https://console.example.com': console.url,
    });
    const secret = await pasteClientAdd(page.blocks('sh')[0]!, console);
    application = await startProgram(
      join(cacheFolder, 'python-clients-3/bin/python'),
      [join(import.meta.dirname, 'python/app.py'), new URL(url).port],
      { RECIPE: page.blocks('python')[0]!, REPORTS_SECRET: secret, CALLBACK: `${url}/callback` },
      () => answers(url),
    );
  });
  afterAll(async () => {
    await application?.stop();
    await console?.stop();
  });

  test('signs in by a nonce, without PKCE, and gets name and roles (C1)', async () => {
    const { asked, end } = await signInAtApplication(console.url, url);
    expect(asked.searchParams.has('nonce')).toBe(true);
    expect(asked.searchParams.has('code_challenge')).toBe(false);
    expect(end.status).toBe(200);
    expect(JSON.parse(end.body).userinfo).toMatchObject({
      iss: console.url,
      aud: 'reports',
      preferred_username: admin.username,
      roles: ['Admin', 'Viewer'],
    });
  });
});
