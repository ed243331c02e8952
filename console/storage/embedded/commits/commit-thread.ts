/** The thread that writes one large commit: `new Worker(…, { workerData: the directory of the environment })`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RecordCommit } from '../../record-engine.ts';
import { DuplicateRecordError, LastAdministratorError } from '../../record-store.ts';
import { openArtifactEntries } from '../lmdb/artifact-entries.ts';
import { openEnvironment } from '../lmdb/lmdb-environment.ts';
import { createRecordAnswers, type KnownProviders } from '../lmdb/record-answers.ts';
import { openRecordDatabases } from '../lmdb/record-databases.ts';
import { applyCommit, type CommitOutcome } from './apply-commit.ts';
import type { ForCommitThread, FromCommitThread } from './large-commits.ts';

const port = parentPort!;
const expected: RecordCommit['expected'][number][] = [];
const writes: RecordCommit['writes'][number][] = [];

port.on('message', async (message: ForCommitThread) => {
  if (message.type === 'part') {
    expected.push(...(message.part.expected ?? []));
    writes.push(...(message.part.writes ?? []));
    return;
  }
  post(await commit(message));
});

function post(message: FromCommitThread): void {
  port.postMessage(message);
}

async function commit({
  rest,
  isOrdered,
  roles,
  providers,
}: Extract<ForCommitThread, { type: 'commit' }>): Promise<FromCommitThread> {
  const environment = openEnvironment(workerData as string);
  try {
    const known = { roles, providers } as Readonly<Record<string, ReadonlyMap<string, object>>>;
    const registry = {
      get: (collection: string, id: string) => known[collection]?.get(id),
      all: (collection: string) => known[collection] ?? new Map(),
    } as KnownProviders;
    const databases = openRecordDatabases(environment);
    const target = {
      databases,
      registry,
      answers: createRecordAnswers(databases, registry),
      artifacts: openArtifactEntries(environment),
    };
    post({ type: 'begins' });
    return answerOf(
      await environment.write(() => applyCommit(target, { ...rest, expected, writes }, isOrdered)),
    );
  } catch (error) {
    if (error instanceof LastAdministratorError) return { type: 'last-administrator' };
    if (error instanceof DuplicateRecordError) return { type: error.what };
    // Nothing was written: whoever asked writes it, and tells what is wrong.
    return { type: 'failed' };
  } finally {
    await environment.close().catch(() => {});
  }
}

function answerOf(outcome: CommitOutcome): FromCommitThread {
  if (typeof outcome === 'string') return { type: outcome };
  const changed = new Set(outcome.map(({ collection, id }) => `${collection} ${id}`));
  const unchanged = writes.flatMap(({ collection, id }, i) =>
    changed.has(`${collection} ${id}`) ? [] : [i],
  );
  return { type: 'done', unchanged };
}
