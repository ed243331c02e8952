/** `/api/v1/wan`: WAN publishers, as far as this console was asked about them, and what they are told to do. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { listOf, listQuery, pageOf } from '../../operations/lists.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { memberName, memberProblems, structureName } from './member-calls.ts';
import {
  acts,
  addConfig,
  type Done,
  eachMember,
  name,
  params,
  publisherStates,
  readSync,
  started,
  syncId,
  viewOf,
  type WanNeeds,
} from './wan-calls.ts';

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
  lastSync: done
    .nullable()
    .meta({ description: 'The last synchronization that was begun through this console.' }),
  lastCheck: done.nullable().meta({ description: 'The last consistency check.' }),
  members: z
    .array(
      view({
        member: z.string().meta({ description: '`host:port`.' }),
        state: z.enum(publisherStates).nullable().meta({
          description:
            'What it was told last through this console; null: neither. It may be otherwise meanwhile.',
        }),
        since: dateTime.nullable(),
        clearedAt: dateTime
          .nullable()
          .meta({ description: 'When its queue was emptied last; how long it is members do not tell.' }),
      }),
    )
    .meta({ description: 'The members that were told something of it.' }),
}).meta({ id: 'WanPublisher' });
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
      config: z.looseObject({ name: name.nullable().exactOptional() }).meta({
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
