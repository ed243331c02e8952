/** Whether there is a dashboard client that nobody has set up, and who is asked at a loopback address (RFC 8252 §8.6, S97). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { createUserAgent, textOf, titleOf } from '../helpers/user-agent.ts';
import { eventually } from './support.ts';

/** Reaches this machine like loopback, and is none by its name. */
async function elsewhere(): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort();
  return { port, env: { CONSOLE_URL: `http://0.0.0.0:${port}`, CONSOLE_ALLOW_INSECURE_HTTP: 'true' } };
}

test.each([
  ['elsewhere, without addresses', true, undefined, false],
  ['elsewhere, with addresses', true, 'https://dash.example.com', true],
  ['on loopback, without addresses', false, undefined, true],
  ['on loopback, with none', false, 'none', false],
])('a console %s: the dashboard client (B7)', async (_name, isElsewhere, addresses, isThere) => {
  const at = isElsewhere ? await elsewhere() : { port: await freePort(), env: {} };
  const env = { ...at.env, ...(addresses === undefined ? {} : { SVC_MC_APP_ADDRESSES: addresses }) };
  const console = await startConsole({ port: at.port, env });
  try {
    const address = addresses?.startsWith('https:') ? addresses : 'http://localhost:9021';
    const path = authorizationPath({ redirect_uri: `${address}/login/callback` });
    expect((await createUserAgent(console.url).get(path)).status).toBe(isThere ? 303 : 400);
    const tool = { dataDir: console.dataDir, env: { CONSOLE_URL: console.url, ...env } };
    const listed = await toolDone(['client', 'list', '--json'], tool);
    const ids = listed.json<{ id: string }[]>().map(({ id }) => id);
    expect(ids.includes('application-dashboard')).toBe(isThere);
  } finally {
    await console.stop();
  }
});

test('where there is no application, the doctor looks for none (B7)', async () => {
  const console = await startConsole({ env: { SVC_MC_APP_ADDRESSES: 'none' } });
  try {
    const env = { CONSOLE_URL: console.url, SVC_MC_APP_ADDRESSES: 'none' };
    const doctor = await runTool(['doctor', '--json'], { dataDir: console.dataDir, env });
    const { findings } = doctor.json<{ findings: { check: string; state: string; reason: string }[] }>();
    const about = findings.filter(({ check }) => /^(application|internal address)/.test(check));
    expect(about).toContainEqual(
      expect.objectContaining({
        state: 'ok',
        reason: 'There is none: SVC_MC_APP_ADDRESSES names no address.',
      }),
    );
    expect(about.filter(({ state }) => state === 'problem')).toEqual([]);
  } finally {
    await console.stop();
  }
});

describe('at a console that is elsewhere, a loopback address (B7)', () => {
  let console: RunningConsole;
  const [local, remote] = ['http://localhost:9021/login/callback', 'https://dash.example.com/login/callback'];

  beforeAll(async () => {
    const { port, env } = await elsewhere();
    const addresses = 'http://localhost:9021,https://dash.example.com';
    console = await startConsole({ port, env: { ...env, SVC_MC_APP_ADDRESSES: addresses } });
    const flags = ['--public', '--redirect-uri', local, '--redirect-uri', remote];
    await toolDone(['client', 'add', 'wiki', ...flags], { dataDir: console.dataDir });
    const isThere = async () =>
      (await ask(createUserAgent(console.url), { client_id: 'wiki' })).status === 303;
    await eventually(isThere, 'the client');
  });
  afterAll(() => console?.stop());

  const ask = (agent: ReturnType<typeof createUserAgent>, changes: Record<string, string>) =>
    agent.get(authorizationPath({ redirect_uri: local, ...changes }));

  test.each(['application-dashboard', 'wiki'])('gets no code of %s without a page, each time', async (id) => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const silently = async () => callbackOf(await ask(agent, { client_id: id, prompt: 'none' }));
    expect((await silently()).get('error')).toBe('consent_required');
    const page = await agent.follow(await ask(agent, { client_id: id }));
    expect(titleOf(page)).toBe(`Allow ${id} to use your account?`);
    if (id === 'application-dashboard') expect(textOf(page)).toContain('Act with your role Admin.');
    const allowed = callbackOf(await agent.follow(await agent.submit(page, { decision: 'allow' })));
    const { status } = await redeem(console, allowed.get('code'), { client_id: id });
    expect(status).toBe(200);
    expect((await silently()).get('error')).toBe('consent_required');
    expect(titleOf(await agent.follow(await ask(agent, { client_id: id })))).toBe(
      `Allow ${id} to use your account?`,
    );
  });

  test('differs from another address, where the dashboard signs in without one', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const reply = await ask(agent, { redirect_uri: remote, prompt: 'none' });
    expect(new URL(reply.headers.location!).searchParams.get('code')).toBeTruthy();
  });
});
