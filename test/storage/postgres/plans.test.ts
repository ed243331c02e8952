/** What is planned once for each connection, when a new store is empty, does for one that has grown since. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { ArtifactStore } from '../../../console/storage/storage.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

/** After five times the database plans without the values. */
const times = 8;
const grown = 20_000;
const grantId = 'the grant';

describe.skipIf(postgresPrograms === undefined)('plans, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('a refresh reads its own rows, however many there are by now', async () => {
    const schema = await postgres.createDatabase();
    const { artifacts, close } = await openPostgresStorage({ url: postgres.url(schema) });
    const ofToken = { payload: { sessionUid: 'uid' }, grantId };
    await artifacts.put('RefreshToken', 'token 0', ofToken);
    await artifacts.put('Grant', grantId, { payload: {} });
    await artifacts.put('Session', 'session', { payload: {}, uid: 'uid' });
    await refreshes(artifacts, 0);
    await postgres.query(
      schema,
      `insert into artifact (kind, key, payload, uid_key)
        select kind, n, '{}', n from generate_series(1, ${grown / 4}) as n,
          unnest('{Grant,Session,RefreshToken,FirstAnswer}'::text[]) as kind`,
    );
    await refreshes(artifacts, times);
    // Then its connections have said what they have read.
    await close();
    const [read] = await postgres.query<{ rows: number }>(
      schema,
      `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relname = 'artifact'`,
    );
    expect(read!.rows).toBeGreaterThan(times);
    expect(read!.rows).toBeLessThan(grown);
  }, 60_000);

  async function refreshes(artifacts: ArtifactStore, first: number): Promise<void> {
    for (let n = first; n < first + times; n++) {
      expect(await artifacts.getBound?.('RefreshToken', `token ${n}`)).toMatchObject({
        grant: {},
        session: {},
      });
      const exchanged = await artifacts.exchange({
        consume: { kind: 'RefreshToken', id: `token ${n}` },
        require: [{ kind: 'Grant', id: grantId }],
        put: [
          {
            kind: 'RefreshToken',
            id: `token ${n + 1}`,
            artifact: { payload: { sessionUid: 'uid' }, grantId },
          },
        ],
      });
      expect(exchanged).toBe('won');
    }
  }
});
