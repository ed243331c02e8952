/** `/api/v1/elevations`: roles that people have for a while. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  type ElevationRecord,
  elevationCauses,
  saidOfEnd,
} from '../../accounts/elevations/elevation-record.ts';
import type { Elevations } from '../../accounts/elevations/elevations.ts';
import type { Clients } from '../../clients/clients.ts';
import { ceilingOf, isUnder } from '../../clients/role-ceiling.ts';
import { checkAccess } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { PermissionsOf } from '../../operations/privileges.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import type { UserRecord } from '../../storage/records.ts';
import { roleName } from './user-form.ts';

export interface ElevationNeeds {
  readonly elevations: Elevations;
  readonly users: { find(id: string): Promise<{ readonly username: string } | undefined> };
  readonly clients: Pick<Clients, 'find'>;
  readonly permissionsOf: PermissionsOf;
  readonly cursors: Cursors;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const states = ['open', 'ended'] as const;
const person = z.strictObject({ id: z.string(), username: z.string().nullable() });
export const elevationView = view({
  id: z.string().meta({ example: 'elv_019aaf1c0e7b7c3d9f21a5c4d8e6b702' }),
  state: z.enum(states),
  user: person,
  role: z.string(),
  reason: z.string(),
  createdAt: dateTime.meta({ description: 'When it began.' }),
  endsAt: dateTime.meta({ description: 'When it ends by itself.' }),
  endedAt: dateTime.nullable(),
  cause: z.enum(elevationCauses).nullable().meta({ description: 'Why it has ended.' }),
  endedBy: person.nullable().meta({ description: 'Who has ended it, where somebody did by itself.' }),
  updatedAt: dateTime,
}).meta({ id: 'Elevation' });
const params = z.strictObject({ elevation: z.string().regex(/^elv_[0-9a-f]{20,40}$/) });

/** Minutes; the setting may say less. */
const mostMinutes = 60;
const longestReason = 500;
const body = z
  .strictObject({
    role: roleName.meta({ description: 'One of the `eligibleRoles` of the person.', example: 'Admin' }),
    minutes: z.number().int().min(1).max(mostMinutes).meta({
      description: 'How long; CONSOLE_ELEVATION_MINUTES at most.',
      example: 30,
    }),
    reason: z
      .string()
      .min(1)
      .max(longestReason)
      .refine(
        (text) => text.trim() !== '' && !/\p{C}|\p{Zl}|\p{Zp}/u.test(text),
        'a reason is one line that says something',
      )
      .meta({ description: 'What for, for others to read.', example: 'Ticket 4711: queue orders is stuck' }),
  })
  .meta({ example: { role: 'Admin', minutes: 30, reason: 'Ticket 4711: queue orders is stuck' } });

export const elevationOperations: readonly Operation<ElevationNeeds>[] = [
  operation({
    id: 'listElevations',
    method: 'GET',
    path: '/elevations',
    summary:
      'Lists elevations of the last 30 days, the oldest first: one’s own, or with api:elevations:read all.',
    access: 'own',
    query: listQuery({ state: z.enum(states).exactOptional() }),
    answer: listOf(elevationView),
    async run({ query, actor }, needs: ElevationNeeds) {
      const all = await needs.elevations.list(may('inspect', actor, needs) ? undefined : actor.id);
      const meant =
        query.state === undefined ? all : all.filter((one) => stateOf(one, needs) === query.state);
      const { items, ...page } = pageOf('listElevations', meant, query, needs.cursors);
      return { body: { items: await Promise.all(items.map((one) => viewOf(one, needs))), ...page } };
    },
  }),
  operation({
    id: 'createElevation',
    method: 'POST',
    path: '/elevations',
    summary: 'Gives the person who calls one of their eligible roles, for a while and with a reason.',
    description:
      'For a person who has signed in within the last five minutes. Tokens have the role from the next one on, and end with it.',
    access: 'own',
    isDangerous: true,
    event: 'elevation.started',
    isOneChange: true,
    isMaking: true,
    hasVersion: false,
    body,
    askedOf: ({ role, minutes, reason }) => ({ role, minutes, reason }),
    answer: elevationView,
    problems: [403, 409],
    async run({ body: asked, actor }, needs: ElevationNeeds) {
      await checkMayTake(asked.role, actor, needs);
      const record = await needs.elevations.begin(actor.id, asked);
      const { id, role, reason, endsAt } = record;
      const said = { role, reason, elevation: id, endsAt: time(endsAt) };
      return { status: 201, body: await viewOf(record, needs), target: id, said };
    },
  }),
  operation({
    id: 'readElevation',
    method: 'GET',
    path: '/elevations/{elevation}',
    summary: 'Shows an elevation: one’s own, or with api:elevations:read anybody’s.',
    access: 'own',
    params,
    answer: elevationView,
    async run({ params: { elevation: id }, actor }, needs: ElevationNeeds) {
      return { body: await viewOf(await visible(id, actor, needs), needs) };
    },
  }),
  operation({
    id: 'deleteElevation',
    method: 'DELETE',
    path: '/elevations/{elevation}',
    summary:
      'Ends an elevation, with all sessions and tokens of the person: one’s own, or with api:elevations:write anybody’s.',
    access: 'own',
    event: 'elevation.ended',
    isOneChange: true,
    hasVersion: false,
    params,
    problems: [403, 409],
    async run({ params: { elevation: id }, actor, checkMayGrant }, needs: ElevationNeeds) {
      const { user } = await visible(id, actor, needs);
      const isOwn = isOf(actor, user);
      if (!isOwn) checkAccess({ object: 'elevations', access: 'write' }, actor, needs);
      const cause = isOwn ? 'ended_by_person' : 'ended_by_other';
      const checkMayEnd = isOwn ? () => {} : (account: UserRecord) => checkMayGrant(account);
      const record = await needs.elevations.end(id, { cause, by: actor.id }, { checkMayEnd });
      const { event: _event, target, ...said } = saidOfEnd(record, cause);
      return { target, said };
    },
  }),
];

export async function viewOf(record: ElevationRecord, needs: Pick<ElevationNeeds, 'elevations' | 'users'>) {
  const { id, user, role, reason, startedAt, endsAt, end } = record;
  const shown = async (subject: string) => ({
    id: subject,
    username: (await needs.users.find(subject))?.username ?? null,
  });
  const endedAt = end?.at ?? (needs.elevations.isOver(record) ? endsAt : null);
  return {
    ...{ id, role, reason },
    state: stateOf(record, needs),
    user: await shown(user),
    createdAt: time(startedAt),
    endsAt: time(endsAt),
    endedAt: endedAt === null ? null : time(endedAt),
    cause: end?.cause ?? (endedAt === null ? null : 'expired'),
    endedBy: end?.by === undefined ? null : await shown(end.by),
    updatedAt: time(endedAt ?? startedAt),
  };
}

function stateOf(record: ElevationRecord, { elevations }: Pick<ElevationNeeds, 'elevations'>) {
  return elevations.isOver(record) ? 'ended' : 'open';
}

/**
 * By an application it can be no role that the application does not get of its people: it would give itself nothing, and
 * to whoever sits there something that they have not asked for.
 *
 * @throws {ProblemError} `forbidden`
 */
async function checkMayTake(
  role: string,
  { kind, id, client }: Actor,
  { clients }: ElevationNeeds,
): Promise<void> {
  if (kind !== 'user') {
    const detail = 'Only a person who has signed in takes a role for a while: npx console login, and --url.';
    throw new ProblemError(problems.forbidden, detail, { actor: id });
  }
  const record = client === undefined ? undefined : await clients.find(client);
  if (client === undefined || (record && isUnder(ceilingOf(record), role))) return;
  throw new ProblemError(
    problems.forbidden,
    `The application ${client} does not get the role ${role} of anybody.`,
    {
      actor: id,
    },
  );
}

/** What the caller may not know of is not there. @throws {ProblemError} `not_found` */
async function visible(id: string, actor: Actor, needs: ElevationNeeds): Promise<ElevationRecord> {
  const found = await needs.elevations.find(id);
  if (isOf(actor, found.user) || may('inspect', actor, needs)) return found;
  throw new ProblemError(problems.notFound, 'There is no such elevation.');
}

function isOf({ kind, id }: Actor, user: string): boolean {
  return kind === 'user' && id === user;
}

function may(access: 'inspect' | 'write', actor: Actor, needs: ElevationNeeds): boolean {
  try {
    checkAccess({ object: 'elevations', access }, actor, needs);
    return true;
  } catch {
    return false;
  }
}

function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
