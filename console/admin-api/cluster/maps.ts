/** `/api/v1/maps`: maps that are known by name, and their entries, as members give them over REST. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { listOf } from '../../operations/lists.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import {
  changed,
  checkEntry,
  type Entry,
  type EntryNeeds,
  entryParams,
  entryPath,
  key,
  type Measured,
  measureEntry,
  targetOf,
  versionOfValue,
} from './map-entries.ts';
import {
  type ClusterNeeds,
  checkDone,
  memberProblems,
  mostShownBytes,
  pathOf,
  shownFields,
  storable,
  storedFields,
  structureName,
} from './member-calls.ts';
import { noEntry } from './no-entry.ts';
import {
  findStructure,
  listStructures,
  mapFields,
  type StructureNeeds,
  structureQuery,
} from './structure-lists.ts';

interface CalledKeysNeeds {
  readonly calledKeys: {
    readonly isOn: boolean;
    of(map: string): Promise<readonly { readonly key: string; readonly at: number }[]>;
  };
}

type MapNeeds = ClusterNeeds & EntryNeeds & StructureNeeds & CalledKeysNeeds;

const mapView = view(mapFields).meta({ id: 'ListedMap' });
const oneMapView = view({
  ...mapFields,
  calledKeys: z
    .array(view({ id: key, lastCallAt: dateTime }))
    .nullable()
    .meta({
      description:
        'The last keys that were called through the console, where CONSOLE_CALL_KEYS_MINUTES keeps them; null: it keeps none.',
    }),
}).meta({ id: 'KnownMap' });
const entryView = view({
  id: key,
  map: structureName,
  ...shownFields,
  member: z.string().nullable().meta({ description: 'The member that answered; null in a dry run.' }),
}).meta({ id: 'MapEntry' });
const params = z.strictObject({ map: structureName });

export const mapOperations: readonly Operation<MapNeeds>[] = [
  operation({
    id: 'listMaps',
    method: 'GET',
    path: '/maps',
    summary:
      "Lists the maps that are known by name: from the members' configuration, roles, clients and calls of 30 days. There may be others.",
    access: 'read',
    query: structureQuery,
    answer: listOf(mapView),
    async run({ query, actor }, needs: MapNeeds) {
      return { body: await listStructures('listMaps', 'map', query, actor, needs) };
    },
  }),
  operation({
    id: 'readMap',
    method: 'GET',
    path: '/maps/{map}',
    summary: 'Shows what is known of a map. Whether there is one, and how large it is, members do not tell.',
    access: 'read',
    params,
    answer: oneMapView,
    async run({ params: { map }, actor }, needs: MapNeeds) {
      const found = await findStructure('map', map, actor, needs);
      return { body: { ...found, calledKeys: await calledKeysOf(map, needs) } };
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
    summary: 'Shows an entry: its bytes, and the type that was stored with them. At most 1 MiB of them.',
    access: 'read',
    readEvent: 'map.entry.read',
    params: entryParams,
    query: z.strictObject({
      first: z.coerce
        .number()
        .int()
        .min(0)
        .max(mostShownBytes)
        .exactOptional()
        .meta({ description: 'Of a value of any size, so many bytes alone; `bytes` is the size of all.' }),
    }),
    answer: entryView,
    async run({ params, query: { first } }, needs: MapNeeds) {
      const entry = await measureEntry(params, needs, first ?? mostShownBytes);
      if (!entry) throw new ProblemError(problems.notFound, noEntry);
      if (first === undefined && entry.size > mostShownBytes) throw tooLong(entry.size);
      return { ...shownEntry(params, entry, entry.beginning, entry.member), target: targetOf(params) };
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
      const after = { type: value.type, size: value.bytes.length, version: versionOfValue(value) };
      const call = { method: 'POST', path: entryPath(params), value } as const;
      const member = isDryRun ? undefined : checkDone(await needs.askMember(call)).member;
      return {
        ...shownEntry(params, after, value.bytes, member),
        status: before ? 200 : 201,
        ...changed(params, before, after),
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

/** Those that this API has pages for: a member takes others too. */
async function calledKeysOf(map: string, { calledKeys }: CalledKeysNeeds) {
  if (!calledKeys.isOn) return null;
  const called = await calledKeys.of(map);
  return called
    .filter((one) => key.safeParse(one.key).success)
    .map((one) => ({ id: one.key, lastCallAt: new Date(one.at).toISOString() }));
}

/** @param value  as much of it as is shown */
function shownEntry(
  { map, key: id }: Entry,
  { type, size, version }: Pick<Measured, 'type' | 'size' | 'version'>,
  value: Buffer,
  member: string | undefined,
): Answer {
  const body = { id, map, type: type ?? null, bytes: size, value: value.toString('base64') };
  return { body: { ...body, member: member ?? null }, version };
}

function tooLong(size: number): ProblemError {
  return new ProblemError(
    problems.contentTooLarge,
    `The value has ${size} bytes, and more than ${mostShownBytes} are not given in one piece: ask for its beginning (?first=65536), or for its /value.`,
  );
}
