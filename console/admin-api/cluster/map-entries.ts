/** Entries of maps at members: where they are, what they are, and on which version one is changed. */
import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { OpenMember } from '../../../platform/member-call.ts';
import { readWhole } from '../../../platform/read-whole.ts';
import type { Answer } from '../../operations/operation.ts';
import { pathOf, rejection, structureName } from './member-calls.ts';

/** Members take a slash at its end away. */
export const key = z
  .string()
  .regex(
    /^(?! )(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^"<>\\\p{Cc}]{1,1000}(?<![ /])$/u,
    'it has 1 to 1,000 characters, none of them a quotation mark, < > or a backslash, begins and ends with no space, ends with no slash, and has no . or .. between slashes',
  )
  .meta({ description: 'Its key, encoded; a slash in it is `%2F`.', example: '1001' });
export const entryParams = z.strictObject({ map: structureName, key });

export interface EntryNeeds {
  readonly openMember: OpenMember;
}

export interface Entry {
  readonly map: string;
  readonly key: string;
}

/** An entry, of which its size and its version are known, and not more of its value than was asked for. */
export interface Measured {
  readonly type: string | undefined;
  /** All of it, in bytes. */
  readonly size: number;
  readonly version: string;
  /** Of its value. */
  readonly beginning: Buffer;
  /** That answered. */
  readonly member: string;
}

/** Of what a member says when it refuses. */
const mostSaid = 65_536;

export function entryPath({ map, key: of }: Entry): string {
  return pathOf('rest', 'maps', map, of);
}

export function targetOf({ map, key: of }: Entry): string {
  return `${map}/${of}`;
}

/** @returns undefined where there is none. @throws {ProblemError} */
export async function openEntry(entry: Entry, { openMember }: EntryNeeds) {
  const reply = await openMember({ method: 'GET', path: entryPath(entry) });
  if (reply.status === 200) return reply;
  const bytes = (await readWhole(reply.chunks, mostSaid)) ?? Buffer.alloc(0);
  if (reply.status === 204) return undefined;
  throw rejection({ ...reply, bytes });
}

/**
 * Reads all of it, and holds no more than what is asked for.
 *
 * @param first  so many bytes of its value
 * @returns undefined where there is none
 */
export async function measureEntry(
  entry: Entry,
  needs: EntryNeeds,
  first = 0,
): Promise<Measured | undefined> {
  const reply = await openEntry(entry, needs);
  if (!reply) return undefined;
  const { type, member } = reply;
  const hash = versionHash(type);
  const beginning: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply.chunks) {
    hash.update(chunk);
    if (size < first) beginning.push(chunk.subarray(0, first - size));
    size += chunk.length;
  }
  return { type, member, size, version: versionIn(hash), beginning: Buffer.concat(beginning) };
}

/** Of what it is: members count no versions. */
export function versionOfValue({
  type,
  bytes,
}: {
  readonly type?: string | undefined;
  readonly bytes: Buffer;
}): string {
  return versionIn(versionHash(type).update(bytes));
}

function versionHash(type: string | undefined): Hash {
  return createHash('sha256').update(`${type ?? ''}\n`);
}

function versionIn(hash: Hash): string {
  return `e-${hash.digest('base64url').slice(0, 22)}`;
}

/** @returns what is there now. @throws {ProblemError} `precondition_failed` */
export async function checkEntry(
  entry: Entry,
  { ifMatch, isNew }: { readonly ifMatch: string | undefined; readonly isNew: boolean },
  needs: EntryNeeds,
): Promise<Measured | undefined> {
  const before = await measureEntry(entry, needs);
  const current = before?.version;
  if ((ifMatch === undefined || ifMatch === current) && !(isNew && before)) return before;
  const detail = isNew ? 'There is an entry of this key.' : 'The entry has changed meanwhile: read it again.';
  throw new ProblemError(problems.preconditionFailed, detail, {
    members: current === undefined ? {} : { current: `"${current}"` },
  });
}

type Sized = Pick<Measured, 'size' | 'version'>;

/** What the audit has of a change: how large, and never what. */
export function changed(entry: Entry, before: Sized | undefined, after: Sized | undefined): Answer {
  const isUnchanged = before !== undefined && before.version === after?.version;
  const changes = { bytes: { from: before?.size ?? null, to: after?.size ?? null } };
  return { target: targetOf(entry), changes, isUnchanged };
}
