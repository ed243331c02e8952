import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';

const run = promisify(execFile);

describe('the first two minutes', () => {
  let folder: string;
  let console: RunningConsole;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first walk '));
    const secretFile = join(folder, 'client.secret');
    await writeFile(secretFile, `${clientSecret}\n`, { mode: 0o600 });
    console = await startConsole({
      env: {
        CONSOLE_APPLICATION_CLIENT_SECRET: undefined,
        CONSOLE_APPLICATION_CLIENT_SECRET_FILE: secretFile,
        CONSOLE_ADMIN_USERNAME: undefined,
        CONSOLE_ADMIN_PASSWORD: undefined,
      },
    });
  });
  afterAll(async () => {
    await console.stop();
    await rm(folder, { recursive: true });
  });

  test('the start names the issuer and a set-up link, and shows no secret', () => {
    expect(console.stdout()).toContain(`issuer         ${console.url}`);
    expect(console.stdout()).toMatch(/none yet; make one at http:\/\/localhost:\d+\/setup\?token=[\w-]{32}/);
    expect(console.stdout()).not.toContain(clientSecret);
    expect(console.stderr()).not.toContain(clientSecret);
  });

  test('the two printed lines work when pasted, in a folder with a space in its name too', async () => {
    const lines = console
      .stdout()
      .split('\n')
      .filter((line) => /^ {4}(TOKEN=|curl )/.test(line));
    expect(lines).toHaveLength(2);
    const { stdout } = await run('bash', ['-c', lines.join('\n')], { cwd: tmpdir() });
    expect(JSON.parse(stdout)).toMatchObject({
      members: [{ localMember: true, memberVersion: expect.any(String) }],
    });
  });

  test('the calls of the README work when pasted', async () => {
    const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
    const calls = blocks.filter((block) => block.includes('/svc/rest/')).join('\n');
    const here = calls
      .replaceAll('http://localhost:8080', console.url)
      .replaceAll('curl ', 'curl -sS -w "|%{content_type}\\n" ');
    const withoutExtras = here.replace('TOKEN=$(curl -sS -w "|%{content_type}\\n" -s', 'TOKEN=$(curl -s');
    const { stdout } = await run('bash', ['-c', withoutExtras], { cwd: folder });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^\{"members":.*\|application\/json$/),
      '|',
      'hello|text/plain',
      '|',
      expect.stringMatching(/^a job\|/),
      '',
    ]);
  });
});

test('without the secret the start says that client credentials are off, and how to turn them on', async () => {
  const console = await startConsole({ env: { CONSOLE_APPLICATION_CLIENT_SECRET: undefined } });
  try {
    expect(console.stdout()).toContain('Tokens for machines (client credentials) are off.');
    expect(console.stdout()).toContain('CONSOLE_APPLICATION_CLIENT_SECRET_FILE=client.secret npm start');
    expect(console.stdout()).toContain('administrator  ada; sign in at');
  } finally {
    await console.stop();
  }
});
