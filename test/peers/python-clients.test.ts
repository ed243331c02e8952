/** Applications with a secret whose libraries send no PKCE by themselves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, type Reply } from '../helpers/user-agent.ts';
import { type PythonApplications, startPythonApplications, whyNoPython } from './support/python.ts';

const secret = 'python-0123456789-abcdefghij-klmnopqrstuv';

describe.skipIf(whyNoPython)(`Python${whyNoPython ? ` (skipped: ${whyNoPython})` : ''}`, () => {
  let console: RunningConsole;
  let applications: PythonApplications;

  beforeAll(async () => {
    console = await startConsole();
    applications = await startPythonApplications(console.url, secret);
    await register('authlib', 'authlib');
    await register('requests-oauthlib', 'oauthlib');
  });
  afterAll(async () => {
    await applications?.stop();
    await console?.stop();
  });

  test('Authlib signs people in as it is: it sends a nonce (C1)', async () => {
    const { sent, end } = await signIn('authlib');
    expect([sent.has('nonce'), sent.has('code_challenge')]).toEqual([true, false]);
    expect(end.status, end.body).toBe(200);
    expect(JSON.parse(end.body)).toMatchObject({
      id_token: { preferred_username: admin.username, nonce: sent.get('nonce') },
      userinfo: { preferred_username: admin.username, roles: ['Admin'] },
    });
  });

  test('requests-oauthlib, which sends neither, is told what it lacks, and signs people in once it is let off (C1)', async () => {
    const rejected = await signIn('oauthlib');
    expect([rejected.sent.has('nonce'), rejected.sent.has('code_challenge')]).toEqual([false, false]);
    expect(new URL(rejected.end.url).searchParams.get('error')).toBe('invalid_request');
    await tool(['client', 'update', 'requests-oauthlib', '--pkce', 'optional']);
    const { end } = await signIn('oauthlib');
    expect(end.status, end.body).toBe(200);
    expect(JSON.parse(end.body)).toMatchObject({ userinfo: { preferred_username: admin.username } });
  });

  const tool = (args: string[], stdin = '') => toolDone(args, { dataDir: console.dataDir, stdin });

  async function register(id: string, path: string): Promise<void> {
    const address = ['--redirect-uri', `${applications.url}/${path}/callback`];
    await tool(['client', 'add', id, ...address, '--first-party', '--secret-file', '-'], secret);
  }

  /** By a browser with cookies of both sites. @returns the authorization request, and where it ended */
  async function signIn(path: string): Promise<{ sent: URLSearchParams; end: Reply }> {
    const [there, here] = [createUserAgent(applications.url), createUserAgent(console.url)];
    const start = await there.get(`/${path}`);
    const request = start.headers.location!;
    const page = await here.follow(await here.get(request));
    const answered = page.status === 200 ? await here.follow(await here.submit(page, admin)) : page;
    return { sent: new URL(request).searchParams, end: await there.get(answered.headers.location!) };
  }
});
