/** Apache with mod_auth_openidc as it is without a word about PKCE: a client with a secret that sends a nonce. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { apacheIsMissing, type RunningApache, startApache } from './support/apache.ts';
import { documented, pasteClientAdd } from './support/documented.ts';

const title = `mod_auth_openidc without PKCE${apacheIsMissing ? ` (skipped: ${apacheIsMissing})` : ''}`;

describe.skipIf(apacheIsMissing)(title, () => {
  let console: RunningConsole;
  let apache: RunningApache;

  beforeAll(async () => {
    console = await startConsole();
    const port = await freePort();
    const { commands, configurations } = documented('Apache', {
      'https://wiki.example.com': `http://localhost:${port}`,
      'https://console.example.com': console.url,
      'OIDCPKCEMethod S256\n': '',
    });
    const secret = await pasteClientAdd(commands[0]!, console);
    const page = '<title>Wiki</title><!--#echo var="REMOTE_USER" -->';
    apache = await startApache({
      port,
      site: configurations[0]!.replace('the secret that was printed', secret),
      pages: { 'private/index.html': page },
    });
  });
  afterAll(async () => {
    await apache?.stop();
    await console?.stop();
  });

  test('signs people in by the nonce that it sends (C1)', async () => {
    const [there, here] = [createUserAgent(apache.url), createUserAgent(console.url)];
    const request = (await there.get('/private/')).headers.location!;
    const sent = new URL(request).searchParams;
    expect([sent.has('nonce'), sent.has('code_challenge')]).toEqual([true, false]);
    const page = await here.follow(await here.get(request));
    const answered = await here.follow(await here.submit(page, admin));
    const end = await there.follow(await there.get(answered.headers.location!));
    expect([end.status, end.body]).toEqual([200, expect.stringContaining(admin.username)]);
  });
});
