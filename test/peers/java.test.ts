/** Resource servers that nobody here wrote: what Spring Security, and Nimbus beneath it, take and refuse by default. */
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { createMovableClock, type MovableClock } from './support/clock.ts';
import { fetchLibraries, type ResourceServer, startResourceServer } from './support/java.ts';
import { rotateKeys } from './support/rotation.ts';

const libraries = ['nimbus', 'spring'] as const;
const daySeconds = 86_400;
const { classPath = '', missing } = await fetchLibraries();

describe.skipIf(missing)(`Java resource servers${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let console: RunningConsole;
  let foreign: RunningConsole;
  let server: ResourceServer;
  let clock: MovableClock;
  let yesterdays: string;

  beforeAll(async () => {
    clock = createMovableClock(-daySeconds);
    console = await startConsole({ env: clock.env });
    yesterdays = await machineToken(console);
    clock.set(0);
    foreign = await startConsole({ isFirstStart: true });
    server = await startResourceServer(classPath, console.url);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await Promise.all([console?.stop(), foreign?.stop()]);
    clock?.remove();
  });

  describe.each(libraries)('%s', (library) => {
    test("takes a machine's token", async () => {
      expect(await server.call(library, await machineToken(console))).toEqual({
        status: 200,
        body: 'application-client [Admin]',
      });
    });

    test("takes a person's token", async () => {
      const { access_token: token } = await signInForTokens(console, createUserAgent(console.url));
      expect(await server.call(library, token)).toEqual({
        status: 200,
        body: `${decodeJwt(token).sub} [Admin]`,
      });
    });

    test.each([
      ['--token-typ', 'at+jwt', 'typ (type) at+jwt not allowed'],
      ['--token-alg', 'ES256', 'Another algorithm expected'],
      ['--token-alg', 'EdDSA', 'Another algorithm expected'],
    ])('refuses the token of a client with %s %s, which is good elsewhere', async (flag, value, why) => {
      const token = await tokenOfNewClient([flag, value]);
      expect(await server.call(library, token)).toEqual({ status: 401, body: expect.stringContaining(why) });
      expect(await statusAtMember(token)).toBe(200);
    });

    test.each<[string, () => Promise<string>, RegExp]>([
      ['a tampered token (S2)', async () => tampered(await machineToken(console)), /Invalid signature/],
      ['a token of another console (S2)', () => machineToken(foreign), /no matching key\(s\) found/],
      ['an expired token (S3)', async () => yesterdays, /expired/i],
    ])('%s is refused', async (_, make, why) => {
      expect(await server.call(library, await make())).toEqual({
        status: 401,
        body: expect.stringMatching(why),
      });
    });
  });

  test('tokens of keys that were rotated in at once are taken without a restart', async () => {
    const token = await rotateKeys(console, () => machineToken(console));
    for (const library of libraries) {
      expect(await server.call(library, token), library).toMatchObject({ status: 200 });
    }
  });

  /** The member surface of the console, which takes every type and algorithm that it issues. */
  async function statusAtMember(token: string): Promise<number> {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${console.url}/svc/rest/cluster`, { headers })).status;
  }

  /** A machine that differs from others by one flag; its token is what `npx console token` prints. */
  async function tokenOfNewClient(flags: readonly string[]): Promise<string> {
    const id = `machine-${randomBytes(4).toString('hex')}`;
    const options = { dataDir: console.dataDir, env: { CONSOLE_URL: console.url } };
    const added = await toolDone(['client', 'add', id, '--scope', 'app:Viewer', ...flags, '--json'], options);
    const { secret } = added.json<{ secret: string }>();
    const asked = ['token', '--client', id, '--secret-file', '-', '--scope', 'app:Viewer'];
    const { stdout } = await toolDone(asked, { ...options, stdin: secret });
    return stdout.trim();
  }
});

function tampered(token: string): string {
  const [header, , signature] = token.split('.');
  const claims = { ...decodeJwt(token), sub: 'root' };
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}
