/** `client update`: a name that people see, and addresses, with what such a change ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem, refresh } from '../helpers/sign-in.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { eventually } from '../oidc/support.ts';

let console: RunningConsole;
const [first, second] = ['http://localhost:9021/first', 'http://localhost:9021/second'];

beforeAll(async () => {
  console = await startConsole();
  await toolDone(
    ['client', 'add', 'board', '--public', '--redirect-uri', first, '--first-party', '--name', 'Wall board'],
    tool(),
  );
  await eventually(async () => (await ask(first)).status === 303, 'the client');
});
afterAll(() => console?.stop());

const tool = () => ({ dataDir: console.dataDir });
const update = (...flags: string[]) => toolDone(['client', 'update', 'board', ...flags, '--json'], tool());
const agent = () => createUserAgent(console.url);
const requestOf = (redirectUri: string) => ({ client_id: 'board', redirect_uri: redirectUri });
const ask = (redirectUri: string) => agent().get(authorizationPath(requestOf(redirectUri)));

async function tokensAt(redirectUri: string) {
  const by = agent();
  await by.signIn();
  const code = callbackOf(await by.follow(await by.get(authorizationPath(requestOf(redirectUri))))).get(
    'code',
  );
  return (await redeem(console, code, requestOf(redirectUri))).body;
}

test('redirect addresses change, and sign-ins end that came back to one that is gone (D24)', async () => {
  const tokens = await tokensAt(first);
  const both = await update('--redirect-uri', first, '--redirect-uri', second);
  expect(both.json().redirectUris).toEqual([first, second]);
  await eventually(async () => (await ask(second)).status === 303, 'the second address');
  // One that is added ends nothing.
  const renewed = (await refresh(console, tokens.refresh_token, { client_id: 'board' })).body;
  expect(renewed.refresh_token).toBeTruthy();
  await update('--redirect-uri', second);
  await eventually(async () => (await ask(first)).status === 400, 'the end of the first address');
  expect((await refresh(console, renewed.refresh_token, { client_id: 'board' })).body.error).toBe(
    'invalid_grant',
  );
  const reply = await fetch(`${console.url}/svc/rest/cluster`, {
    headers: { Authorization: `Bearer ${renewed.access_token}` },
  });
  expect(reply.status).toBe(401);
});

test('the other addresses change and go, and end nothing (D24)', async () => {
  // What is issued in the second of a change that voids counts as issued before it.
  await nextSecond();
  const tokens = await tokensAt(second);
  const [home, back, front, logo] = [
    'http://localhost:9021/',
    'http://localhost:9021/back',
    'http://localhost:9021/front',
    'https://pictures.example.com/board.png',
  ];
  const all = [
    '--post-logout-uri',
    home,
    '--backchannel-logout-uri',
    back,
    '--frontchannel-logout-uri',
    front,
    '--logo-uri',
    logo,
    '--client-uri',
    home,
  ];
  const shown = {
    postLogoutUris: [home],
    backchannelLogoutUri: back,
    frontchannelLogoutUri: front,
    logoUri: logo,
    clientUri: home,
  };
  expect((await update(...all)).json()).toMatchObject(shown);
  const none = all.map((flag) => (flag.startsWith('--') ? flag : 'none'));
  const nothing = {
    postLogoutUris: [],
    backchannelLogoutUri: null,
    frontchannelLogoutUri: null,
    logoUri: null,
    clientUri: null,
  };
  expect((await update(...none)).json()).toMatchObject({ ...nothing, redirectUris: [second] });
  expect(await refresh(console, tokens.refresh_token, { client_id: 'board' })).toMatchObject({ status: 200 });
});

test.each([
  ['in clear text', '--redirect-uri', 'http://board.example.com/'],
  ['whose host would add to the policy of a page', '--redirect-uri', 'https://a.example;b.example/'],
  ['whose host would add to it by a comma', '--redirect-uri', 'https://a.example,b.example/'],
  ['with a fragment', '--redirect-uri', 'https://board.example.com/#x'],
  ['of the frame at no redirect address', '--frontchannel-logout-uri', 'https://elsewhere.example/'],
  ['that the console never calls', '--backchannel-logout-uri', 'https://169.254.169.254/'],
  ['that is none, which nobody comes back to', '--redirect-uri', 'none'],
  ['that is relative', '--post-logout-uri', '/home'],
  ['of a logo in clear text', '--logo-uri', 'http://pictures.example.com/board.png'],
  ['of a home page in clear text', '--client-uri', 'http://board.example.com/'],
])(
  'an address %s is refused as at the registration, and nothing changes (D24)',
  async (_name, flag, value) => {
    const before = (await toolDone(['client', 'show', 'board', '--json'], tool())).json();
    const added = await runTool(
      ['client', 'add', 'other', '--redirect-uri', second, flag, value, '--json'],
      tool(),
    );
    const updated = await runTool(['client', 'update', 'board', flag, value, '--json'], tool());
    expect([updated.code, updated.json().message]).toEqual([1, added.json().message]);
    expect((await toolDone(['client', 'show', 'board', '--json'], tool())).json()).toEqual(before);
  },
);

test('a machine gets no addresses, and a client of the settings is changed there (D24)', async () => {
  await toolDone(['client', 'add', 'machine', '--scope', 'svc:health:read'], tool());
  for (const id of ['machine', 'application-dashboard']) {
    expect((await runTool(['client', 'update', id, '--redirect-uri', second], tool())).code).toBe(1);
  }
});

describe('a client has a name (D23)', () => {
  test('that people see where they sign in and on their page, and the list shows', async () => {
    expect((await toolDone(['client', 'list'], tool())).stdout).toMatch(/^board +Wall board +/m);
    const by = agent();
    const page = await by.follow(await by.get(authorizationPath(requestOf(second))));
    expect(textOf(page)).toContain('Wall board');
    await by.submit(page, { username: 'ada', password: 'correct-staple-battery-9' }).then(by.follow);
    expect(textOf(await by.get('/account'))).toContain('Wall board');
  });

  test('that the consent page shows with its id, so that nobody takes it for another', async () => {
    await toolDone(['client', 'add', 'wiki', '--redirect-uri', second, '--name', 'Team wiki'], tool());
    const by = agent();
    await by.signIn();
    let text = '';
    const isAsked = async () => {
      const path = authorizationPath({ ...requestOf(second), client_id: 'wiki' });
      text = textOf(await by.follow(await by.get(path)));
      return text.includes('Allow Team wiki to use your account?');
    };
    await eventually(isAsked, 'the consent page');
    expect(text).toMatch(/registered here as wiki\b/);
  });

  test('that changes and goes, by the admin API too', async () => {
    expect((await update('--name', 'Big board')).json().displayName).toBe('Big board');
    expect((await update('--name', 'none')).json().displayName).toBe(null);
    const reply = await fetch(`${console.url}/api/v1/clients/board`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${await apiToken(console)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        displayName: 'Board 3',
        postLogoutUris: ['http://localhost:9021/'],
        backchannelLogoutUri: null,
      }),
    });
    expect([reply.status, await reply.json()]).toEqual([
      200,
      expect.objectContaining({ displayName: 'Board 3', postLogoutUris: ['http://localhost:9021/'] }),
    ]);
  });

  test.each([' ', 'x'.repeat(65), 'two\nlines', 'turned \u202e round'])('%j is none (S52)', async (name) => {
    expect((await runTool(['client', 'update', 'board', `--name=${name}`], tool())).code).toBe(1);
  });
});

function nextSecond(): Promise<void> {
  return new Promise((done) => setTimeout(done, 1001 - (Date.now() % 1000)));
}
