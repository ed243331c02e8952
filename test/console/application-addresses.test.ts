import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, machineToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { confirm, type RelyingParty, startRelyingParty } from '../helpers/relying-party.ts';
import { authorizationPath, dashboard, redeem, refresh } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { verify } from '../oidc/support.ts';

const stays = 'http://localhost:9021';
const goes = 'https://dash1.example.com';
const comes = 'https://dash2.example.com';
const patience = 20_000;

let dataDir: string;
let console: RunningConsole;

beforeAll(async () => {
  dataDir = await usedDataDir();
  writeSettings([stays, goes]);
  console = await startConsole({ dataDir });
});
afterAll(async () => {
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** As an editor saves: a new file in the place of the old one. */
function writeSettings(addresses: readonly string[], more = ''): void {
  const file = join(dataDir, 'console.yaml');
  const text = `svc.mc.app:\n  addresses: [${addresses.join(', ')}]\n${more}`;
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

const newAgent = (): UserAgent => createUserAgent(console.url);

async function isOpenTo(origin: string): Promise<boolean> {
  const { headers } = await fetch(`${console.url}/oauth2/jwks`, { headers: { Origin: origin } });
  return headers.get('access-control-allow-origin') === origin;
}

const isFollowed = (address: string, isOpen = true) =>
  until(async () => (await isOpenTo(address)) === isOpen, `${address} to count`, patience);

const ask = (address: string, changes: Record<string, string> = {}, agent = newAgent()) =>
  agent.get(authorizationPath({ redirect_uri: `${address}/login/callback`, ...changes }));

const logOut = (address: string) =>
  newAgent().get(
    `/connect/logout?${new URLSearchParams({
      client_id: dashboard.clientId,
      post_logout_redirect_uri: `${address}/`,
    })}`,
  );

/** The content policy of the page that sends an answer to this address from within a frame. */
async function framesOf(address: string): Promise<string> {
  const agent = newAgent();
  await agent.signIn();
  const page = await ask(address, { prompt: 'none', response_mode: 'form_post' }, agent);
  return /frame-ancestors ([^;]*)/.exec(String(page.headers['content-security-policy']))?.[1] ?? '';
}

const logged = (message: string) => console.log().filter(({ msg }) => msg === message);

describe('addresses in console.yaml', () => {
  beforeEach(async () => {
    writeSettings([stays, goes]);
    await isFollowed(goes);
    await isFollowed(comes, false);
  });

  test.each([
    { name: 'each counts', addresses: [stays, goes] },
    { name: 'a new one counts, a removed one does not', addresses: [stays, comes] },
  ])('$name: redirect, logout, CORS, frames (S16, S23, S36, S51)', async ({ addresses }) => {
    writeSettings(addresses);
    await isFollowed(addresses[1]!);
    const rejected = [goes, comes].find((address) => !addresses.includes(address))!;
    await isFollowed(rejected, false);
    for (const address of addresses) {
      const reply = await ask(address);
      expect([address, reply.status]).toEqual([address, 303]);
      expect((await logOut(address)).headers.location).toBe(`${address}/`);
      expect(await framesOf(address)).toBe(address);
    }
    const reply = await ask(rejected);
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect((await logOut(rejected)).status).toBe(400);
    expect(await framesOf(rejected)).toBe("'none'");
  });

  test('a sign-in under way at an address that stays goes on, one at a removed address is refused', async () => {
    const [here, there] = [newAgent(), newAgent()];
    const pages = await Promise.all([
      ask(stays, {}, here).then(here.follow),
      ask(goes, {}, there).then(there.follow),
    ]);
    const signedInBefore = newAgent();
    const tokens = await signIn(signedInBefore, stays);
    writeSettings([stays]);
    await isFollowed(goes, false);
    const end = await here.follow(await here.submit(pages[0], admin));
    expect(end.headers.location).toMatch(/^http:\/\/localhost:9021\/login\/callback\?code=/);
    const redirect = { redirect_uri: `${stays}/login/callback` };
    const code = new URL(end.headers.location!).searchParams.get('code');
    expect((await redeem(console, code, redirect)).status).toBe(200);
    const rejected = await there.follow(await there.submit(pages[1], admin));
    expect([rejected.status, rejected.headers.location]).toEqual([400, undefined]);
    expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
    expect((await signedInBefore.get('/account')).status).toBe(200);
  });

  test('a file that cannot be used changes nothing, and the log says all that is wrong with it', async () => {
    const unusable = 'console.yaml cannot be used: what is in force stays';
    const before = logged(unusable).length;
    writeSettings([comes, 'ftp://dash3.example.com'], 'acces-token-ttl: 60\nsession-max-seconds: soon\n');
    await console.waitFor(() => logged(unusable).length > before, 'the error in the log');
    expect(logged(unusable).at(-1)).toMatchObject({
      problems: expect.arrayContaining([
        'SVC_MC_APP_ADDRESSES must be an absolute http:// or https:// address',
        'acces-token-ttl in console.yaml is not a setting; the nearest one is CONSOLE_ACCESS_TOKEN_TTL',
        expect.stringMatching(/^CONSOLE_SESSION_MAX_SECONDS must be a whole number/),
      ]),
    });
    writeFileSync(join(dataDir, 'console.yaml'), 'svc.mc.app: [');
    await console.waitFor(() => logged(unusable).length > before + 1, 'the error in the log');
    expect(logged(unusable).at(-1)).toMatchObject({ problems: ['console.yaml is not YAML (line 1)'] });
    expect(await isOpenTo(goes)).toBe(true);
    expect(await isOpenTo(comes)).toBe(false);
    expect((await ask(stays)).status).toBe(303);
  });

  test('what waits for the next start is named in the log, and no value with it', async () => {
    const notified = () => logged('takes effect at the next start').map(({ setting }) => setting);
    const from = notified().length;
    const key = randomBytes(32).toString('hex');
    const more = `access-token-ttl: 60\nencryption-key: ${key}\n`;
    writeSettings([stays, comes], more);
    await isFollowed(comes);
    await console.waitFor(() => notified().length >= from + 2, 'both names in the log');
    expect(notified().slice(from).sort()).toEqual(['CONSOLE_ACCESS_TOKEN_TTL', 'CONSOLE_ENCRYPTION_KEY']);
    expect(console.stderr()).not.toContain(key);
    const { payload } = await verify(console, await machineToken(console));
    expect(payload.exp! - payload.iat!).toBe(300);
    writeSettings([stays, goes], more);
    await isFollowed(goes);
    expect(notified(), 'once is enough').toHaveLength(from + 2);
  });

  test('a change is an audit line; the tool sees it too', async () => {
    writeSettings([comes]);
    await isFollowed(comes);
    const changes = () => console.log().filter(({ event }) => event === 'settings.changed');
    const isReported = () => changes().find(({ internalAddress }) => internalAddress === comes);
    expect(await console.waitFor(isReported, 'the audit line')).toMatchObject({
      audit: true,
      outcome: 'success',
      source: 'console.yaml',
      addresses: [comes],
    });
    const shown = await toolDone(['client', 'show', dashboard.clientId, '--json'], { dataDir });
    expect(shown.json().redirectUris).toContain(`${comes}/login/callback`);
  });

  test('written in place, and removed: the default counts then', async () => {
    writeFileSync(join(dataDir, 'console.yaml'), `SVC_MC_APP_ADDRESSES: ${comes}\n`);
    await isFollowed(comes);
    expect(await isOpenTo(stays)).toBe(false);
    rmSync(join(dataDir, 'console.yaml'));
    await isFollowed(stays);
    expect(await isOpenTo(comes)).toBe(false);
  });

  test('ended sessions are told at the addresses of that moment, each node by itself', async () => {
    const nodes = [await startNode(), await startNode()];
    const [first, second] = nodes as [RelyingParty, RelyingParty];
    writeSettings([first.origin]);
    await isFollowed(first.origin);
    await logOutFrom(first.origin);
    await notified(first, 1);
    expect(second.posted).toEqual([]);

    writeSettings([first.origin, second.origin]);
    await isFollowed(second.origin);
    await logOutFrom(second.origin);
    await notified(first, 2);
    await notified(second, 1);

    writeSettings([first.origin], `  internalAddress: ${second.origin}\n`);
    await isFollowed(second.origin, false);
    await logOutFrom(first.origin);
    await notified(second, 2);
    expect(first.posted).toHaveLength(2);
  });
});

test('environment and flags win over a file that changes', async () => {
  const own = await usedDataDir();
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  const outranked = await startConsole({
    dataDir: own,
    env: { SVC_MC_APP_ADDRESSES: goes },
    args: ['--svc-mc-app-internaladdress', 'http://localhost:9029'],
  });
  onTestFinished(async () => void (await outranked.stop()));
  const text = `svc.mc.app: { addresses: ${comes}, internalAddress: ${comes} }\naccess-token-ttl: 60\n`;
  writeFileSync(join(own, 'console.yaml'), text);
  await outranked.waitFor(
    () => outranked.log().find(({ setting }) => setting === 'CONSOLE_ACCESS_TOKEN_TTL'),
    'the file to be read',
  );
  const { headers } = await fetch(`${outranked.url}/oauth2/jwks`, { headers: { Origin: comes } });
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(outranked.log().filter(({ event }) => event === 'settings.changed')).toEqual([]);
});

async function startNode(): Promise<RelyingParty> {
  const node = await startRelyingParty('application-dashboard', { answer: confirm });
  onTestFinished(() => void node.close());
  return node;
}

async function signIn(agent: UserAgent, address: string) {
  const redirect = { redirect_uri: `${address}/login/callback` };
  const page = await agent.follow(await ask(address, {}, agent));
  const end = await agent.follow(await agent.submit(page, admin));
  const code = new URL(end.headers.location!).searchParams.get('code');
  return (await redeem(console, code, redirect)).body;
}

function notified({ id, posted }: RelyingParty, times: number): Promise<void> {
  return until(async () => posted.length === times, `${id} to be told`, patience);
}

async function logOutFrom(address: string): Promise<void> {
  const agent = newAgent();
  await signIn(agent, address);
  await agent.submit(await agent.get('/connect/logout'));
}
