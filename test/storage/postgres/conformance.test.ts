/** What every Storage must do, in PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { describeStorage } from '../conformance.ts';
import { describeLoader } from '../loader-conformance.ts';
import { describeRecords } from '../record-conformance.ts';
import { describeStaged } from '../staged-conformance.ts';

describe.skipIf(postgresPrograms === undefined)('PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  const open = async (now: () => number = Date.now) =>
    openPostgresStorage({ url: postgres.url(await postgres.createDatabase()), now, endsBy: now });

  describeStorage('PostgreSQL', open);
  describeRecords('records in PostgreSQL', open);
  describeLoader('PostgreSQL', () => open());
  describeStaged('PostgreSQL', open);
});
