/** What a start leaves for the first who asks: libraries that take longer to load than the rest of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { runTool, temporaryDirectory } from '../commands/support.ts';
import { apiToken, startConsole } from '../helpers/console.ts';

/** Writes down which files a process loads. */
const hook = `import { appendFileSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    if (found.url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, found.url + '\\n');
    return found;
  }`;
/** A built file says what it is made of. */
const marks = /^\/\/ node_modules\/(zod|ldapts|@node-saml|xml-crypto|openid-client)\//gm;

test('a console without providers, and idp list, load no library of schemas or protocols; the admin API does by its first call', async () => {
  const directory = temporaryDirectory();
  const [hookFile, registerFile, listFile] = ['hook.mjs', 'register.mjs', 'loaded'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  writeFileSync(hookFile, hook);
  const register = `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hookFile))});`;
  writeFileSync(registerFile, register);
  writeFileSync(listFile, '');
  const env = { NODE_OPTIONS: `--import=${registerFile}`, LOADED_FILES: listFile };
  const loaded = () => {
    const files = new Set(readFileSync(listFile, 'utf8').split('\n').filter(Boolean));
    const texts = [...files].map((url) => readFileSync(new URL(url), 'utf8'));
    return [...new Set(texts.flatMap((text) => [...text.matchAll(marks)].map(([, name]) => name)))];
  };

  const dataDir = join(directory, 'data');
  const console = await startConsole({ env, dataDir });
  try {
    expect(loaded()).toEqual([]);
    const headers = { Authorization: `Bearer ${await apiToken(console)}` };
    const calls = ['roles', 'clients', 'roles'].map((path) =>
      fetch(`${console.url}/api/v1/${path}`, { headers }),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(loaded()).toEqual(['zod']);
  } finally {
    await console.stop();
  }
  writeFileSync(listFile, '');
  expect((await runTool(['idp', 'list'], { dataDir, env })).code).toBe(0);
  expect(loaded()).toEqual([]);
}, 60_000);
