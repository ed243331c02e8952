/** The encryption key of consoles that share a database is replaced, one console after the other, while they serve. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  freePort,
  machineToken,
  nextKeysOf,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { basic, post } from '../../oidc/support.ts';

const old = randomBytes(32).toString('base64');
const next = randomBytes(32).toString('base64');
const steps = [
  { CONSOLE_ENCRYPTION_KEY: old },
  { CONSOLE_ENCRYPTION_KEY: old, CONSOLE_ENCRYPTION_KEY_FALLBACK: next },
  { CONSOLE_ENCRYPTION_KEY: next, CONSOLE_ENCRYPTION_KEY_FALLBACK: old },
  { CONSOLE_ENCRYPTION_KEY: next },
];

describe.skipIf(postgresPrograms === undefined)('an encryption key, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let database: string;
  const consoles: RunningConsole[] = [];

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    database = await postgres.createDatabase();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.stop()));
    await front?.close();
    await postgres?.close();
  }, 60_000);

  test('is replaced in three rounds, and at each moment all consoles know all keys and tokens (S79)', async () => {
    for (const n of [0, 1]) await start(n, steps[0]!);
    const tokens = [await tokenOf(0)];
    for (const step of steps.slice(1)) {
      for (const n of [0, 1]) {
        await consoles[n]!.stop();
        await start(n, step);
        // What the one that was restarted encrypts anew the other has taken over when it takes this one's token.
        tokens.push(await tokenOf(n));
        for (const at of [0, 1]) expect(await activeAt(at, tokens)).toEqual(tokens.map(() => true));
      }
    }
    for (const console of consoles)
      expect(console.log().filter(({ level }) => level === 'error')).toEqual([]);
  }, 120_000);

  async function start(n: number, env: Readonly<Record<string, string>>): Promise<void> {
    const known = consoles[n];
    consoles[n] = await startConsole({
      isFirstStart: true,
      port: known?.port ?? (await freePort()),
      ...(known && { dataDir: known.dataDir }),
      env: { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: postgres.url(database), ...env },
    });
    front.choose(consoles[n].port);
    await nextKeysOf(front);
  }

  function tokenOf(n: number): Promise<string> {
    front.choose(consoles[n]!.port);
    return machineToken(front);
  }

  async function activeAt(n: number, tokens: readonly string[]): Promise<readonly boolean[]> {
    front.choose(consoles[n]!.port);
    const found: boolean[] = [];
    for (const token of tokens) {
      const { json } = await post(front, {
        path: '/oauth2/introspect',
        body: `token=${token}`,
        authorization: basic(),
      });
      found.push(json.active);
    }
    return found;
  }
});
