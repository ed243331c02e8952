/** `/api/v1/cp`: the CP subsystem, its members, groups and sessions. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { MemberReply } from '../../../platform/member-call.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import {
  type ClusterNeeds,
  checkDone,
  memberName,
  memberProblems,
  pathOf,
  reasonQuery,
  rejection,
} from './member-calls.ts';

interface CpNeeds extends ClusterNeeds {
  readonly cursors: Cursors;
}

const base = '/rest/cp-subsystem';
const mostSaid = 200;
const uuid = z
  .string()
  .regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i)
  .meta({ example: '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11' });
/** The end of a target decides at the real engine what is done, so no name has a slash. */
const groupName = z
  .string()
  .regex(/^(?!\.{1,2}$)[^\s"<>\\/%?\p{Cc}]{1,200}$/u)
  .meta({ description: 'Name of the group.', example: 'default' });
const sessionId = z
  .string()
  .regex(/^\d{1,18}$/)
  .meta({ example: '17' });
const cpMember = view({ id: uuid.meta({ description: 'UUID of the CP member.' }), address: z.string() }).meta(
  {
    id: 'CpMember',
  },
);
const cpView = view({
  isAvailable: z.boolean(),
  isKnown: z
    .boolean()
    .meta({ description: 'false: no member has answered, so that it may be available all the same.' }),
  reason: z.string().nullable().meta({ description: 'Why it is not available, or not known.' }),
  members: z.array(cpMember),
  groups: z.array(view({ id: groupName, groupId: z.number().int() })),
}).meta({ id: 'CpSubsystem' });
const groupView = view({
  id: groupName,
  groupId: z.number().int(),
  status: z.string().meta({ description: '`ACTIVE`, `DESTROYING` or `DESTROYED`.' }),
  members: z.array(cpMember),
}).meta({ id: 'CpGroup' });
const sessionView = view({
  id: sessionId,
  endpoint: z.string(),
  endpointType: z.string().meta({ description: '`SERVER` or `CLIENT`.' }),
  endpointName: z.string().nullable(),
  createdAt: dateTime.nullable(),
  expiresAt: dateTime.nullable(),
}).meta({ id: 'CpSession' });
const groupParams = z.strictObject({ group: groupName });
const change = { method: 'POST', access: 'write', hasVersion: false, problems: memberProblems } as const;

export const cpOperations: readonly Operation<CpNeeds>[] = [
  operation({
    id: 'readCp',
    method: 'GET',
    path: '/cp',
    summary: 'Shows the CP subsystem with its members and groups, or why it is not there.',
    access: 'read',
    answer: cpView,
    async run(_call, needs: CpNeeds) {
      return { body: await readCp(needs) };
    },
  }),
  operation({
    id: 'readCpGroup',
    method: 'GET',
    path: '/cp/groups/{group}',
    summary: 'Shows a CP group and its members.',
    access: 'read',
    problems: memberProblems,
    params: groupParams,
    answer: groupView,
    async run({ params: { group } }, needs: CpNeeds) {
      const { id, status, members } = objectOf(await asked(`${base}${pathOf('groups', group)}`, needs));
      const { id: groupId } = (id ?? {}) as Said;
      return {
        body: { id: group, groupId: Number(groupId), status: textOf(status), members: membersIn(members) },
      };
    },
  }),
  operation({
    id: 'listCpSessions',
    method: 'GET',
    path: '/cp/groups/{group}/sessions',
    summary: 'Lists the sessions of a CP group.',
    access: 'read',
    problems: memberProblems,
    params: groupParams,
    query: listQuery({}),
    answer: listOf(sessionView),
    async run({ params: { group }, query }, needs: CpNeeds) {
      const said = await asked(`${base}${pathOf('groups', group, 'sessions')}`, needs);
      const sessions = listIn(said).map(sessionOf);
      sessions.sort((one, other) => (one.id < other.id ? -1 : 1));
      return { body: pageOf(`listCpSessions ${group}`, sessions, query, needs.cursors) };
    },
  }),
  operation({
    ...change,
    id: 'promoteToCpMember',
    path: '/cp/members/{member}/promote',
    summary: 'Makes a member of the cluster a CP member.',
    event: 'cp.member_promoted',
    params: z.strictObject({ member: memberName }),
    async run({ params: { member }, isDryRun }, needs: CpNeeds) {
      if (!isDryRun) {
        const call = { method: 'POST', path: `${base}/members`, member, positionalValues: [] } as const;
        checkDone(await needs.askMember(call));
      }
      return { target: member };
    },
  }),
  operation({
    ...change,
    id: 'removeCpMember',
    path: '/cp/members/{cpMember}/remove',
    summary: 'Removes a CP member that has gone for good.',
    isDangerous: true,
    event: 'cp.member_removed',
    params: z.strictObject({ cpMember: uuid }),
    async run({ params: { cpMember: id }, isDryRun }, needs: CpNeeds) {
      const { members } = await available(needs);
      if (!members.some((one) => one.id === id)) throw unknown('There is no such CP member.');
      if (!isDryRun) await act(`members/${id}/remove`, needs);
      return { target: id };
    },
  }),
  operation({
    ...change,
    id: 'removeCpGroup',
    path: '/cp/groups/{group}/remove',
    summary: 'Destroys a CP group by force, with all that is in it.',
    isDangerous: true,
    event: 'cp.group_removed',
    params: groupParams,
    async run({ params: { group }, isDryRun }, needs: CpNeeds) {
      const { groups } = await available(needs);
      if (!groups.some(({ id }) => id === group)) throw unknown('There is no such CP group.');
      if (!isDryRun) await act(pathOf('groups', group, 'remove').slice(1), needs);
      return { target: group };
    },
  }),
  operation({
    ...change,
    id: 'removeCpSession',
    path: '/cp/groups/{group}/sessions/{session}/remove',
    summary: 'Ends a session of a CP group by force: what it holds is let go.',
    isDangerous: true,
    event: 'cp.session_removed',
    params: z.strictObject({ group: groupName, session: sessionId }),
    async run({ params: { group, session }, isDryRun }, needs: CpNeeds) {
      const said = await asked(`${base}${pathOf('groups', group, 'sessions')}`, needs);
      if (!listIn(said).some(({ id }) => String(id) === session)) {
        throw new ProblemError(problems.memberRejected, 'The CP group has no such session now.');
      }
      if (!isDryRun) await act(pathOf('groups', group, 'sessions', session, 'remove').slice(1), needs);
      return { target: `${group}/${session}` };
    },
  }),
  operation({
    ...change,
    id: 'resetCp',
    path: '/cp/reset',
    summary: 'Destroys every CP group and starts the CP subsystem anew. What was in it is lost.',
    isDangerous: true,
    event: 'cp.reset',
    query: reasonQuery,
    async run({ query, isDryRun }, needs: CpNeeds) {
      await available(needs);
      if (!isDryRun) await act('reset', needs);
      return { target: 'all groups', said: { ...query } };
    },
  }),
];

type Said = Readonly<Record<string, unknown>>;

async function readCp(needs: CpNeeds): Promise<z.infer<typeof cpView>> {
  const none = { isAvailable: false, members: [], groups: [] };
  try {
    const [members, groups] = await Promise.all([
      asked(`${base}/members`, needs),
      asked(`${base}/groups`, needs),
    ]);
    return {
      isAvailable: true,
      isKnown: true,
      reason: null,
      members: membersIn(members),
      groups: listIn(groups).map(({ name, id }) => ({ id: textOf(name), groupId: Number(id) })),
    };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem === problems.serverError) throw error;
    return { ...none, isKnown: !unanswered.has(error.problem.code), reason: error.message };
  }
}

const unanswered: ReadonlySet<string> = new Set([
  problems.noMember.code,
  problems.memberBusy.code,
  problems.upstreamTimeout.code,
]);

/** @throws {ProblemError} `member_rejected` where it is not there */
async function available(needs: CpNeeds): Promise<z.infer<typeof cpView>> {
  const cp = await readCp(needs);
  if (cp.isAvailable) return cp;
  throw new ProblemError(problems.memberRejected, cp.reason ?? 'There is no CP subsystem.');
}

async function asked(path: string, { askMember }: ClusterNeeds): Promise<unknown> {
  const reply = await askMember({ method: 'GET', path });
  if (reply.status === 404) throw unknown('There is no such CP group.');
  return jsonIn(checkDone(reply));
}

/** 400 of a member has no reason. */
async function act(path: string, { askMember }: ClusterNeeds): Promise<void> {
  const reply = await askMember({ method: 'POST', path: `${base}/${path}`, positionalValues: [] });
  if (reply.status >= 300) throw rejection(reply);
}

function unknown(detail: string): ProblemError {
  return new ProblemError(problems.notFound, detail);
}

function jsonIn({ bytes, member }: MemberReply): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ProblemError(problems.badGateway, `The member ${member} answers in a form that is not known.`);
  }
}

function listIn(said: unknown): readonly Said[] {
  return Array.isArray(said)
    ? said.filter((one): one is Said => typeof one === 'object' && one !== null)
    : [];
}

function objectOf(said: unknown): Said {
  return typeof said === 'object' && said !== null ? (said as Said) : {};
}

function membersIn(said: unknown): z.infer<typeof cpMember>[] {
  return listIn(said).map(({ uuid: id, address }) => ({ id: textOf(id), address: textOf(address) }));
}

function sessionOf(said: Said): z.infer<typeof sessionView> {
  return {
    id: textOf(said.id),
    endpoint: textOf(said.endpoint),
    endpointType: textOf(said.endpointType),
    endpointName: typeof said.endpointName === 'string' ? said.endpointName.slice(0, mostSaid) : null,
    createdAt: timeIn(said.creationTime),
    expiresAt: timeIn(said.expirationTime),
  };
}

function textOf(value: unknown): string {
  return String(value ?? '').slice(0, mostSaid);
}

function timeIn(value: unknown): string | null {
  const at = typeof value === 'number' ? new Date(value) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}
