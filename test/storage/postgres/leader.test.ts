/** Consoles on one PostgreSQL whose leader is stopped, killed and ended, in the middle of telling an application. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { freePort, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { confirm, type RelyingParty, signInTo, startRelyingParty } from '../../helpers/relying-party.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

describe.skipIf(postgresPrograms === undefined)('a leader in PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let party: RelyingParty;
  let database: string;
  /** The second one leads when the first one does not. */
  let first: RunningConsole;
  let second: RunningConsole;

  const start = async () =>
    startConsole({
      isFirstStart: true,
      port: await freePort(),
      env: {
        CONSOLE_URL: front.url,
        CONSOLE_DATABASE_URL: postgres.url(database),
        CONSOLE_LOG_LEVEL: 'info',
      },
    });

  beforeAll(async () => {
    [postgres, front, party] = await Promise.all([
      startPostgres(),
      startLoadBalancer(),
      startRelyingParty('told'),
    ]);
    database = await postgres.createDatabase();
    first = await start();
    second = await start();
    front.choose(second.port);
    const storage = await openPostgresStorage({ url: postgres.url(database) });
    await storage.records.change(async (all) => all.put('clients', party.client));
    await storage.close();
  }, 120_000);
  afterAll(async () => {
    for (const { child } of [first, second]) child?.kill('SIGCONT');
    await Promise.all([first?.stop(), second?.stop()]);
    await Promise.all([front?.close(), party?.close()]);
    await postgres?.close();
  }, 120_000);

  /** At whichever console the front has chosen. */
  async function signOut(): Promise<void> {
    const agent = createUserAgent(front.url);
    await signInTo(front, agent, party);
    const page = await agent.get('/connect/logout');
    await agent.submit(page);
  }

  const saidLeading = ({ log }: RunningConsole) =>
    log().filter(({ msg }) => String(msg).startsWith('this console leads'));
  const jtis = () => party.posted.map(({ token }) => decodeJwt(token).jti);
  const toldBy = ({ log }: RunningConsole) =>
    log().filter(({ event, clientId }) => event === 'logout.notified' && clientId === party.id);
  const within = async (mostMs: number, found: () => boolean | Promise<boolean>) => {
    const from = performance.now();
    await vi.waitUntil(found, { timeout: mostMs + 2000, interval: 20 });
    expect(performance.now() - from).toBeLessThan(mostMs);
  };
  const stored = (kind: string) =>
    postgres.query<{ payload: Record<string, unknown> }>(
      database,
      `select payload from artifact where kind = '${kind}' and payload ->> 'clientId' = '${party.id}'`,
    );

  test('one leads, and sends at once what another one has written', async () => {
    expect([first, second].map((console) => saidLeading(console).length)).toEqual([1, 0]);
    await signOut();
    // Unasked it looks every four seconds.
    await within(2000, () => toldBy(first).length === 1);
    expect(toldBy(second)).toEqual([]);
    party.posted.length = 0;
  });

  test('stopped while an application reads, it is replaced; going on later it changes nothing', async () => {
    let answerFirst = () => {};
    party.answer = (res, attempt) => {
      if (attempt > 1) return confirm(res, attempt);
      answerFirst = () => res.writeHead(500).end();
      return undefined;
    };
    const signedOut = signOut();
    await within(5000, () => party.posted.length === 1);
    first.child.kill('SIGSTOP');
    await within(10_000, () => saidLeading(second).length === 1);
    await within(10_000, () => toldBy(second).length === 1);
    await signedOut;
    expect(toldBy(second)[0]).toMatchObject({ outcome: 'success', attempt: 1 });
    expect(jtis()).toHaveLength(2);
    expect(new Set(jtis()).size).toBe(1);
    const before = await stored('LogoutOutcome');

    first.child.kill('SIGCONT');
    answerFirst();
    // Of what it does next, nothing is of a leader.
    front.choose(first.port);
    party.answer = confirm;
    await signOut();
    await within(10_000, () => toldBy(second).length === 2);
    expect(await stored('LogoutNotice')).toEqual([]);
    expect(await stored('LogoutOutcome')).toEqual(expect.arrayContaining([...before]));
    expect(toldBy(first)).toHaveLength(1);
    expect([jtis().length, saidLeading(first).length]).toEqual([3, 1]);
    party.posted.length = 0;
  }, 60_000);

  test('killed while an application reads, it is replaced by one that tells it again, as the same notice', async () => {
    party.answer = (res, attempt) => (attempt > 1 ? confirm(res, attempt) : undefined);
    front.choose(first.port);
    const signedOut = signOut();
    await within(5000, () => party.posted.length === 1);
    const before = toldBy(first).length;
    second.child.kill('SIGKILL');
    await within(10_000, () => toldBy(first).length === before + 1);
    await signedOut;
    expect(saidLeading(first)).toHaveLength(2);
    expect(new Set(jtis()).size).toBe(1);
    expect(await stored('LogoutNotice')).toEqual([]);
    party.posted.length = 0;
  }, 60_000);

  test('ended, it is replaced within a second', async () => {
    second = await start();
    await first.stop();
    await within(1000, () => saidLeading(second).length === 1);
    const terms = await postgres.query<{ term: string }>(database, 'select term from lease');
    expect(terms.map(({ term }) => Number(term))).toEqual([saidLeading(second)[0]!.term]);
  }, 60_000);
});
