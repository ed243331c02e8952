/** `/api/v1/maps/{map}/readings`: many entries of a map, read by a job for whoever has asked, and for nobody else. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { isOver, type Job } from '../../jobs/job.ts';
import { jobActorOf } from '../../jobs/job-actor.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type MapReadingInput, readingKind } from '../../jobs/map-readings.ts';
import type { ReadRow, ReadRows } from '../../jobs/read-rows.ts';
import { DecryptionError } from '../../keys/encryption.ts';
import { type AccessCheckDeps, checkAccess } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Cursors, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { jobStates } from '../jobs.ts';
import { key } from './map-entries.ts';
import { structureName } from './member-calls.ts';

export interface ReadingNeeds extends AccessCheckDeps {
  readonly jobs: Jobs;
  readonly readRows: ReadRows;
  readonly cursors: Cursors;
  /** Of the table that these stand in too. */
  readonly operationNamed: (id: string) => Promise<Operation>;
}

/** Of one reading. */
const mostKeys = 100;
/** Of one caller: whoever may only read fills no store by asking. */
const mostOpen = 3;
const mostStored = 20;

const readingId = z.string().regex(/^job_[0-9a-f]{32}$/);
const text = z.string();
const problem = view({ code: text, detail: text }).nullable();
const shared = {
  id: readingId.meta({ description: 'That of its job, too.' }),
  map: structureName,
  state: z.enum(jobStates),
  keys: z.number().int().meta({ description: 'That were asked for, each once.' }),
  read: z.number().int().meta({ description: 'Of them, by now.' }),
  storedUntil: dateTime
    .nullable()
    .meta({ description: 'Until then it has its entries; null: not any more.' }),
  problem,
  createdAt: dateTime,
  startedAt: dateTime.nullable(),
  updatedAt: dateTime,
  endedAt: dateTime.nullable(),
};
const entry = view({
  id: key,
  type: text.nullable().meta({ description: 'Media type that was stored with it.' }),
  bytes: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Of its value; null: there is no entry, or `problem`.' }),
  problem: problem.meta({ description: 'Why it could not be read.' }),
}).meta({ id: 'ReadEntry' });
const listed = view(shared).meta({ id: 'ListedMapReading' });
const readingView = view({
  ...shared,
  entries: z.array(entry).meta({ description: 'Those that were read by now, in the order of the keys.' }),
}).meta({ id: 'MapReading' });
const mapParams = z.strictObject({ map: structureName });
const params = z.strictObject({ map: structureName, reading: readingId });
const own = 'Only whoever has asked for it has it.';

export const mapReadingOperations: readonly Operation<ReadingNeeds>[] = [
  operation({
    id: 'startMapReading',
    method: 'POST',
    path: '/maps/{map}/readings',
    summary: 'Reads the entries of many keys, as a job: whether each is there, its type and its size.',
    description:
      'Whoever calls needs what it takes to read an entry. Each key is read as whoever has asked reads one entry: with what they may do at that moment, within their rate, and with its own entry in the audit, whose `requestId` is the job. ' +
      'No value is stored; what was found is there for 24 hours. One caller has three at a time, and the last 20.',
    access: 'own',
    event: 'map.reading_started',
    hasVersion: false,
    isMaking: true,
    params: mapParams,
    body: z.strictObject({
      keys: z
        .array(key)
        .min(1)
        .max(mostKeys)
        .meta({ example: ['1001', '1002'] }),
    }),
    answer: readingView,
    statuses: [200, 202],
    async run({ params: { map }, body, actor, waitSeconds, isDryRun }, needs: ReadingNeeds) {
      checkAccess(await needs.operationNamed('readMapEntry'), actor, needs);
      const keys = [...new Set(body.keys)];
      await makeRoom(actor, needs);
      const begun = await begin(map, keys, actor, needs);
      const job = await needs.jobs.wait(begun, isDryRun ? 0 : waitSeconds * 1000);
      return {
        body: await wholeView(job, needs),
        status: isOver(job) ? 200 : 202,
        target: map,
        changes: { job: job.id, keys: keys.length },
        headers: { Location: `/api/v1/maps/${encodeURIComponent(map)}/readings/${job.id}` },
      };
    },
  }),
  operation({
    id: 'listMapReadings',
    method: 'GET',
    path: '/maps/{map}/readings',
    summary: 'Lists what the caller has had read of a map in the last 24 hours, the newest first.',
    description: own,
    access: 'read',
    params: mapParams,
    query: listQuery({}),
    answer: listOf(listed),
    async run({ params: { map }, query, actor }, needs: ReadingNeeds) {
      const { limit = 50 } = query;
      const list = `listMapReadings ${map}`;
      const after = needs.cursors.read(list, query);
      const views = await Promise.all(
        (await ownOf(actor, needs)).filter(({ input }) => input.map === map).map((job) => viewOf(job, needs)),
      );
      const all = views.filter(({ storedUntil }) => storedUntil !== null);
      const rest = after === undefined ? all : all.filter(({ id }) => id < after);
      const items = rest.slice(0, limit);
      const last = rest.length > limit ? items.at(-1) : undefined;
      const next = last ? needs.cursors.write(list, query, last.id) : null;
      return { body: { items, next, count: { value: all.length, isExact: true } } };
    },
  }),
  operation({
    id: 'readMapReading',
    method: 'GET',
    path: '/maps/{map}/readings/{reading}',
    summary: 'Shows what was read by now; with `Prefer: wait=N` when it is over, or after N seconds.',
    description: own,
    access: 'read',
    params,
    answer: readingView,
    problems: [409],
    async run({ params: asked, actor, waitSeconds }, needs: ReadingNeeds) {
      const job = await needs.jobs.wait(await found(asked, actor, needs), waitSeconds * 1000);
      return { body: await wholeView(job, needs) };
    },
  }),
  operation({
    id: 'stopMapReading',
    method: 'POST',
    path: '/maps/{map}/readings/{reading}/stop',
    summary: 'Stops it after the entries that are being read; what was read stays.',
    description: own,
    access: 'own',
    event: 'job.cancelled',
    hasVersion: false,
    params,
    answer: readingView,
    statuses: [200, 202],
    problems: [409],
    async run({ params: asked, actor, waitSeconds, isDryRun }, needs: ReadingNeeds) {
      const job = await found(asked, actor, needs);
      if (isOver(job)) throw new ProblemError(problems.conflict, 'This job is over.');
      if (!isDryRun) await needs.jobs.cancel(job);
      const newest = await needs.jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000);
      return { body: await wholeView(newest, needs), status: isOver(newest) ? 200 : 202, target: job.id };
    },
  }),
];

type Asked = z.infer<typeof params>;

/** The keys are there before the job is, which another process may come to at once. */
async function begin(
  map: string,
  keys: readonly string[],
  actor: Actor,
  { jobs, readRows }: ReadingNeeds,
): Promise<Job> {
  const id = jobs.newId();
  await readRows.begin(id, keys);
  const input: MapReadingInput = { map, keys: keys.length, actor: jobActorOf(actor) };
  return jobs.add({
    id,
    kind: readingKind,
    input: { ...input },
    startedBy: actor.id,
    resumable: false,
    unit: 'keys',
  });
}

/** @throws {ProblemError} `too_many_requests` */
async function makeRoom(actor: Actor, needs: ReadingNeeds): Promise<void> {
  const all = await ownOf(actor, needs);
  const over = all.filter(isOver);
  if (all.length - over.length >= mostOpen) {
    throw new ProblemError(
      problems.tooManyRequests,
      `${mostOpen} readings of this caller are not over yet: wait for one, or stop it.`,
      { headers: { 'Retry-After': '5' } },
    );
  }
  for (const job of over.slice(mostStored - 1)) {
    await needs.readRows.remove(job.id);
    await needs.jobs.remove(job);
  }
}

/** The newest first. */
async function ownOf(actor: Actor, { jobs }: ReadingNeeds): Promise<readonly Job[]> {
  return (await jobs.list()).filter((job) => isOwn(job, actor));
}

/** A machine may have the name of a person. */
function isOwn({ kind, input }: Job, actor: Actor): boolean {
  if (kind !== readingKind) return false;
  const { kind: of, id } = (input as unknown as MapReadingInput).actor;
  return of === actor.kind && id === actor.id;
}

/** @throws {ProblemError} `not_found`: what is not theirs is not there for others */
async function found({ map, reading }: Asked, actor: Actor, { jobs }: ReadingNeeds): Promise<Job> {
  const job = await jobs.find(reading);
  if (job && isOwn(job, actor) && job.input.map === map) return job;
  throw new ProblemError(problems.notFound, 'There is nothing of this id, or not any more.');
}

/** @throws {ProblemError} `conflict` with another encryption key than that of its time */
async function wholeView(job: Job, needs: ReadingNeeds): Promise<z.infer<typeof readingView>> {
  return { ...(await viewOf(job, needs)), entries: (await rowsOf(job, needs)).map(entryOf) };
}

async function rowsOf({ id }: Job, { readRows }: ReadingNeeds): Promise<readonly ReadRow[]> {
  try {
    return await readRows.read(id);
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    throw new ProblemError(problems.conflict, cause.message, { cause });
  }
}

function entryOf({ key: id, ...row }: ReadRow): z.infer<typeof entry> {
  return { id, ...row };
}

async function viewOf(job: Job, { readRows }: ReadingNeeds): Promise<z.infer<typeof listed>> {
  const { id, state, progress, problem: why, createdAt, startedAt, updatedAt, endedAt } = job;
  const { map, keys } = job.input as unknown as MapReadingInput;
  const storedUntil = await readRows.endOf(id);
  return {
    ...{ id, map, state, keys, problem: why },
    read: progress.done,
    storedUntil: storedUntil === undefined ? null : at(storedUntil),
    createdAt: at(createdAt),
    startedAt: startedAt === null ? null : at(startedAt),
    updatedAt: at(updatedAt),
    endedAt: endedAt === null ? null : at(endedAt),
  };
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
