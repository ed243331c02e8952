/** `/api/v1/sessions`: who is signed in, from where, and the ends of sessions. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Sessions } from '../../accounts/sessions.ts';
import type { Users } from '../../accounts/users.ts';
import { jobActorOf } from '../../jobs/job-actor.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { endAllKind, endAllOperation } from '../../jobs/session-ends.ts';
import { type Cursors, countOfWhole, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { CheckMayGrant } from '../../operations/privileges.ts';
import { begun, jobView } from '../jobs.ts';
import { filters, type SessionFilter, sessionId, sessionView, viewOf } from './session-form.ts';
import { idOf, keyOf } from './session-ids.ts';
import {
  countOfSessions,
  type MeantSession,
  pageOfSessions,
  sessionsMeant,
  withUsers,
} from './session-pages.ts';

export interface SessionNeeds {
  readonly sessions: Sessions;
  readonly users: Users;
  readonly cursors: Cursors;
  readonly jobs: Jobs;
}

const params = z.strictObject({ session: sessionId });
/** Sessions that one call ends: each takes some commits. */
const mostEnded = 100;

export const sessionOperations: readonly Operation<SessionNeeds>[] = [
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/sessions',
    summary: 'Lists who is signed in; a page may be short, and only the one without `next` is the last.',
    access: 'inspect',
    query: listQuery(filters),
    answer: listOf(sessionView),
    problems: [404],
    async run({ query }, needs: SessionNeeds) {
      const { limit = defaultItems, cursor: _cursor, ...filter } = query;
      const after = needs.cursors.read('listSessions', query);
      const meant = await sessionsMeant(filter, needs.users);
      const { found, next } = await pageOfSessions(meant, { limit, after }, needs);
      const items = found.map(({ session, user }) => viewOf(session, user));
      const count = countOfWhole(items, { after, next }) ?? (await countOfSessions(meant, needs));
      return {
        body: {
          items,
          next: next === undefined ? null : needs.cursors.write('listSessions', query, next),
          count: count ?? null,
        },
      };
    },
  }),
  operation({
    id: 'readSession',
    method: 'GET',
    path: '/sessions/{session}',
    summary: 'Shows a session.',
    access: 'inspect',
    params,
    answer: sessionView,
    async run({ params: { session: id } }, needs: SessionNeeds) {
      const { session, user } = await find(id, needs);
      return { body: viewOf(session, user) };
    },
  }),
  operation({
    id: 'endSession',
    method: 'DELETE',
    path: '/sessions/{session}',
    summary: 'Ends a session and all that was issued under it, and tells the applications.',
    access: 'write',
    event: 'session.ended',
    hasVersion: false,
    params,
    async run({ params: { session: id }, checkMayGrant }, needs: SessionNeeds) {
      const { session, user } = await find(id, needs);
      checkMayGrant(user);
      if (!(await needs.sessions.end(session.uid))) throw notFound();
      return { target: id };
    },
  }),
  operation({
    id: 'endSessions',
    method: 'POST',
    path: '/sessions/end',
    summary: `Ends the sessions of a user, at a client or of a provider, ${mostEnded} at most: again with \`cursor\` until \`next\` is null.`,
    description: 'Sessions of users who have more than the caller has are left as they are, and counted.',
    access: 'write',
    isDangerous: true,
    problems: [404],
    event: 'sessions.ended',
    body: z
      .strictObject({ ...filters, cursor: z.string().max(2048).exactOptional() })
      .refine(
        ({ user, client, provider }) => [user, client, provider].some((one) => one !== undefined),
        'give user, client or provider',
      ),
    answer: z
      .strictObject({
        ended: z.number().int(),
        left: z.number().int().meta({ description: 'Of users who have more than the caller has.' }),
        next: z.string().nullable().meta({ description: 'Where to go on, as `cursor`; null: all is done.' }),
      })
      .meta({ id: 'EndedSessions' }),
    async run({ body, checkMayGrant }, needs: SessionNeeds) {
      const { cursor: _cursor, ...filter } = body;
      const after = needs.cursors.read('endSessions', body);
      const meant = await sessionsMeant(filter, needs.users);
      const { found, next } = await pageOfSessions(meant, { limit: mostEnded, after }, needs);
      const mayEnd = found.filter((one) => isAllowed(one, checkMayGrant));
      const ended: string[] = [];
      for (const { session } of mayEnd) {
        if (await needs.sessions.end(session.uid)) ended.push(idOf(session));
      }
      return {
        body: {
          ended: ended.length,
          left: found.length - mayEnd.length,
          next: next === undefined ? null : needs.cursors.write('endSessions', body, next),
        },
        target: targetOf(filter),
        changes: { sessions: { add: [], remove: ended } },
        isUnchanged: ended.length === 0,
      };
    },
  }),
  operation({
    id: 'endAllSessions',
    method: 'POST',
    path: '/sessions/end-all',
    summary: 'Ends all sessions that there are, the own one last, as a job that goes on after a restart.',
    description:
      'Each ends as by its own call, with its own entry in the audit, whose `requestId` is the job. Whoever signs in while the job works stays signed in. Sessions of users who have more than the caller has are left as they are: they are among the `failures` of the `result`. The caller sees the job as a bulk action.',
    access: 'write',
    isDangerous: true,
    isMaking: true,
    event: 'bulk_act.started',
    hasVersion: false,
    body: z.strictObject({
      reason: z
        .string()
        .min(3)
        .max(500)
        .exactOptional()
        .meta({ description: 'Why it is done, for the audit.', example: 'a stolen signing key' }),
    }),
    answer: jobView,
    statuses: [200, 202],
    async run({ body, actor, waitSeconds, isDryRun }, { jobs }: SessionNeeds) {
      const input = { reason: body.reason ?? null, actor: { ...jobActorOf(actor) } };
      const asked = { kind: endAllKind, input, resumable: true, unit: 'things' };
      const job = await jobs.add({ ...asked, startedBy: actor.id });
      const answer = begun(await jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000));
      return {
        ...answer,
        // The job of a dry run is none.
        target: isDryRun ? undefined : job.id,
        changes: { operation: endAllOperation, ...body },
        said: { ...body },
      };
    },
  }),
];

/** Whose, in the words of the filter. */
function targetOf(filter: SessionFilter): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function isAllowed({ user }: MeantSession, checkMayGrant: CheckMayGrant): boolean {
  try {
    checkMayGrant(user);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.problem === problems.escalation) return false;
    throw error;
  }
}

/** @throws {ProblemError} `not_found` */
async function find(
  id: string,
  { sessions, users }: Pick<SessionNeeds, 'sessions' | 'users'>,
): Promise<MeantSession> {
  const session = await sessions.findByKey(keyOf(id));
  const [found] = session ? await withUsers([session], users) : [];
  if (found) return found;
  throw notFound();
}

function notFound(): ProblemError {
  return new ProblemError(problems.notFound, 'There is no such session, or not any more.');
}
