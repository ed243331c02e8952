/** What a console does with its files and the database, without the console. */
import { onTestFinished } from 'vitest';
import { createKnownSegments } from '../../../console/audit/index/known-segments.ts';
import type { Asks, Gets, QuestionKind } from '../../../console/audit/reader/questions.ts';
import type { SharedNotice } from '../../../console/audit/rows/shared-questions.ts';
import { createSharedWork } from '../../../console/audit/rows/shared-work.ts';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { HeldTerm } from '../../../console/storage/shared-store.ts';
import type { Postgres } from '../../helpers/postgres.ts';

export interface Rows {
  readonly url: string;
  /** Who leads, by a lease of an hour. */
  readonly held: HeldTerm;
  /** Of a console with these files. */
  open(directory: string): OpenedRows;
  query<Row = Record<string, unknown>>(text: string): Promise<readonly Row[]>;
}

export interface OpenedRows {
  readonly notices: readonly SharedNotice[];
  readonly logged: readonly string[];
  ship(): Promise<void>;
  ask<K extends QuestionKind>(kind: K, asked: Asks<K>): Promise<Gets<K>>;
  readonly shared: ReturnType<typeof createSharedWork>['answerShared'];
}

export async function newRows(postgres: Postgres): Promise<Rows> {
  const database = await postgres.createDatabase();
  const url = postgres.url(database);
  await (await openPostgresStorage({ url })).close();
  const held = { holder: 'of the test', term: 7 };
  await postgres.query(
    database,
    `update lease set holder = '${held.holder}', term = ${held.term}, held_until = now() + interval '1 hour'`,
  );
  return {
    url,
    held,
    query: <Row>(text: string) => postgres.query<Row>(database, text),
    open(directory) {
      const notices: SharedNotice[] = [];
      const logged: string[] = [];
      const work = createSharedWork({
        databaseUrl: url,
        directory,
        segments: createKnownSegments(directory),
        version: '1.0.0',
        delivered: () => [],
        say: (one) => void notices.push(one),
        log: (_fields, message) => void logged.push(message),
      });
      onTestFinished(() => work.close());
      return {
        notices,
        logged,
        ship: async () => void (await work.answerShared('ship', {})),
        ask: (kind, asked) => work.answer(kind, asked),
        shared: work.answerShared,
      };
    },
  };
}
