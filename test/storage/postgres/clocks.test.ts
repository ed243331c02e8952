/** A console whose own clock is far ahead, and which leads: what others have issued ends by the clock of the database. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import {
  freePort,
  machineToken,
  nextKeysOf,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { refresh, signInForTokens } from '../../helpers/sign-in.ts';
import { until } from '../../helpers/store.ts';
import { createUserAgent, titleOf, type UserAgent } from '../../helpers/user-agent.ts';
import { createMovableClock, type MovableClock } from '../../peers/support/clock.ts';

const hour = 3600;
const patienceMs = 60_000;

describe.skipIf(postgresPrograms === undefined)('a leader whose clock is ahead, where PostgreSQL is', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
  }, 60_000);
  afterAll(async () => {
    await front?.close();
    await postgres?.close();
  }, 60_000);

  describe.each([
    { name: 'an hour', aheadSeconds: hour },
    // Signing keys are rotated when they are 30 days old.
    { name: '40 days', aheadSeconds: 40 * 24 * hour },
  ])('by $name', ({ aheadSeconds }) => {
    let clock: MovableClock;
    let database: string;
    let right: RunningConsole;
    let ahead: RunningConsole;
    let agent: UserAgent;
    let refreshToken: string;
    let keys: readonly string[];

    const start = async (env: Readonly<Record<string, string>> = {}) =>
      startConsole({
        isFirstStart: true,
        port: await freePort(),
        env: {
          CONSOLE_URL: front.url,
          CONSOLE_DATABASE_URL: postgres.url(database),
          CONSOLE_SESSION_IDLE_SECONDS: String(hour / 2),
          ...env,
        },
      });
    const kidsOf = async () => {
      const reply = (await (await fetch(`${front.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
      return reply.keys.map(({ kid }) => kid).sort();
    };
    const stored = async () => {
      const rows = await postgres.query<{ name: string }>(
        database,
        `select kind || ' ' || key as name from artifact where expires_at > 0
          and kind in ('Session', 'SessionUse', 'Grant', 'RefreshToken') order by 1`,
      );
      return rows.map(({ name }) => name);
    };

    beforeAll(async () => {
      clock = createMovableClock(aheadSeconds);
      database = await postgres.createDatabase();
      right = await start();
      front.choose(right.port);
      await nextKeysOf(front);
      keys = await kidsOf();
      agent = createUserAgent(front.url);
      await agent.signIn();
      const tokens = await signInForTokens({ url: front.url } as RunningConsole, createUserAgent(front.url));
      refreshToken = tokens.refresh_token;
      const storage = await openPostgresStorage({ url: postgres.url(database) });
      const at = Math.ceil(Date.now() / 1000);
      await storage.artifacts.put('AuthorizationCode', 'open', {
        payload: { name: 'open' },
        expiresAt: at + hour / 2,
      });
      await storage.artifacts.put('AuthorizationCode', 'over', {
        payload: { name: 'over' },
        expiresAt: at - 1,
      });
      await storage.close();
      ahead = await start(clock.env);
    }, 120_000);
    afterAll(async () => {
      await Promise.all([right?.stop(), ahead?.stop()]);
      clock?.remove();
    }, 60_000);

    test('it sweeps what is over, and leaves what is not; keys are those that were', async () => {
      const before = await stored();
      expect(new Set(before.map((name) => name.split(' ')[0]))).toEqual(
        new Set(['Session', 'SessionUse', 'Grant', 'RefreshToken']),
      );
      await right.stop();
      const ran = async () => {
        const numbers = await (await fetch(`http://127.0.0.1:${ahead.port}/metrics`)).text();
        return ['keys', 'expiry'].every((duty) =>
          numbers.includes(`console_duty_last_run_timestamp_seconds{duty="${duty}"}`),
        );
      };
      await until(ran, 'its first round', patienceMs);
      const after = await stored();
      expect(after).toEqual(expect.arrayContaining([...before]));
      const codes = await postgres.query(
        database,
        `select payload ->> 'name' as name from artifact
          where kind = 'AuthorizationCode' and payload ->> 'name' is not null`,
      );
      expect(codes).toEqual([{ name: 'open' }]);
      front.choose(ahead.port);
      expect(await kidsOf()).toEqual(keys);
    }, 120_000);

    test('who asks it ends nothing for the others: session and refresh token go on there', async () => {
      front.choose(ahead.port);
      await agent.get('/account');
      const early = await machineToken(front);
      // It dates what it issues by its own clock, and signs by a key that the others know.
      expect(decodeJwt(early).iat! - Date.now() / 1000).toBeGreaterThan(aheadSeconds - 600);
      right = await start();
      front.choose(right.port);
      expect(await kidsOf()).toContain(decodeProtectedHeader(early).kid);
      const page = await agent.get('/account');
      expect([page.status, titleOf(page)]).toEqual([200, 'Your account']);
      const { status } = await refresh({ url: front.url } as RunningConsole, refreshToken);
      expect(status).toBe(200);
    }, 120_000);

    test('it says at its start that the clocks are apart', () => {
      const said = ahead.log().filter(({ msg }) => String(msg).startsWith('the clock of the database'));
      expect(said).toHaveLength(1);
      expect(Math.abs(Number(said[0]!.aheadMs) / 1000 + aheadSeconds)).toBeLessThan(60);
    });
  });
});
