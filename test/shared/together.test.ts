/**
 * Consoles as they are run together: every step of every journey at another one, restarts and kills under load, and what
 * is used once used at all at once. Larger: SHARED_SIGN_INS, SHARED_REPLAYS, SHARED_REVOCATIONS (10000, 10000, 200), with a kill
 * every SHARED_KILL_SECONDS (10).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encryptProvider } from '../../console/federation/providers/records.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { leave, signInAbroad, startOpenIdProvider } from '../federation/upstream.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, clientSecret, machineToken } from '../helpers/console.ts';
import { oidcProvider } from '../helpers/providers.ts';
import { type RelyingParty, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import { refresh, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, titleOf } from '../helpers/user-agent.ts';
import { replayEverywhere, revocationTimes, signInOrAgain, signInsWithKills } from './journeys.ts';
import { type Load, startLoad } from './load.ts';
import { askAt, percentile, postTo, startTogether, type Together, whyNotTogether } from './support.ts';
import { bearer } from './without-database.ts';

const sizeOf = (name: string, usual: number) => Number(process.env[name] ?? usual);
const signIns = sizeOf('SHARED_SIGN_INS', 40);
/** Codes and refresh tokens, each at all consoles at once. */
const replays = sizeOf('SHARED_REPLAYS', 40);
const revocations = sizeOf('SHARED_REVOCATIONS', 20);
const killSeconds = sizeOf('SHARED_KILL_SECONDS', 1);
/** Of whole journeys; a full run takes as long as it takes. */
const patienceMs = 120_000 + (signIns + replays + revocations) * 1_000;

describe.skipIf(whyNotTogether !== undefined)(`three consoles, one store${whyNotTogether ?? ''}`, () => {
  let all: Together;
  let publicPort: number;
  beforeAll(async () => {
    all = await startTogether();
    publicPort = Number(new URL(all.url).port);
  }, 300_000);
  afterAll(() => all?.stop(), 120_000);

  const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
  const newAgent = () => createUserAgent(all.url);

  describe('each step at another one', () => {
    let parties: readonly RelyingParty[];
    beforeAll(async () => {
      parties = [await startRelyingParty('board'), await startRelyingParty('wall')];
      await all.withStore(({ records }) =>
        records.change(async (transaction) => {
          for (const { client } of parties) transaction.put('clients', client);
        }),
      );
    });
    afterAll(() => Promise.all(parties.map((party) => party.close())));

    test('a sign-in, two dashboards with one session, refreshes, and a single logout that both learn of', async () => {
      const agent = newAgent();
      const [one, other] = parties as [RelyingParty, RelyingParty];
      const tokens = await signInTo(all, agent, one);
      // The second asks nobody for a password: it would fail with this one.
      const second = await signInTo(all, agent, other, { username: admin.username, password: 'not-asked' });
      const again = await refresh(all, second.refresh_token, { client_id: other.id });
      expect(again.status).toBe(200);
      expect((await userinfo(all, again.body.access_token)).status).toBe(200);
      const query = new URLSearchParams({ id_token_hint: tokens.id_token });
      const end = await agent.follow(await agent.get(`/connect/logout?${query}`));
      expect(end.status).toBe(200);
      await until(async () => parties.every(({ posted }) => posted.length > 0), 'both notices', 15_000);
      expect((await refresh(all, again.body.refresh_token, { client_id: other.id })).status).toBe(400);
      for (const { port } of all.consoles)
        expect(
          (await askAt(port, publicPort, 'GET', '/userinfo', bearer(again.body.access_token))).status,
        ).toBe(401);
    });

    test('a link to choose a password: made at one, opened at another, and nowhere twice', async () => {
      const { dataDir } = all.consoles[1]!;
      await toolDone(['user', 'add', 'mary', '--role', 'Viewer', '--invite'], { dataDir });
      const invited = await toolDone(['user', 'invite', 'mary'], { dataDir });
      const link = /http:\/\/localhost:\d+\/\S+/.exec(invited.stdout)![0];
      const agent = newAgent();
      const page = await agent.follow(await agent.get(link));
      const chosen = { password: 'a-quiet-harbour-in-fog-7', password_again: 'a-quiet-harbour-in-fog-7' };
      await agent.follow(await agent.submit(page, chosen));
      const credentials = { username: 'mary', password: chosen.password };
      expect((await signInForTokens(all, newAgent(), {}, credentials)).access_token).toBeDefined();
      expect((await newAgent().get(link)).status).not.toBe(200);
    });

    test('a sign-in by way of a provider', async () => {
      const provider = await startOpenIdProvider(all.url, 'corp');
      try {
        await all.withStore(({ registry }) =>
          registry.update((transaction) =>
            transaction.put(
              'providers',
              encryptProvider(oidcProvider('corp', 'Corp', provider.issuer), createCipher(undefined)),
            ),
          ),
        );
        const isKnown = async () =>
          (await Promise.all(all.consoles.map(({ port }) => askAt(port, publicPort, 'GET', '/login')))).every(
            ({ text }) => text.includes('Corp'),
          );
        await until(isKnown, 'the provider at all consoles', 10_000);
        const agent = newAgent();
        const way = await leave(agent, await agent.get('/login'), 'Corp');
        await agent.follow(await agent.get(await signInAbroad(way, 'grace')));
        expect((await agent.get('/account')).status).toBe(200);
      } finally {
        await provider.close();
      }
    });

    test('a program that a person signs in by a code', async () => {
      const codes = await postTo(all.consoles[0]!.port, publicPort, '/oauth2/device_authorization', {
        client_id: 'console-cli',
        scope: 'openid profile',
      });
      const { device_code, user_code } = codes.body as { device_code: string; user_code: string };
      const agent = newAgent();
      await agent.signIn();
      const question = await agent.submit(await agent.get('/device'), { user_code });
      const end = await agent.follow(await agent.submit(question, { confirm: 'yes' }));
      expect(titleOf(end)).toBe('The program is signed in');
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'console-cli',
        device_code,
      };
      const answers = await Promise.all(
        all.consoles.map(({ port }) => postTo(port, publicPort, '/oauth2/token', form)),
      );
      expect(new Set(answers.flatMap(({ body }) => body.refresh_token ?? [])).size).toBe(1);
    });
  });

  test(
    'a token that is revoked at one is refused by the proxy of another within a second',
    async () => {
      const times = await revocationTimes(all, revocations);
      const found = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
      if (process.env.SHARED_REVOCATIONS) process.stdout.write(`revocation, ms: ${JSON.stringify(found)}\n`);
      expect(found.p99).toBeLessThan(1_000);
    },
    patienceMs,
  );

  test('keys that are rotated at one are those of the others within a second', async () => {
    const [one, ...others] = all.consoles;
    const before = await kidsAt(one!.port);
    const old = await machineToken(all);
    await toolDone(['keys', 'rotate', '--now', '--yes'], { dataDir: one!.dataDir });
    const rotatedAt = performance.now();
    const after = await kidsAt(one!.port);
    expect(after.filter((kid) => before.includes(kid))).toEqual([]);
    for (const { port } of others) {
      await until(async () => isSame(await kidsAt(port), after), 'the new key set at another one', 5_000);
      expect(performance.now() - rotatedAt).toBeLessThan(1_000);
      const form = { grant_type: 'client_credentials' };
      const { body } = await postTo(port, publicPort, '/oauth2/token', form, basic);
      expect(after).toContain(kidOf(body.access_token!));
      const call = (token: string) => askAt(port, publicPort, 'GET', '/svc/rest/cluster', bearer(token));
      expect([(await call(old)).status, (await call(body.access_token!)).status]).toEqual([401, 200]);
    }

    async function kidsAt(port: number): Promise<readonly string[]> {
      const { text } = await askAt(port, publicPort, 'GET', '/oauth2/jwks');
      return (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid).sort();
    }
  }, 60_000);

  test(
    'codes and refresh tokens that are used at all three at once have one successor',
    async () => {
      expect(await replayEverywhere(all, replays)).toEqual([]);
    },
    patienceMs,
  );

  test('one after the other is restarted under load: no machine token, call or sign-in fails', async () => {
    const load = startCalls(all.url);
    for (const n of all.consoles.keys()) {
      const before = load.done();
      await all.restart(n, 'SIGTERM');
      await until(async () => load.done() > before + 20, 'calls beside the new one', 30_000);
    }
    const { failed, done } = await load.stop();
    expect(failed).toEqual([]);
    expect(done).toBeGreaterThan(100);
  }, 240_000);

  test(
    'one is killed every few seconds: each sign-in succeeds, if need be at its second try',
    async () => {
      const { failed, kills } = await signInsWithKills(all, { signIns, killSeconds });
      expect(failed).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(2);
    },
    patienceMs,
  );
});

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, n) => each === other[n]);
}

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;
}

/** Machine tokens, calls of members and sign-ins, without a pause. */
function startCalls(url: string): Load {
  const token = machineToken({ url });
  const asked = () => machineToken({ url }).then(() => undefined);
  const called = async () => {
    const answer = await fetch(`${url}/svc/rest/cluster`, { headers: bearer(await token) });
    await answer.arrayBuffer();
    return answer.status === 200 ? undefined : String(answer.status);
  };
  return startLoad([
    ['token', asked],
    ['token', asked],
    ['call', called],
    ['call', called],
    ['sign-in', () => signInOrAgain(url, 1)],
  ]);
}
