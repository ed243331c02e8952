/** Clients that are generated from the description that a console gives, in three languages, at work. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { cacheFolder, whyMissing } from './support/program.ts';

const home = 'api-clients-2';
const programs = resolve(import.meta.dirname, 'api-clients');
const run = promisify(execFile);
/** No value is the one that a client has where nothing is said. */
const full = {
  displayName: 'Full',
  scopes: ['openid', 'profile'],
  grants: ['authorization_code'],
  firstParty: true,
  redirectUris: ['https://wiki.example/callback'],
  postLogoutUris: ['https://wiki.example/'],
  backchannelLogoutUri: 'https://wiki.example/backchannel',
  frontchannelLogoutUri: 'https://wiki.example/frontchannel',
  pkce: 'optional',
  maxRoles: ['Viewer'],
  tokenAlg: 'ES256',
  tokenTyp: 'at+jwt',
  tokenTtlSeconds: 120,
  dpop: true,
};

let console: RunningConsole;
let token: string;
let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'api-clients-'));
  console = await startConsole();
  token = await apiToken(console);
  const served = await fetch(`${console.url}/api/openapi.json`);
  await writeFile(join(work, 'openapi.json'), await served.text());
});
afterAll(async () => {
  await console?.stop();
  await rm(work, { recursive: true });
});

/** Each generates, compiles and runs: what the program says of its calls. */
const languages: Readonly<Record<string, (cache: string, folder: string) => Promise<string>>> = {
  async typescript(cache, folder) {
    const bin = (name: string) => join(cache, 'node_modules/.bin', name);
    await cp(join(programs, 'client.ts'), join(folder, 'client.ts'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await symlink(join(cache, 'node_modules'), join(folder, 'node_modules'));
    await done(
      bin('openapi-typescript'),
      [join(work, 'openapi.json'), '-o', 'api.d.ts', '--default-non-nullable', 'false'],
      folder,
    );
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    await done(bin('tsc'), [...options, '--skipLibCheck', 'client.ts'], folder);
    return done(process.execPath, ['client.js'], folder);
  },
  async python(cache, folder) {
    const bin = (name: string) => join(cache, 'bin', name);
    const to = ['--output-path', 'console_client', '--meta', 'none'];
    const args = ['generate', '--path', join(work, 'openapi.json'), ...to];
    await done(bin('openapi-python-client'), args, folder);
    await done(bin('python3'), ['-m', 'compileall', '-q', 'console_client'], folder);
    await cp(join(programs, 'client.py'), join(folder, 'client.py'));
    return done(bin('python3'), ['client.py'], folder);
  },
  async java(cache, folder) {
    const parts = 'apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
    const as = [
      '-g',
      'java',
      '--library',
      'native',
      '--additional-properties',
      'useJakartaEe=true,containerDefaultToNull=true',
    ];
    const from = ['generate', '-i', join(work, 'openapi.json'), ...as, '--global-property', parts, '-o', '.'];
    await done('java', ['-jar', join(cache, 'openapi-generator-cli-7.17.0.jar'), ...from], folder);
    const classPath = ['classes', join(cache, 'libraries/*')].join(':');
    const written = (await readdir(folder, { recursive: true }))
      .filter((name) => name.startsWith('src/main/') && name.endsWith('.java'))
      .map((name) => join(folder, name));
    const options = ['-encoding', 'UTF-8', '-nowarn', '-proc:none', '-cp', classPath, '-d', 'classes'];
    await done('javac', [...options, join(programs, 'Program.java'), ...written], folder);
    return done('java', ['-cp', classPath, 'Program'], folder);
  },
};

describe.each(Object.entries(languages))('a client that is generated for %s', (language, tried) => {
  const missing = whyMissing(`${home}/${language}`, 'bash test/peers/set-up-api-clients.sh') ?? '';

  test.skipIf(missing)(
    `makes, lists, reads and changes one field, resets nothing else, and reads why it was refused${missing}`,
    { timeout: 120_000 },
    async () => {
      const name = `full-${language}`;
      const before = await call('POST', '/applications', { id: name, ...full });
      expect(before).toMatchObject(full);
      const folder = await mkdtemp(join(work, `${language}-`));
      const said = JSON.parse(await tried(join(cacheFolder, home, language), folder)) as object;
      expect(said).toEqual({
        made: true,
        listed: expect.arrayContaining([name, `made-by-${language}`]),
        before: 'Full',
        after: 'Renamed',
        code: 'invalid_request',
        pointer: '#/scopes/0',
      });
      const { updatedAt: _updatedAt, secrets: _secrets, ...after } = await call('GET', `/clients/${name}`);
      expect(before).toMatchObject({ ...after, displayName: 'Full' });
      expect(after).toMatchObject({ ...full, displayName: 'Renamed' });
      expect(await call('GET', `/clients/made-by-${language}`)).toMatchObject({
        displayName: 'Made',
        scopes: ['svc:map:orders-*:read'],
      });
    },
  );
});

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text) as Record<string, unknown>;
}

/** @throws {Error} with what it wrote when it does not end well */
async function done(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CONSOLE: console.url, TOKEN: token };
  try {
    return (await run(command, args, { cwd, env, maxBuffer: 2 ** 26, timeout: 100_000 })).stdout;
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${command} failed\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`, { cause });
  }
}
