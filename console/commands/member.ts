import { listFlags, listReply } from './operations/lists.ts';
import type { Command, Input, Reply } from './runner/command.ts';

/** As the API shows it. */
interface MemberView {
  readonly id: string;
  readonly uuid: string | null;
  readonly state: 'in' | 'out' | 'unknown';
  readonly reason: string | null;
  readonly isDrained: boolean;
  readonly inFlight: number | null;
}

const onApi = { isOnApi: true, createsStore: true } as const;

export const memberCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'member list',
    summary: 'Lists the members, how they are, and which are drained.',
    flags: listFlags,
    run: (input, tools) =>
      listReply<MemberView>(tools, 'listMembers', input, {
        headings: ['MEMBER', 'STATE', 'DRAINED', 'CALLS', 'UUID'],
        row: ({ id, uuid, state, reason, isDrained, inFlight }) => [
          id,
          state + (reason === null ? '' : ` (${reason})`),
          isDrained ? 'yes' : 'no',
          inFlight === null ? '' : String(inFlight),
          uuid ?? '',
        ],
        none: 'No member is known.',
      }),
  },
  {
    ...onApi,
    name: 'member drain',
    summary: 'Gives a member no calls any more but those that name it, until it is undrained.',
    positionals: ['<member>'],
    details: [
      'Before a restart: drain it, wait until member list shows no calls there, restart it, undrain it.',
      'It holds over a restart of the console. A member is host:port, or its UUID while the console runs.',
    ],
    async run(input, { api }) {
      const { body } = await api.call('drainMember', { params: { member: nameOf(input) } });
      return done(body as MemberView, 'is drained.');
    },
  },
  {
    ...onApi,
    name: 'member undrain',
    summary: 'Gives a drained member calls again.',
    positionals: ['<member>'],
    async run(input, { api }) {
      const { body } = await api.call('undrainMember', { params: { member: nameOf(input) } });
      if (body) return done(body as MemberView, 'takes calls again.');
      const id = nameOf(input);
      return {
        text: `${id} is drained no longer, and not there now.`,
        json: { id, isDrained: false },
        target: id,
      };
    },
  },
];

function nameOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function done(view: MemberView, said: string): Reply {
  const inFlight = view.inFlight ? ` ${view.inFlight} calls are in flight there.` : '';
  return { text: `${view.id} ${said}${inFlight}`, json: view, target: view.id };
}
