/** `/api/v1/members/{member}`: what one member is asked to do. */
import { z } from 'zod';
import { type EndpointGroup, groupDisabled } from '../../../platform/endpoint-groups.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import type { MemberListNeeds } from './cluster-state.ts';
import {
  type ClusterNeeds,
  checkDone,
  memberName,
  memberProblems,
  objectIn,
  reasonQuery,
} from './member-calls.ts';

interface OneMemberNeeds extends ClusterNeeds {
  readonly memberStates: MemberListNeeds['memberStates'] & {
    /** Throws {@link ProblemError} `not_found`. */
    get(name: string): {
      readonly id: string;
      /** False where it is known to be off. */
      readonly groups: Readonly<Record<EndpointGroup, boolean>>;
    };
  };
}

const levels = ['OFF', 'SEVERE', 'WARNING', 'INFO', 'CONFIG', 'FINE', 'FINER', 'FINEST'] as const;
const logLevelPath = '/rest/log-level';
const logLevel = view({
  member: z.string().meta({ description: '`host:port`.', example: '10.0.0.1:5701' }),
  level: z.string().nullable().meta({ description: 'null: that of its configuration.', example: 'FINE' }),
}).meta({ id: 'LogLevel' });
const params = z.strictObject({ member: memberName });

export const memberCommandOperations: readonly Operation<OneMemberNeeds>[] = [
  operation({
    id: 'readMemberLogLevel',
    method: 'GET',
    path: '/members/{member}/log-level',
    summary: 'Shows the log level that a member was given over REST.',
    access: 'read',
    problems: memberProblems,
    params,
    answer: logLevel,
    async run({ params: { member } }, needs: OneMemberNeeds) {
      const { id } = needs.memberStates.get(member);
      return { body: { member: id, level: await levelOf(id, needs) } };
    },
  }),
  operation({
    id: 'setMemberLogLevel',
    method: 'POST',
    path: '/members/{member}/log-level',
    summary: 'Gives a member another log level; null: that of its configuration again.',
    access: 'write',
    event: 'member.log_level_changed',
    problems: memberProblems,
    hasVersion: false,
    params,
    body: z.strictObject({ level: z.enum(levels).nullable().meta({ example: 'FINE' }) }),
    answer: logLevel,
    async run({ params: { member }, body: { level }, isDryRun }, needs: OneMemberNeeds) {
      const { id, groups } = needs.memberStates.get(member);
      const before = await levelOf(id, needs);
      if (isDryRun) checkTakesCommands(id, groups);
      const call = { method: 'POST', member: id } as const;
      if (!isDryRun && level === null) {
        checkDone(await needs.askMember({ ...call, path: `${logLevelPath}/reset`, positionalValues: [] }));
      } else if (!isDryRun) {
        checkDone(await needs.askMember({ ...call, path: logLevelPath, positionalValues: [level!] }));
      }
      return {
        body: { member: id, level },
        target: id,
        ...(before === level ? { isUnchanged: true } : { changes: { level: { from: before, to: level } } }),
      };
    },
  }),
  operation({
    id: 'shutDownMember',
    method: 'POST',
    path: '/members/{member}/shutdown',
    summary: 'Shuts a member down, after the calls that are under way there.',
    access: 'write',
    isDangerous: true,
    event: 'member.shut_down',
    problems: memberProblems,
    hasVersion: false,
    params,
    query: reasonQuery,
    async run({ params: { member }, query, isDryRun }, needs: OneMemberNeeds) {
      const { id, groups } = needs.memberStates.get(member);
      if (isDryRun) checkTakesCommands(id, groups);
      const isLast = !needs.memberStates
        .list()
        .some((other) => other.id !== id && other.state === 'in' && !other.isDrained);
      if (!isDryRun) await shutDown(id, needs);
      const warnings = isLast ? ['No other member takes calls.'] : [];
      return { target: id, warnings, said: { ...query } };
    },
  }),
];

/** What the call itself would come to. @throws {ProblemError} `group_disabled` */
function checkTakesCommands(member: string, groups: Readonly<Record<EndpointGroup, boolean>>): void {
  const isRestOff = Object.values(groups).every((isOn) => !isOn);
  if (!groups.CLUSTER_WRITE) throw groupDisabled('CLUSTER_WRITE', member, isRestOff);
}

async function levelOf(member: string, { askMember }: ClusterNeeds): Promise<string | null> {
  const { logLevel: level } = objectIn(await askMember({ method: 'GET', path: logLevelPath, member }));
  return typeof level === 'string' ? level : null;
}

/** The answer can be lost to the connection that closes; it is asked then whether it is there still. */
async function shutDown(member: string, { askMember }: ClusterNeeds): Promise<void> {
  const path = '/rest/management/cluster/memberShutdown';
  try {
    checkDone(await askMember({ method: 'POST', path, member, positionalValues: [] }));
  } catch (error) {
    const isLost = error instanceof ProblemError && error.problem === problems.badGateway;
    if (!isLost || (await isThere(member, askMember))) throw error;
  }
}

async function isThere(member: string, askMember: ClusterNeeds['askMember']): Promise<boolean> {
  return askMember({ method: 'GET', path: '/health/ready', member }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
