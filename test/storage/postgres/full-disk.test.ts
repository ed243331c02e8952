/** A database whose disk is full: what is refused, what goes on, and that nothing is used up by it. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { machineToken, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { refresh, signInForTokens } from '../../helpers/sign-in.ts';
import { until } from '../../helpers/store.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

const disk = mkdtempSync(join(tmpdir(), 'console-disk-'));
const whyNot =
  postgresPrograms === undefined
    ? ' (skipped: apt-get install postgresql)'
    : isMounted()
      ? undefined
      : ' (skipped: nobody may mount a small disk here)';

/** Root in a container without the right to mount is refused, too. */
function isMounted(): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'none', disk]).status === 0;
}

/** As full as it gets: the database writes beside it. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(statfsSync(disk).bsize);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

describe.skipIf(whyNot !== undefined)(`a full disk under PostgreSQL${whyNot ?? ''}`, () => {
  const ballast = join(disk, 'ballast');
  let postgres: Postgres;
  let console: RunningConsole;
  let database: string;

  beforeAll(async () => {
    postgres = await startPostgres({ dataIn: disk });
    database = await postgres.createDatabase();
    console = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_DATABASE_URL: postgres.url(database) },
    });
  }, 60_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }, 60_000);

  test('writes are 503 with Retry-After, pages and machine tokens go on, and a token of before is good when there is room', async () => {
    const ada = createUserAgent(console.url);
    await ada.signIn();
    const tokens = await signInForTokens(console, createUserAgent(console.url));
    await machineToken(console);
    fill(ballast);

    const storage = await openPostgresStorage({ url: postgres.url(database) });
    const large = {
      payload: { text: 'x'.repeat(100_000).replaceAll('x', () => Math.random().toString(36)) },
    };
    let refused: unknown;
    for (let n = 0; n < 100 && refused === undefined; n++)
      refused = await storage.artifacts.put('Ballast', `b${n}`, large).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(refused).toMatchObject({
      name: 'StorageUnavailableError',
      message: 'the disk of the database is full',
      state: 'full',
    });

    // What fits into pages that are there is still written: until there are none.
    let given = tokens.refresh_token;
    let answer = await refreshAt(given);
    for (let n = 0; n < 2_000 && answer.status === 200; n++) {
      given = answer.token;
      answer = await refreshAt(given);
    }
    expect([answer.status, answer.retryAfter]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await machineToken(console)).split('.')).toHaveLength(3);
    for (const page of ['/', '/account', '/access/users', '/access/sessions', '/observe/audit'])
      expect([page, (await ada.get(page)).status]).toEqual([page, 200]);

    rmSync(ballast);
    await until(async () => (await refreshAt(given)).status === 200, 'the next refresh', 10_000);
    expect((await storage.check()).stray).toBe(0);
    await storage.close();
    expect((await refresh(console, given)).status).not.toBe(500);
    expect(console.child.exitCode).toBeNull();
  }, 120_000);

  async function refreshAt(token: string) {
    const answer = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'application-dashboard',
        refresh_token: token,
      }),
    });
    const body = (await answer.json()) as { refresh_token?: string };
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      token: body.refresh_token ?? '',
    };
  }
});
