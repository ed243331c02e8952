/** `/api/v1/maps/{map}/entries/{key}/value`: values of any size that members take, byte for byte. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { readWhole } from '../../../platform/read-whole.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import {
  changed,
  checkEntry,
  type EntryNeeds,
  entryParams,
  entryPath,
  key,
  openEntry,
  targetOf,
  versionOfValue,
} from './map-entries.ts';
import { type ClusterNeeds, checkDone, memberProblems, storedFields, structureName } from './member-calls.ts';
import { noEntry } from './no-entry.ts';

export type ValueNeeds = ClusterNeeds &
  EntryNeeds & {
    /** That the console sends to a member. */
    readonly mostValueBytes: number;
  };

const octets = 'application/octet-stream';
const path = '/maps/{map}/entries/{key}/value';
const storedValue = view({
  id: key,
  map: structureName,
  type: z.string().nullable(),
  bytes: z.number().int(),
  member: z.string().nullable().meta({ description: 'The member that answered; null in a dry run.' }),
}).meta({ id: 'StoredValue' });

export const mapValueOperations: readonly Operation<ValueNeeds>[] = [
  operation({
    id: 'readMapValue',
    method: 'GET',
    path,
    summary: 'Gives the value of an entry, whatever its size, as the bytes that it is.',
    description: 'The type that was stored with it is that of the entry.',
    access: 'read',
    readEvent: 'map.entry.read',
    isLong: true,
    problems: memberProblems,
    params: entryParams,
    answerType: octets,
    async run({ params }, needs: ValueNeeds) {
      const reply = await openEntry(params, needs);
      if (!reply) throw new ProblemError(problems.notFound, noEntry);
      const { length } = reply;
      return {
        bytes: reply.chunks,
        target: targetOf(params),
        headers: {
          'Content-Type': octets,
          'Content-Disposition': 'attachment; filename="value"',
          'X-Content-Type-Options': 'nosniff',
          ...(length !== undefined && { 'Content-Length': String(length) }),
        },
      };
    },
  }),
  operation({
    id: 'putMapValue',
    method: 'PUT',
    path,
    summary: 'Stores the bytes that are sent as the value of an entry.',
    description:
      'As many as CONSOLE_PROXY_BODY_LIMIT says, and as the member takes. Members compare nothing: what another writes between the look at If-Match and the call is replaced.',
    access: 'write',
    event: 'map.entry.stored',
    problems: memberProblems,
    params: entryParams,
    query: z.strictObject({ type: storedFields.type.unwrap().unwrap().exactOptional() }),
    mediaType: octets,
    answer: storedValue,
    async run({ params, query, body, ifMatch, isNew, isDryRun }, needs: ValueNeeds) {
      const { mostValueBytes, askMember } = needs;
      const bytes = await readWhole(body as unknown as AsyncIterable<Uint8Array>, mostValueBytes);
      if (!bytes) throw tooLarge(`A value has ${mostValueBytes} bytes at most (CONSOLE_PROXY_BODY_LIMIT).`);
      const before = await checkEntry(params, { ifMatch, isNew }, needs);
      const value = { bytes, type: query.type };
      const version = versionOfValue(value);
      const member = isDryRun ? null : await put(entryPath(params), value, askMember);
      return {
        body: {
          id: params.key,
          map: params.map,
          type: query.type ?? null,
          bytes: bytes.length,
          member,
        },
        version,
        status: before ? 200 : 201,
        ...changed(params, before, { size: bytes.length, version }),
      };
    },
  }),
];

/** @returns the member that has it */
async function put(
  at: string,
  value: { readonly bytes: Buffer; readonly type: string | undefined },
  askMember: ClusterNeeds['askMember'],
): Promise<string> {
  const reply = await askMember({ method: 'POST', path: at, value });
  if (reply.status !== 413) return checkDone(reply).member;
  throw tooLarge(
    `The member ${reply.member} takes no value of ${value.bytes.length} bytes. Nothing was stored.`,
  );
}

/** The rest of what is sent is not read. */
function tooLarge(detail: string): ProblemError {
  return new ProblemError(problems.contentTooLarge, detail, { headers: { Connection: 'close' } });
}
