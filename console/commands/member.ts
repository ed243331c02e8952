import { memberName } from './cluster/member-name.ts';
import { changeFlags, conditionsIn } from './operations/changes.ts';
import { listFlags, listReply } from './operations/lists.ts';
import type { Command, Input, Reply } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** As the API shows it. */
interface MemberView {
  readonly id: string;
  readonly address: string;
  readonly uuid: string | null;
  readonly version: string | null;
  readonly kind: string | null;
  readonly health: string | null;
  readonly circuit: string | null;
  readonly groups: Readonly<Record<string, boolean>>;
  readonly state: 'in' | 'out' | 'unknown';
  readonly reason: string | null;
  readonly isDrained: boolean;
  readonly inFlight: number | null;
  /** Absent in what a console of an earlier release answers. */
  readonly p99Ms?: number | null;
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
        headings: ['MEMBER', 'STATE', 'DRAINED', 'CALLS', 'P99', 'UUID'],
        row: ({ id, uuid, state, reason, isDrained, inFlight, p99Ms }) => [
          id,
          state + (reason === null ? '' : ` (${reason})`),
          isDrained ? 'yes' : 'no',
          inFlight === null ? '' : String(inFlight),
          inMs(p99Ms) ?? '',
          uuid ?? '',
        ],
        none: 'No member is known.',
      }),
  },
  {
    ...onApi,
    name: 'member show',
    summary: 'Shows how a member is.',
    positionals: ['<member>'],
    async run(input, { api }) {
      const { body } = await api.call('readMember', { params: { member: nameOf(input) } });
      const view = body as MemberView;
      return { text: describe(view), json: view };
    },
  },
  {
    ...onApi,
    name: 'member drain',
    summary: 'Gives a member no calls any more but those that name it, until it is undrained.',
    positionals: ['<member>'],
    flags: changeFlags,
    details: [
      'Before a restart: drain it, wait until member list shows no calls there, restart it, undrain it.',
      'It holds over a restart of the console. A member is host:port, or its UUID while the console runs.',
    ],
    async run(input, { api }) {
      const request = { params: { member: nameOf(input) }, ...conditionsIn(input) };
      const { body } = await api.call('drainMember', request);
      return done(body as MemberView, input.has('dry-run') ? 'would be drained.' : 'is drained.');
    },
  },
  {
    ...onApi,
    name: 'member undrain',
    summary: 'Gives a drained member calls again.',
    positionals: ['<member>'],
    flags: changeFlags,
    async run(input, { api }) {
      const request = { params: { member: nameOf(input) }, ...conditionsIn(input) };
      const { body } = await api.call('undrainMember', request);
      const said = input.has('dry-run') ? 'would take calls again.' : 'takes calls again.';
      if (body) return done(body as MemberView, said);
      const id = nameOf(input);
      return {
        text: `${id} ${input.has('dry-run') ? 'would no longer be' : 'is no longer'} drained. It is not among the members now.`,
        json: { id, isDrained: false },
        target: id,
      };
    },
  },
];

function nameOf({ positionals }: Input): string {
  return memberName(positionals[0]);
}

function done(view: MemberView, said: string): Reply {
  const inFlight = view.inFlight ? ` ${view.inFlight} calls are in flight there.` : '';
  return { text: `${view.id} ${said}${inFlight}`, json: view, target: view.id };
}

function describe(view: MemberView): string {
  const off = Object.entries(view.groups).flatMap(([group, isOn]) => (isOn ? [] : [group]));
  return fields({
    member: view.id,
    address: view.address,
    uuid: view.uuid ?? undefined,
    version: view.version ?? undefined,
    kind: view.kind ?? undefined,
    state: view.state,
    reason: view.reason ?? undefined,
    health: view.health ?? undefined,
    circuit: view.circuit ?? undefined,
    drained: view.isDrained ? 'yes' : 'no',
    'calls in flight': view.inFlight === null ? undefined : String(view.inFlight),
    p99: inMs(view.p99Ms),
    'off there': off.length === 0 ? undefined : off.join(', '),
  });
}

function inMs(ms: number | null | undefined): string | undefined {
  return ms === null || ms === undefined ? undefined : `${ms.toPrecision(2)} ms`;
}
