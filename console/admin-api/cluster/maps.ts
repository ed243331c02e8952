/** `/api/v1/maps`: maps that are known by name, and their entries, as members give them over REST. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { MemberReply } from '../../../platform/member-call.ts';
import { listOf } from '../../operations/lists.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import {
  type ClusterNeeds,
  checkDone,
  memberProblems,
  mostShownBytes,
  pathOf,
  shown,
  shownFields,
  storable,
  storedFields,
  structureName,
} from './member-calls.ts';
import { noEntry } from './no-entry.ts';
import {
  findStructure,
  listStructures,
  type StructureNeeds,
  structureQuery,
  structureView,
} from './structure-lists.ts';

type MapNeeds = ClusterNeeds & StructureNeeds;

/** Members take a slash at its end away. */
const key = z
  .string()
  .regex(/^(?! )(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^"<>\\\p{Cc}]{1,1000}(?<![ /])$/u)
  .meta({ description: 'Its key, encoded; a slash in it is `%2F`.', example: '1001' });
const mapView = structureView.meta({ id: 'ListedMap' });
const entryView = view({
  id: key,
  map: structureName,
  ...shownFields,
  member: z.string().nullable().meta({ description: 'The member that answered; null in a dry run.' }),
}).meta({ id: 'MapEntry' });
const params = z.strictObject({ map: structureName });
const entryParams = z.strictObject({ map: structureName, key });

export const mapOperations: readonly Operation<MapNeeds>[] = [
  operation({
    id: 'listMaps',
    method: 'GET',
    path: '/maps',
    summary:
      'Lists the maps that are known by name: from roles, clients and calls of 30 days. There may be others.',
    access: 'read',
    query: structureQuery,
    answer: listOf(mapView),
    async run({ query }, needs: MapNeeds) {
      return { body: await listStructures('listMaps', 'map', query, needs) };
    },
  }),
  operation({
    id: 'readMap',
    method: 'GET',
    path: '/maps/{map}',
    summary: 'Shows what is known of a map. Whether there is one, and how large it is, members do not tell.',
    access: 'read',
    params,
    answer: mapView,
    async run({ params: { map } }, needs: MapNeeds) {
      return { body: await findStructure('map', map, needs) };
    },
  }),
  operation({
    id: 'clearMap',
    problems: memberProblems,
    method: 'POST',
    path: '/maps/{map}/clear',
    summary: 'Removes every entry of a map.',
    access: 'write',
    isDangerous: true,
    event: 'map.cleared',
    hasVersion: false,
    params,
    async run({ params: { map }, isDryRun }, { askMember }: MapNeeds) {
      if (!isDryRun) checkDone(await askMember({ method: 'DELETE', path: pathOf('rest', 'maps', map) }));
      return { target: map };
    },
  }),
  operation({
    id: 'readMapEntry',
    problems: memberProblems,
    method: 'GET',
    path: '/maps/{map}/entries/{key}',
    summary: 'Shows an entry: its bytes, and the type that was stored with them. At most 1 MiB.',
    access: 'read',
    readEvent: 'map.entry.read',
    params: entryParams,
    answer: entryView,
    async run({ params }, needs: MapNeeds) {
      const entry = await findEntry(params, needs);
      if (entry) return { ...shownEntry(params, entry), target: targetOf(params) };
      throw new ProblemError(problems.notFound, noEntry);
    },
  }),
  operation({
    id: 'putMapEntry',
    problems: memberProblems,
    method: 'PUT',
    path: '/maps/{map}/entries/{key}',
    summary: 'Stores an entry.',
    description:
      'Members compare nothing: what another writes between the look at If-Match and the call is replaced.',
    access: 'write',
    event: 'map.entry.stored',
    params: entryParams,
    body: z.strictObject(storedFields),
    answer: entryView,
    async run({ params, body, ifMatch, isNew, isDryRun }, needs: MapNeeds) {
      const before = await checkEntry(params, { ifMatch, isNew }, needs);
      const value = storable(body);
      const call = { method: 'POST', path: entryPath(params), value } as const;
      const member = isDryRun ? undefined : checkDone(await needs.askMember(call)).member;
      return {
        ...shownEntry(params, { ...value, member }),
        status: before ? 200 : 201,
        ...changed(params, before, value),
      };
    },
  }),
  operation({
    id: 'deleteMapEntry',
    problems: memberProblems,
    method: 'DELETE',
    path: '/maps/{map}/entries/{key}',
    summary: 'Removes an entry.',
    access: 'write',
    event: 'map.entry.removed',
    params: entryParams,
    async run({ params, ifMatch, isDryRun }, needs: MapNeeds) {
      const before = await checkEntry(params, { ifMatch, isNew: false }, needs);
      if (!before) throw new ProblemError(problems.notFound, noEntry);
      if (!isDryRun) checkDone(await needs.askMember({ method: 'DELETE', path: entryPath(params) }));
      return changed(params, before, undefined);
    },
  }),
];

interface Entry {
  readonly map: string;
  readonly key: string;
}

interface Stored extends Pick<MemberReply, 'type' | 'bytes'> {
  /** That answered. */
  readonly member?: string | undefined;
}

function entryPath({ map, key: of }: Entry): string {
  return pathOf('rest', 'maps', map, of);
}

async function findEntry(entry: Entry, { askMember }: ClusterNeeds): Promise<Stored | undefined> {
  const call = { method: 'GET', path: entryPath(entry), mostBytes: mostShownBytes } as const;
  const reply = checkDone(await askMember(call));
  return reply.status === 204 ? undefined : reply;
}

/** @throws {ProblemError} `precondition_failed` */
async function checkEntry(
  entry: Entry,
  { ifMatch, isNew }: { readonly ifMatch: string | undefined; readonly isNew: boolean },
  needs: ClusterNeeds,
): Promise<Stored | undefined> {
  const before = await findEntry(entry, needs);
  const current = before && versionOfEntry(before);
  if ((ifMatch === undefined || ifMatch === current) && !(isNew && before)) return before;
  const detail = isNew ? 'There is an entry of this key.' : 'The entry has changed meanwhile: read it again.';
  throw new ProblemError(problems.preconditionFailed, detail, {
    members: current === undefined ? {} : { current: `"${current}"` },
  });
}

function shownEntry({ map, key: id }: Entry, entry: Stored): Answer {
  return { body: { id, map, ...shown(entry), member: entry.member ?? null }, version: versionOfEntry(entry) };
}

/** Of what it is: members count no versions. */
function versionOfEntry({ type, bytes }: Stored): string {
  const digest = createHash('sha256')
    .update(`${type ?? ''}\n`)
    .update(bytes)
    .digest('base64url');
  return `e-${digest.slice(0, 22)}`;
}

function targetOf({ map, key: of }: Entry): string {
  return `${map}/${of}`;
}

/** How large, and never what. */
function changed(entry: Entry, before: Stored | undefined, after: Stored | undefined): Answer {
  const from = before?.bytes.length ?? null;
  const to = after?.bytes.length ?? null;
  const isUnchanged =
    before !== undefined && after !== undefined && versionOfEntry(before) === versionOfEntry(after);
  return { target: targetOf(entry), changes: { bytes: { from, to } }, isUnchanged };
}
