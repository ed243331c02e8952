/** What the thread that reads the audit does where several consoles share a database: it copies, answers, and clears up. */
import { addressOf } from '../../storage/postgres/address.ts';
import { createDatabase, statement } from '../../storage/postgres/database.ts';
import { LeadershipLostError } from '../../storage/storage.ts';
import type { KnownSegments } from '../index/known-segments.ts';
import type { Asks, Gets, QuestionKind, Reached } from '../reader/questions.ts';
import { ownWriter, replaceOwnWriter } from '../writer-name.ts';
import { type ChainHead, createChainRows } from './chain-rows.ts';
import { createCopiedFiles } from './copied-files.ts';
import { createRowAnswers } from './row-answers.ts';
import { eraseRow } from './row-erasure.ts';
import { dropEndedChains, dropRows, expiredRows } from './row-retention.ts';
import type { LostTerm, SharedAsks, SharedGets, SharedKind, SharedNotice } from './shared-questions.ts';
import { createShipper, goesOnFrom } from './shipper.ts';

export interface SharedWorkDeps {
  readonly databaseUrl: string;
  /** Of the writers' folders. */
  readonly directory: string;
  readonly segments: KnownSegments;
  /** Of the console. */
  readonly version: string;
  /** What each receiver of entries has got, for all of them. */
  readonly delivered: () => readonly Reached[];
  readonly say: (notice: SharedNotice) => void;
  readonly log: (fields: object, message: string) => void;
}

export type SharedWork = ReturnType<typeof createSharedWork>;

/** Beside those of the store. */
const connections = 3;
/** Entries of so long go together, or sooner when there are many. */
const shipMs = 400;
const clearMs = 60_000;

const sumOfVersions = statement(
  'audit_versions',
  `select coalesce(sum(seq), 0)::bigint as entries, coalesce(sum(denials), 0)::bigint as denials,
    coalesce(sum(changes), 0)::bigint as changes from audit_chain`,
);

export function createSharedWork(deps: SharedWorkDeps) {
  const { directory, segments, version, say, log } = deps;
  const database = createDatabase({
    address: addressOf(deps.databaseUrl),
    onConnectionLost() {}, // the store says so
    connections,
  });
  const chains = createChainRows(database);
  const shipper = createShipper({ segments, chains, log, onHeads: takeHeads });
  const files = createCopiedFiles({ segments, reached: shipper.reached, delivered: deps.delivered });
  let isClosed = false;
  let isFailing = false;
  const rows = createRowAnswers({ database, shipper, version, isClosed: () => isClosed });
  const shipTimer = setInterval(() => void shipQuietly(), shipMs);
  const clearTimer = setInterval(() => void clear(), clearMs);
  let shipping: Promise<void> | undefined;

  const answers: { [K in SharedKind]: (asked: SharedAsks<K>) => Promise<SharedGets<K>> } = {
    begin,
    async ship() {
      await shipper.ship();
      if (shipper.isBroken()) throw new Error('the audit in the database does not go on from the files here');
      return {};
    },
    async versions() {
      await shipper.shipIfTaken();
      return (await database.run<SharedGets<'versions'>>(sumOfVersions)).rows[0]!;
    },
    outbox: async ({ ids }) => ({ found: await chains.foundOfOutbox(ids) }),
    async erase({ writer, seq }) {
      await eraseRow(database, writer, seq);
      return { isHere: segments.writers().includes(writer) };
    },
    async erased({ writer, seq }) {
      await chains.erasedInFiles(writer, seq);
      return {};
    },
    expired: ({ limits, now, held }) =>
      unlessLost({}, async () => {
        const expired = await expiredRows(database, limits, now);
        if (!expired) await dropEndedChains(database, held);
        return { ...(expired && { expired }) };
      }),
    drop: ({ held, ...asked }) =>
      unlessLost({ isDone: false }, async () => ({ isDone: await dropRows(database, asked, held) })),
  };

  return {
    isOwn: (kind: string): kind is SharedKind => Object.hasOwn(answers, kind),
    /** @throws {StorageUnavailableError} */
    answer: <K extends QuestionKind>(kind: K, asked: Asks<K>): Promise<Gets<K>> => rows.answer(kind, asked),
    /** @throws {StorageUnavailableError} */
    answerShared: <K extends SharedKind>(kind: K, asked: SharedAsks<K>): Promise<SharedGets<K>> =>
      answers[kind](asked),
    /** What is in the files goes to the database first, if it takes it. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(shipTimer);
      clearInterval(clearTimer);
      await shipping;
      await shipQuietly();
      await database.close();
    },
  };

  async function begin(): Promise<SharedGets<'begin'>> {
    const writer = ownWriter(directory);
    const chain = await chains.find(writer);
    if (!chain || goesOnFrom(writer, segments.writers().includes(writer) ? segments.of(writer) : [], chain))
      return { writer };
    return { writer: replaceOwnWriter(directory), left: writer };
  }

  /** What fails is tried again; what waits is in the files. */
  function shipQuietly(): Promise<void> {
    shipping ??= shipper
      .ship()
      .then(
        () => setFailing(false),
        (error: Error) => setFailing(true, error),
      )
      .finally(() => {
        shipping = undefined;
      });
    return shipping;
  }

  function setFailing(next: boolean, error?: Error): void {
    if (next === isFailing || (next && isClosed)) return;
    isFailing = next;
    if (next)
      log({ reason: error?.message }, 'the database takes no entries of the audit: they wait in its files');
    else log({}, 'the database takes entries of the audit again');
  }

  function takeHeads(heads: readonly ChainHead[]): void {
    say({
      type: 'heads',
      heads: Object.fromEntries(heads.map(({ writer, seq, link }) => [writer, { seq, link }])),
    });
    for (const { writer, erased } of heads) for (const seq of erased) say({ type: 'erase', writer, seq });
  }

  async function clear(): Promise<void> {
    try {
      files.clear();
    } catch (error) {
      log({ reason: (error as Error).message }, 'copied files of the audit could not be removed');
    }
  }
}

async function unlessLost<T extends object>(nothing: T, work: () => Promise<T>): Promise<T & LostTerm> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeadershipLostError) return { ...nothing, isLost: true };
    throw error;
  }
}
