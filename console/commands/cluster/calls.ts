/** `console call list` and `call end`: calls that wait for a member. */
import { dryRunFlag } from '../operations/changes.ts';
import { type Command, flags } from '../runner/command.ts';
import { table } from '../runner/output.ts';

/** As the API shows it. */
interface OpenCallsView {
  readonly items: readonly OpenCallView[];
  readonly count: number;
}
interface OpenCallView {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly client: string | null;
  readonly structure: string | null;
  readonly member: string | null;
  readonly waitedMs: number;
  readonly process: string;
  readonly isHere: boolean;
}

const narrowing = ['client', 'structure', 'member'] as const;

export const callCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'call list',
    summary: 'Lists the calls that have waited for a member for a second or more.',
    flags: flags({
      '[--client C]': 'those of this client',
      '[--structure S]': 'those to this map or queue: map:orders, queue:jobs',
      '[--member M]': 'those at this member, by host:port',
    }),
    async run(input, { api }) {
      const query = Object.fromEntries(
        narrowing.flatMap((name) => (input.has(name) ? [[name, input.text(name)!]] : [])),
      );
      const view = (await api.call('listOpenCalls', { query })).body as OpenCallsView;
      // Of one process there is nothing to tell apart.
      const isSpread = view.items.some(({ isHere }) => !isHere);
      const headings = ['WAITS', 'CLIENT', 'CALL', 'MEMBER', ...(isSpread ? ['AT'] : []), 'ID'];
      const left = view.count - view.items.length;
      const rows = view.items.map((call) => rowOf(call, isSpread));
      const text = table(headings, rows, 'No call waits for a second or more.');
      return { text: left > 0 ? `${text}\n${left} more wait.` : text, json: view };
    },
  },
  {
    isOnApi: true,
    name: 'call end',
    summary: 'Ends a call that waits for a member; its caller is answered 503 call_ended.',
    positionals: ['<id>'],
    flags: dryRunFlag,
    details: [
      'What a member has begun it may still carry out. No item of a queue is lost.',
      'One that waits at another console on the same database is ended too; one at a member proxy in a process of its own is not.',
    ],
    async run(input, { api }) {
      const call = input.positionals[0]!;
      const isDryRun = input.has('dry-run');
      await api.call('endOpenCall', { params: { call }, isDryRun });
      return { text: `${isDryRun ? 'Would end' : 'Ended'} the call ${call}.`, json: { id: call } };
    },
  },
];

function rowOf(
  { waitedMs, client, method, structure, route, member, process, id }: OpenCallView,
  isSpread: boolean,
): string[] {
  return [
    `${Math.floor(waitedMs / 1000)} s`,
    client ?? '',
    `${method} ${structure ?? route}`,
    member ?? '',
    ...(isSpread ? [process] : []),
    id,
  ];
}
