/** A password of the database is replaced by a second user that acts as the first, as docs/operations.md says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { root } from '../../commands/support.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

let postgres: Postgres;
beforeAll(async () => {
  if (postgresPrograms !== undefined) postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.close());

const document = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const documented = /```\n(create role console2 [^`]*)```/.exec(document)![1]!;

test.skipIf(postgresPrograms === undefined)(
  'a second user works on what the first one has made, and makes tables that the first one works on',
  async () => {
    const passwords = { first: 'password-of-the-first', second: 'password-of-the-second' };
    // The owner of tests may do everything; the one of the document is called as that is.
    const statements = documented.replaceAll(/\bconsole\b/g, 'owner').replace('…', passwords.second);
    await postgres.query('public', `create role owner login password '${passwords.first}'`);
    await postgres.query('public', 'create schema owned authorization owner');
    const asFirst = postgres.url('owned', { user: 'owner', password: passwords.first });
    const asSecond = postgres.url('owned', { user: 'console2', password: passwords.second });
    const first = await openPostgresStorage({ url: asFirst });
    onTestFinished(first.close);
    await first.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 1 }));
    await postgres.query('public', statements);
    const second = await openPostgresStorage({ url: asSecond });
    onTestFinished(second.close);
    expect(second.registry.get('settings', 'a')).toMatchObject({ value: 1 });
    await second.registry.update((transaction) => transaction.put('settings', { id: 'b', value: 2 }));

    // An update by the second user: its tables belong to the first.
    await postgres.query('public', 'create schema anew authorization owner');
    const made = await openPostgresStorage({ url: asSecond.replace('schema=owned', 'schema=anew') });
    onTestFinished(made.close);
    const owners = await postgres.query<{ owner: string }>(
      'public',
      `select distinct tableowner as owner from pg_tables where schemaname in ('owned', 'anew')`,
    );
    expect(owners).toEqual([{ owner: 'owner' }]);

    await postgres.query('public', 'alter role owner password null');
    await expect(openPostgresStorage({ url: asFirst })).rejects.toThrow('does not let us in');
    await (await openPostgresStorage({ url: asSecond })).close();
  },
  60_000,
);
