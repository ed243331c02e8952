/** What a start leaves for the first who asks: libraries that take longer to load than the rest of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { runTool, temporaryDirectory } from '../commands/support.ts';
import { apiToken, startConsole } from '../helpers/console.ts';

/** Writes down which libraries of schemas and protocols a process loads. */
const hook = `import { appendFileSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    const [, name] = /node_modules\\/(zod|ldapts|@node-saml|xml-crypto|openid-client)\\//.exec(found.url) ?? [];
    if (name) appendFileSync(process.env.LOADED_LIBRARIES, name + '\\n');
    return found;
  }`;

test('a console without providers, and idp list, load no library of schemas or protocols; the admin API does by its first call', async () => {
  const directory = temporaryDirectory();
  const [hookFile, registerFile, listFile] = ['hook.mjs', 'register.mjs', 'loaded'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  writeFileSync(hookFile, hook);
  const register = `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hookFile))});`;
  writeFileSync(registerFile, register);
  writeFileSync(listFile, '');
  const env = { NODE_OPTIONS: `--import=${registerFile}`, LOADED_LIBRARIES: listFile };
  const loaded = () => [...new Set(readFileSync(listFile, 'utf8').split('\n').filter(Boolean))];

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
