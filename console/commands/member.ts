import type { MemberStatus } from '../../member-proxy/members/members.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Command, Input, Reply, Tools } from './runner/command.ts';
import { table } from './runner/output.ts';

export const memberCommands: readonly Command[] = [
  {
    name: 'member list',
    summary: 'Lists the members, how they are, and which are drained.',
    async run(_input, tools) {
      const views = await viewsOf(tools);
      const rows = views.map(({ member, uuid, state, reason, drained, pending }) => [
        member,
        state + (reason === null ? '' : ` (${reason})`),
        drained ? 'yes' : 'no',
        pending === null ? '' : String(pending),
        uuid ?? '',
      ]);
      const headings = ['MEMBER', 'STATE', 'DRAINED', 'CALLS', 'UUID'];
      return { text: table(headings, rows, 'No member is known.'), json: views };
    },
  },
  {
    name: 'member drain',
    summary: 'Gives a member no calls any more but those that name it, until it is undrained.',
    positionals: ['<member>'],
    details: [
      'Before a restart: drain it, wait until member list shows no calls there, restart it, undrain it.',
      'It holds over a restart of the console. A member is host:port, or its UUID while the console runs.',
    ],
    event: 'member.drained',
    async run(input, tools) {
      const views = await viewsOf(tools);
      const view = find(input, views);
      const others = views.filter(({ member, drained }) => member !== view.member && !drained);
      if (others.length === 0) {
        throw new ProblemError(
          problems.conflict,
          `${view.member} is the only member that takes calls: undrain another first.`,
        );
      }
      const { memberRecords } = await tools.services({ creates: true });
      const isNew = await memberRecords.drain(view.member);
      return done(tools, view.member, isNew ? 'is drained.' : 'was drained already.');
    },
  },
  {
    name: 'member undrain',
    summary: 'Gives a drained member calls again.',
    positionals: ['<member>'],
    event: 'member.undrained',
    async run(input, tools) {
      const { memberRecords } = await tools.services({ creates: true });
      const asked = named(input);
      // One that is not there any more can be undrained all the same.
      const member = memberRecords.drained().has(asked) ? asked : find(input, await viewsOf(tools)).member;
      const isNew = await memberRecords.undrain(member);
      return done(tools, member, isNew ? 'takes calls again.' : 'was not drained.');
    },
  },
];

interface MemberView {
  /** `host:port`. */
  readonly member: string;
  readonly uuid: string | null;
  readonly state: 'in' | 'out' | 'unknown';
  /** Why its last probe came to nothing. */
  readonly reason: string | null;
  readonly drained: boolean;
  /** Calls under way there. */
  readonly pending: number | null;
  readonly groupsOff: readonly string[];
}

/** What the running console knows; without one, what the settings name. */
async function viewsOf(tools: Tools): Promise<readonly MemberView[]> {
  const { memberRecords } = await tools.services({ creates: true });
  const drained = memberRecords.drained();
  if (tools.members) return tools.members().map((status) => viewOf(status, drained));
  const { members } = await tools.settings();
  return members.map((address) => ({
    member: new URL(address).host,
    uuid: null,
    state: 'unknown',
    reason: 'no console runs',
    drained: drained.has(new URL(address).host),
    pending: null,
    groupsOff: [],
  }));
}

function viewOf(status: MemberStatus, drained: ReadonlySet<string>): MemberView {
  const { address, uuid, isIn, lastProbe, trouble, answersTo, pending, offGroups } = status;
  const member = new URL(address).host;
  const isGood = lastProbe === 'ready' || lastProbe === 'silent';
  return {
    member,
    uuid: uuid ?? null,
    state: lastProbe === undefined ? 'unknown' : isIn && lastProbe !== 'unreachable' ? 'in' : 'out',
    reason: answersTo
      ? `answers to /${answersTo}`
      : (trouble ?? (isGood ? null : (lastProbe ?? 'not asked yet'))),
    drained: drained.has(member),
    pending,
    groupsOff: offGroups,
  };
}

function find(input: Input, views: readonly MemberView[]): MemberView {
  const asked = named(input);
  const found = views.find(({ member, uuid }) => member === asked || uuid === asked);
  if (found) return found;
  throw new ProblemError(
    problems.notFound,
    `There is no member ${JSON.stringify(asked)}. npx console member list shows them by host:port.`,
  );
}

function named({ positionals }: Input): string {
  return (positionals[0] ?? '').toLowerCase();
}

async function done(tools: Tools, member: string, said: string): Promise<Reply> {
  const view = (await viewsOf(tools)).find((one) => one.member === member);
  const inFlight = view?.pending ? ` ${view.pending} calls are in flight there.` : '';
  return { text: `${member} ${said}${inFlight}`, json: view ?? { member, drained: false }, target: member };
}
