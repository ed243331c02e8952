/** `/api/v1/wan`: WAN publishers, as far as this console was asked about them, and what they are told to do. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../../operations/lists.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import type { MemberListNeeds } from './cluster-state.ts';
import {
  type ClusterNeeds,
  checkDone,
  memberName,
  memberProblems,
  objectIn,
  pathOf,
  structureName,
} from './member-calls.ts';

const acts = ['added', 'paused', 'resumed', 'stopped', 'cleared', 'synced', 'checked'] as const;

interface Done {
  readonly what: (typeof acts)[number];
  readonly at: number;
  readonly members: readonly string[];
  readonly sync?: string;
}

interface KnownPublisher {
  readonly replication: string;
  readonly publisher: string;
  readonly last: Done;
  readonly lastSync?: Done | undefined;
}

/** See console/members/publisher-records.ts. */
export interface WanNeeds extends ClusterNeeds, MemberListNeeds {
  readonly publisherRecords: {
    all(): readonly KnownPublisher[];
    find(replication: string, publisher: string): KnownPublisher | undefined;
    record(replication: string, publisher: string, last: Done): Promise<KnownPublisher>;
  };
  readonly cursors: Cursors;
  readonly now: () => number;
}

const name = structureName.meta({
  description: 'As the configuration of the members has it.',
  example: 'london',
});
const syncId = z.string().regex(/^[\w-]{1,64}$/);
const done = view({
  what: z.enum(acts),
  at: dateTime,
  members: z.array(z.string()).meta({ description: '`host:port` of the members that have done it.' }),
  sync: z.string().nullable().meta({ description: 'Id of the synchronization or check.' }),
});
const publisherView = view({
  id: z.string().meta({ example: 'atlantic/london' }),
  replication: name,
  publisher: name,
  last: done.meta({
    description: 'What was done to it last through this console. Its state members do not tell.',
  }),
  lastSync: done.nullable(),
}).meta({ id: 'WanPublisher' });
const params = z.strictObject({ replication: name, publisher: name });
type Publisher = z.infer<typeof params>;
const base = '/wan/{replication}/publishers/{publisher}' as const;
const change = { method: 'POST', access: 'write', hasVersion: false, problems: memberProblems } as const;

export const wanOperations: readonly Operation<WanNeeds>[] = [
  operation({
    id: 'listWanPublishers',
    method: 'GET',
    path: '/wan',
    summary: 'Lists the WAN publishers that this console was asked about. There may be others.',
    access: 'read',
    query: listQuery({}),
    answer: listOf(publisherView),
    async run({ query }, { publisherRecords, cursors }: WanNeeds) {
      const all = publisherRecords.all().map(viewOf);
      all.sort((one, other) => (one.id < other.id ? -1 : 1));
      return { body: pageOf('listWanPublishers', all, query, cursors) };
    },
  }),
  operation({
    ...change,
    id: 'addWanConfig',
    path: '/wan',
    summary: 'Adds publishers to the WAN replications of the members.',
    event: 'wan.publishers_added',
    isMaking: true,
    statuses: [200],
    body: z.strictObject({
      config: z.record(z.string(), z.unknown()).meta({
        description: 'As `addWanConfig` of the members takes it (docs/member-surface.md).',
        example: {
          name: 'atlantic',
          batchPublishers: [{ clusterName: 'london', targetEndpoints: '10.0.0.9:5701' }],
        },
      }),
    }),
    answer: view({ added: z.array(z.string()), ignored: z.array(z.string()) }).meta({ id: 'AddedWanConfig' }),
    run: ({ body: { config } }, needs: WanNeeds) => addConfig(config, needs),
  }),
  operation({
    id: 'readWanPublisher',
    method: 'GET',
    path: base,
    summary: 'Shows what was done to a publisher last through this console.',
    access: 'read',
    params,
    answer: publisherView,
    async run({ params: { replication, publisher } }, { publisherRecords }: WanNeeds) {
      const found = publisherRecords.find(replication, publisher);
      if (found) return { body: viewOf(found) };
      throw new ProblemError(problems.notFound, 'This console was not asked about such a publisher.');
    },
  }),
  onMembers('pauseWanPublisher', 'pause', 'pausePublisher', 'paused', {
    event: 'wan.publisher_paused',
    summary: 'Pauses a publisher: changes are queued and not sent.',
  }),
  onMembers('resumeWanPublisher', 'resume', 'resumePublisher', 'resumed', {
    event: 'wan.publisher_resumed',
    summary: 'Has a publisher send again.',
  }),
  onMembers('stopWanPublisher', 'stop', 'stopPublisher', 'stopped', {
    event: 'wan.publisher_stopped',
    summary: 'Stops a publisher: changes are neither queued nor sent, and are missing over there.',
  }),
  onMembers('clearWanPublisher', 'clear', 'clearWanQueues', 'cleared', {
    event: 'wan.publisher_cleared',
    summary: 'Throws away what a publisher has queued.',
    isDangerous: true,
  }),
  operation({
    ...change,
    id: 'syncWanPublisher',
    path: `${base}/sync`,
    summary: 'Sends all entries of one map, or of every one, to the other side.',
    event: 'wan.publisher_synced',
    params,
    body: z.strictObject({
      map: structureName
        .nullable()
        .exactOptional()
        .meta({ description: 'null: every map that is replicated.' }),
    }),
    answer: publisherView,
    run: ({ params: of, body: { map = null } }, needs: WanNeeds) =>
      map === null
        ? started(of, 'sync/allmaps', 'synced', [], needs)
        : started(of, 'sync/map', 'synced', [map], needs),
  }),
  operation({
    ...change,
    id: 'checkWanPublisher',
    path: `${base}/check`,
    summary: 'Compares a map with that of the other side.',
    event: 'wan.publisher_checked',
    params,
    body: z.strictObject({ map: structureName }),
    answer: publisherView,
    run: ({ params: of, body: { map } }, needs: WanNeeds) =>
      started(of, 'consistencyCheck/map', 'checked', [map], needs),
  }),
  operation({
    id: 'readWanSync',
    method: 'GET',
    path: '/wan/syncs/{sync}',
    summary: 'Shows how far a synchronization or a check is.',
    access: 'read',
    problems: memberProblems,
    params: z.strictObject({ sync: syncId }),
    answer: view({
      id: z.string(),
      stage: z.string().meta({ description: '`STARTED`, `IN_PROGRESS`, `FINISHED` or `FAILED`.' }),
      progress: z.number().int().nullable().meta({ description: 'Percent.' }),
      replication: z.string().nullable(),
      publisher: z.string().nullable(),
      createdAt: dateTime.nullable(),
    }).meta({ id: 'WanSync' }),
    run: ({ params: { sync } }, needs: WanNeeds) => readSync(sync, needs),
  }),
];

interface OnMembers {
  readonly event: string;
  readonly summary: string;
  readonly isDangerous?: boolean;
}

/** What acts on the member that takes the call, and so is asked of each. */
function onMembers(
  id: string,
  word: string,
  path: string,
  what: Done['what'],
  more: OnMembers,
): Operation<WanNeeds> {
  return operation({
    ...change,
    ...more,
    id,
    path: `${base}/${word}`,
    params,
    body: z.strictObject({
      member: memberName.nullable().exactOptional().meta({ description: 'null: at every member.' }),
    }),
    answer: view({
      publisher: publisherView,
      results: z.array(view({ member: z.string(), isDone: z.boolean(), reason: z.string().nullable() })),
    }).meta({ id: 'WanChange' }),
    async run({ params: of, body: { member = null } }, needs: WanNeeds): Promise<Answer> {
      const results = await eachMember(`/rest/wan/${path}`, of, member, needs);
      const members = results.filter(({ isDone }) => isDone).map((one) => one.member);
      const { replication, publisher } = of;
      const known = await needs.publisherRecords.record(replication, publisher, {
        what,
        at: needs.now(),
        members,
      });
      return {
        body: { publisher: viewOf(known), results: results.map(({ error: _, ...result }) => result) },
        target: viewOf(known).id,
        changes: { members },
      };
    },
  });
}

/** @throws {ProblemError} when none has done it */
async function eachMember(
  path: string,
  { replication, publisher }: Publisher,
  member: string | null,
  { askMember, memberStates }: WanNeeds,
) {
  const able = memberStates.list().filter(({ state, groups }) => state === 'in' && groups.WAN);
  const asked = member === null ? able.map(({ id }) => id) : [member];
  const results: { member: string; isDone: boolean; reason: string | null; error?: unknown }[] = [];
  // Without any, the call says why.
  for (const one of asked.length > 0 ? asked : [undefined]) {
    const call = { method: 'POST', path, member: one, positionalValues: [replication, publisher] } as const;
    try {
      const reply = checkDone(await askMember(call));
      results.push({ member: reply.member, isDone: true, reason: null });
    } catch (error) {
      if (!(error instanceof ProblemError) || one === undefined) throw error;
      results.push({ member: one, isDone: false, reason: error.message, error });
    }
  }
  if (!results.some(({ isDone }) => isDone)) throw results[0]!.error;
  return results;
}

async function started(
  { replication, publisher }: Publisher,
  path: string,
  what: Done['what'],
  more: readonly string[],
  { askMember, publisherRecords, now }: WanNeeds,
): Promise<Answer> {
  const positionalValues = [replication, publisher, ...more];
  const reply = await askMember({ method: 'POST', path: `/rest/wan/${path}`, positionalValues });
  const { uuid } = objectIn(reply);
  const sync = typeof uuid === 'string' && syncId.safeParse(uuid).success ? { sync: uuid } : {};
  const last = { what, at: now(), members: [reply.member], ...sync };
  const body = viewOf(await publisherRecords.record(replication, publisher, last));
  return { body, target: body.id, changes: { map: more[0] ?? null } };
}

async function addConfig(
  config: Readonly<Record<string, unknown>>,
  { askMember, publisherRecords, now }: WanNeeds,
): Promise<Answer> {
  const call = { method: 'POST', path: '/rest/wan/addWanConfig' } as const;
  const reply = await askMember({ ...call, positionalValues: [JSON.stringify(config)] });
  const { addedPublisherIds, ignoredPublisherIds } = objectIn(reply);
  const [added, ignored] = [namesIn(addedPublisherIds), namesIn(ignoredPublisherIds)];
  const replication = name.safeParse(config.name).data;
  for (const publisher of replication === undefined ? [] : added) {
    await publisherRecords.record(replication!, publisher, {
      what: 'added',
      at: now(),
      members: [reply.member],
    });
  }
  return {
    body: { added, ignored },
    target: replication,
    changes: { publishers: { add: added, remove: [] } },
  };
}

/** Of the member that coordinates it, where that is known. */
async function readSync(sync: string, { askMember, publisherRecords }: WanNeeds): Promise<Answer> {
  const known = publisherRecords.all().find(({ lastSync }) => lastSync?.sync === sync);
  const path = pathOf('rest', 'wan', 'sync', 'progress', sync);
  const reply = await askMember({ method: 'GET', path, member: known?.lastSync?.members[0] });
  if (reply.status === 500 && reply.bytes.length === 0) {
    throw new ProblemError(problems.notFound, 'The member knows no synchronization of this id.');
  }
  const { stage, progress, wanReplicationName, wanPublisherId, creationTime } = (objectIn(reply).result ??
    {}) as Readonly<Record<string, unknown>>;
  return {
    body: {
      id: sync,
      stage: String(stage ?? ''),
      progress: Number.isSafeInteger(progress) ? progress : null,
      replication: typeof wanReplicationName === 'string' ? wanReplicationName : null,
      publisher: typeof wanPublisherId === 'string' ? wanPublisherId : null,
      createdAt: typeof creationTime === 'number' ? new Date(creationTime).toISOString() : null,
    },
  };
}

function viewOf({ replication, publisher, last, lastSync }: KnownPublisher) {
  return {
    id: `${replication}/${publisher}`,
    replication,
    publisher,
    last: doneOf(last),
    lastSync: lastSync ? doneOf(lastSync) : null,
  };
}

function doneOf({ what, at, members, sync }: Done) {
  return { what, at: new Date(at).toISOString(), members: [...members], sync: sync ?? null };
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
