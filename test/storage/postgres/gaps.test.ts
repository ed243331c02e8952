/** A console that was away for longer than changes are kept: it knows that it knows too little, and ends to be started anew. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

describe.skipIf(postgresPrograms === undefined)('a gap in the changes on PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test.each([
    {
      name: 'changes are gone, and later ones are there',
      meanwhile: `begin;
        update change_clock set last = last + 10;
        insert into change (seq, names) select last, '{}' from change_clock;
        commit`,
    },
    { name: 'all changes are gone', meanwhile: 'update change_clock set last = last + 10' },
  ])(
    '$name: it ends in order, says why, and with a code that a service manager starts again',
    async ({ meanwhile }) => {
      const database = await postgres.createDatabase();
      const options = { isFirstStart: true, env: { CONSOLE_DATABASE_URL: postgres.url(database) } };
      const console = await startConsole(options);
      onTestFinished(async () => void (await console.stop()));
      const ended = once(console.child, 'close');
      await postgres.query(database, meanwhile);
      expect(await ended).toEqual([75, null]);
      const said = console
        .log()
        .filter(({ msg }) => /away for longer than changes are kept/.test(String(msg)));
      expect(said).toHaveLength(1);
      expect(console.log().at(-1)).toMatchObject({ msg: 'stopped' });
      const again = await startConsole(options);
      onTestFinished(async () => void (await again.stop()));
      expect((await fetch(`http://localhost:${again.port}/ready`)).status).toBe(200);
    },
    60_000,
  );
});
