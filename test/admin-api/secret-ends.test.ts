/** A rotated secret ends when the new one was used, by itself: in one process, in several, and at two consoles of one database. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graceMs } from '../../console/clients/superseded-secrets.ts';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { type CallApi, callsWith, tokenOf } from './client-support.ts';

/** Consoles that share a store, reached at one address, with a clock that can be put forward. */
interface Place {
  readonly url: string;
  readonly consoles: readonly RunningConsole[];
  /** All that comes goes to this console. */
  choose(n: number): void;
  stop(): Promise<void>;
}

const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;

const places = [
  { name: 'in one process', open: (env: Env) => startOne(env, '1'), isThere: true },
  { name: 'in two workers', open: (env: Env) => startOne(env, '2'), isThere: true },
  { name: 'at two consoles on PostgreSQL', open: startTwo, isThere: postgresPrograms !== undefined },
] as const;

type Env = Readonly<Record<string, string>>;

async function startOne(env: Env, workers: string): Promise<Place> {
  const console = await startConsole({ env: { ...env, CONSOLE_WORKERS: workers } });
  return {
    url: console.url,
    consoles: [console],
    choose: () => {},
    stop: async () => void (await console.stop()),
  };
}

async function startTwo(env: Env): Promise<Place> {
  const [postgres, front]: [Postgres, LoadBalancer] = await Promise.all([
    startPostgres(),
    startLoadBalancer(),
  ]);
  const databaseUrl = postgres.url(await postgres.createDatabase());
  const consoles: RunningConsole[] = [];
  for (let n = 0; n < 2; n++) {
    const own = { ...env, CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: databaseUrl };
    consoles.push(await startConsole({ isFirstStart: true, port: await freePort(), env: own }));
  }
  front.choose(consoles[0]!.port);
  return {
    url: front.url,
    consoles,
    choose: (n) => front.choose(consoles[n % consoles.length]!.port),
    async stop() {
      await Promise.all(consoles.map((console) => console.stop()));
      await front.close();
      await postgres.close();
    },
  };
}

describe.each(places)('$name', ({ open, isThere, name }) => {
  const title = isThere ? '' : ' (skipped: apt-get install postgresql)';
  describe.skipIf(!isThere)(`a rotated secret${title}`, () => {
    let folder: string;
    let place: Place;
    let call: CallApi;
    let count = 0;
    let id: string;
    let first: string;
    const setClock = (seconds: number) => writeFile(join(folder, 'clock'), String(seconds));

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'secret-ends-'));
      await setClock(0);
      const env = { NODE_OPTIONS: `--import ${movable}`, TEST_CLOCK_FILE: join(folder, 'clock') };
      place = await open(env);
      const token = await apiToken({ ...place.consoles[0]!, url: place.url });
      call = callsWith(place, () => token);
    }, 180_000);
    afterAll(async () => {
      await place?.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    async function add(): Promise<void> {
      await setClock(0);
      place.choose(0);
      id = `mover-${count++}`;
      first = (await call('POST', '/clients', { id, scopes: ['svc:health:read'] })).body.secret;
    }

    const rotate = async (body: object = { id: 'new', othersEndOnUse: true }) =>
      (await call('POST', `/clients/${id}/secrets`, body)).body.secret as string;
    const statusWith = async (secret: string) => (await tokenOf(place, { id, secret })).status;
    const secrets = async () =>
      (await call('GET', `/clients/${id}`)).body.secrets as {
        id: string;
        expiresAt: string | null;
        endsOnUseOf: string | null;
      }[];
    const lines = (event: string) =>
      place.consoles
        .flatMap((console) => console.log())
        .filter((line) => line.event === event && [line.target, line.clientId].includes(id));

    test('goes on until the new one is used, and for five minutes from then on; the audit says why it ends', async () => {
      await add();
      const second = await rotate();
      const [, old] = await secrets();
      expect(old).toMatchObject({ expiresAt: null, endsOnUseOf: 'new' });
      // However often the old one is used meanwhile.
      for (let n = 0; n < 3; n++) expect(await statusWith(first)).toBe(200);
      expect((await secrets())[1]).toEqual(expect.objectContaining({ expiresAt: null, endsOnUseOf: 'new' }));

      const before = Date.now();
      // Uses at all processes, of which several may see the first.
      for (let n = 0; n < 8; n++) {
        place.choose(n);
        expect(await statusWith(second)).toBe(200);
      }
      await expect
        .poll(async () => (await secrets())[1], { timeout: 20_000 })
        .toMatchObject({ endsOnUseOf: null, expiresAt: expect.any(String) });
      const endsAt = Date.parse((await secrets())[1]!.expiresAt!);
      expect(endsAt).toBeGreaterThanOrEqual(before + graceMs);
      expect(endsAt).toBeLessThanOrEqual(Date.now() + graceMs);
      // Others of this client have not read the new one yet.
      expect(await statusWith(first)).toBe(200);

      await setClock(graceMs / 1000 + 1);
      for (let n = 0; n < 2; n++) {
        place.choose(n);
        expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);
      }
      await expect.poll(() => lines('token.refused').length, { timeout: 20_000 }).toBe(2);
      for (const refused of lines('token.refused'))
        expect(refused).toMatchObject({ reason: 'invalid_client', cause: 'secret_ended', secretId: old!.id });
      // Once, though each process has seen uses of it.
      expect(lines('client.secret_superseded')).toHaveLength(1);
      expect(lines('client.secret_superseded')[0]).toMatchObject({
        ...{ actor: 'console', actorKind: 'system', target: id, outcome: 'success' },
        ...{ cause: 'new_secret_used', used: 'new', ends: old!.id },
        endsAt: new Date(endsAt).toISOString(),
      });
    });

    test('is told to its caller as any wrong one', async () => {
      await add();
      const second = await rotate();
      await statusWith(second);
      await expect.poll(async () => (await secrets())[1]!.expiresAt, { timeout: 20_000 }).not.toBeNull();
      await setClock(graceMs / 1000 + 1);
      const answer = async (secret: string) =>
        (
          await fetch(`${place.url}/oauth2/token`, {
            method: 'POST',
            headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
            body: new URLSearchParams({ grant_type: 'client_credentials' }),
          })
        ).text();
      expect(await answer(first)).toBe(await answer('a-secret-that-nobody-was-ever-given-1'));
    });

    test('goes on where the new one is removed unused, and waits for the newest where another follows', async () => {
      await add();
      const second = await rotate({ id: 'gone', othersEndOnUse: true });
      expect((await call('DELETE', `/clients/${id}/secrets/gone?endTokens=false`)).status).toBe(204);
      expect(await statusWith(second)).toBe(401);
      expect(await secrets()).toEqual([expect.objectContaining({ expiresAt: null, endsOnUseOf: null })]);
      await rotate({ id: 'b', othersEndOnUse: true });
      await rotate({ id: 'c', ends: 'oldest', othersEndOnUse: true });
      expect((await secrets()).map((one) => [one.id, one.endsOnUseOf])).toEqual([
        ['c', null],
        ['b', 'c'],
      ]);
      expect(await statusWith(first)).toBe(401);
    });

    test('ends at its time, if that comes before a use and five minutes', async () => {
      await add();
      const othersEndAt = new Date(Date.now() + 60_000).toISOString();
      const second = await rotate({ id: 'new', othersEndOnUse: true, othersEndAt });
      expect(await statusWith(second)).toBe(200);
      await expect.poll(async () => (await secrets())[1]!.endsOnUseOf, { timeout: 20_000 }).toBeNull();
      expect((await secrets())[1]!.expiresAt).toBe(othersEndAt);
    });

    if (name === 'in one process')
      test('is refused at no other client, and does not end where nobody asked for it', async () => {
        await add();
        const second = await rotate({ id: 'new' });
        expect(await statusWith(second)).toBe(200);
        const [, old] = await secrets();
        expect(old).toMatchObject({ expiresAt: null, endsOnUseOf: null });
        await setClock(86_400);
        expect(await statusWith(first)).toBe(200);
        expect(lines('client.secret_superseded')).toEqual([]);
      });
  });
});
