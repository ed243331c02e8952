/** An application in Java: Spring Security's OAuth client, as Spring Boot 3 puts it together by default. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type Application, fetchLibraries, startApplication } from './support/java.ts';

const { classPath = '', missing } = await fetchLibraries();
const client = { id: 'portal', secret: 'java-0123456789-abcdefghij-klmnopqrstuvwx' };

describe.skipIf(missing)(`Spring Security's client${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let console: RunningConsole;
  let application: Application;

  beforeAll(async () => {
    console = await startConsole();
    application = await startApplication(classPath, console.url, client);
    const address = ['--redirect-uri', `${application.url}/login/oauth2/code/console`];
    await toolDone(['client', 'add', client.id, ...address, '--first-party', '--secret-file', '-'], {
      dataDir: console.dataDir,
      stdin: client.secret,
    });
  }, 120_000);
  afterAll(async () => {
    await application?.stop();
    await console?.stop();
  });

  test('signs people in without PKCE, by the nonce that it sends (C1)', async () => {
    const [there, here] = [createUserAgent(application.url), createUserAgent(console.url)];
    const request = (await there.get('/oauth2/authorization/console')).headers.location!;
    const sent = new URL(request).searchParams;
    expect([sent.has('nonce'), sent.has('code_challenge')]).toEqual([true, false]);
    const page = await here.follow(await here.get(request));
    const answered = await here.follow(await here.submit(page, admin));
    const end = await there.get(answered.headers.location!);
    expect([end.status, JSON.parse(end.body)]).toEqual([200, { name: admin.username, email: 'null' }]);
  });
});
