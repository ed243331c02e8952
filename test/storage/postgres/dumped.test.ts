/** A database that is put back by its own tools, as docs/operations.md says: what was revoked since does not count again. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toolDone } from '../../commands/support.ts';
import { clientSecret, machineToken, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

describe.skipIf(postgresPrograms === undefined)('a database that was put back', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('revoked since the copy, a token counts again until the keys are rotated as the document says', async () => {
    const database = await postgres.createDatabase();
    const env = { CONSOLE_DATABASE_URL: postgres.url(database) };
    const file = join(tmpdir(), `console-dumped-${process.pid}.dump`);
    onTestFinished(() => rmSync(file, { force: true }));
    const first = await startConsole({ isFirstStart: true, env });
    onTestFinished(async () => void (await first.stop()));
    const again = () => startConsole({ isFirstStart: true, port: first.port, dataDir: first.dataDir, env });
    const token = await machineToken(first);
    const called = async () => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${first.url}/svc/rest/cluster`, { headers })).status;
    };
    run('pg_dump', ['--format=custom', `--schema=${database}`, `--file=${file}`, 'postgres']);
    expect(await called()).toBe(200);
    const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;
    const asked = { method: 'POST', headers: { Authorization: basic }, body: new URLSearchParams({ token }) };
    expect((await fetch(`${first.url}/oauth2/revoke`, asked)).status).toBe(200);
    expect(await called()).toBe(401);

    first.child.kill('SIGTERM');
    await first.waitFor(() => first.child.exitCode !== null, 'its end');
    await postgres.query('public', `drop schema ${database} cascade`);
    run('pg_restore', ['--exit-on-error', '--dbname=postgres', file]);
    // What the document warns of; else its command would show nothing.
    const forgetful = await again();
    expect(await called()).toBe(200);
    expect(await forgetful.stop()).toBe(0);

    await toolDone(['keys', 'rotate', '--now', '--yes'], {
      dataDir: first.dataDir,
      env: { ...env, CONSOLE_URL: first.url },
    });
    const restored = await again();
    expect(await called()).toBe(401);
    const anew = await machineToken(restored);
    const headers = { Authorization: `Bearer ${anew}` };
    expect((await fetch(`${first.url}/svc/rest/cluster`, { headers })).status).toBe(200);
    expect(await restored.stop()).toBe(0);
  }, 120_000);

  function run(name: string, args: readonly string[]): void {
    const { password, username, port } = new URL(postgres.url('public'));
    const done = spawnSync(join(postgresPrograms!, name), [...args], {
      env: { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: username, PGPASSWORD: password },
      encoding: 'utf8',
    });
    expect(done, done.stderr).toMatchObject({ status: 0 });
  }
});
