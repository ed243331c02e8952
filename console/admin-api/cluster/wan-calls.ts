/** What members are told of WAN publishers, and what is kept of their answers. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Cursors } from '../../operations/lists.ts';
import type { Answer } from '../../operations/operation.ts';
import type { MemberListNeeds } from './cluster-state.ts';
import { type ClusterNeeds, checkDone, objectIn, pathOf, structureName } from './member-calls.ts';

export const acts = ['added', 'paused', 'resumed', 'stopped', 'cleared', 'synced', 'checked'] as const;

export const publisherStates = ['sending', 'paused', 'stopped'] as const;

export interface Done {
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
  readonly lastCheck?: Done | undefined;
  readonly members?: Readonly<Record<string, AtMember>> | undefined;
}

interface AtMember {
  readonly state?: (typeof publisherStates)[number] | undefined;
  readonly since?: number | undefined;
  readonly clearedAt?: number | undefined;
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

export const name = structureName.meta({
  description: 'As the configuration of the members has it.',
  example: 'london',
});
export const syncId = z.string().regex(/^[\w-]{1,64}$/);
export const params = z.strictObject({ replication: name, publisher: name });
export type Publisher = z.infer<typeof params>;

/** @throws {ProblemError} when none has done it */
export async function eachMember(
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

export async function started(
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

export async function addConfig(
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
export async function readSync(sync: string, { askMember, publisherRecords }: WanNeeds): Promise<Answer> {
  const known = publisherRecords
    .all()
    .flatMap(({ lastSync, lastCheck }) => [lastSync, lastCheck])
    .find((one) => one?.sync === sync);
  const path = pathOf('rest', 'wan', 'sync', 'progress', sync);
  const reply = await askMember({ method: 'GET', path, member: known?.members[0] });
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

export function viewOf({ replication, publisher, last, lastSync, lastCheck, members = {} }: KnownPublisher) {
  // Once there was one place for either.
  const started = [lastSync, lastCheck].filter((one) => one !== undefined);
  const [synced, checked] = (['synced', 'checked'] as const).map((what) =>
    started.find((one) => one.what === what),
  );
  return {
    id: `${replication}/${publisher}`,
    replication,
    publisher,
    last: doneOf(last),
    lastSync: synced ? doneOf(synced) : null,
    lastCheck: checked ? doneOf(checked) : null,
    members: Object.keys(members)
      .sort()
      .map((member) => atMemberOf(member, members[member]!)),
  };
}

function atMemberOf(member: string, { state, since, clearedAt }: AtMember) {
  return { member, state: state ?? null, since: timeOf(since), clearedAt: timeOf(clearedAt) };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function doneOf({ what, at, members, sync }: Done) {
  return { what, at: new Date(at).toISOString(), members: [...members], sync: sync ?? null };
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
