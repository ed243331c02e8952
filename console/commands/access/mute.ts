import { dryRunFlag } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, UsageError } from '../runner/command.ts';
import { fields } from '../runner/output.ts';

/** As the API shows it. */
interface MutedView {
  readonly id: string;
  readonly caller: { readonly kind: string; readonly id: string };
  readonly permission: string;
  readonly structure: string | null;
  readonly names: readonly string[] | null;
  readonly until: string;
  readonly by: { readonly kind: string; readonly id: string };
}

const onApi = { isOnApi: true } as const;

export const muteCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'access mute',
    summary: 'Keeps denials of one caller and call out of all findings for some days.',
    positionals: ['[<method>]', '[<path>]'],
    flags: {
      ...flags({
        '[--decision ID]': 'the decision_id of a denial, instead of method and path',
        '[--client I]': 'the machine client that calls',
        '[--user NAME]': 'the person who calls',
        '[--days N]': 'from 1 to 90; 7 by default',
      }),
      ...dryRunFlag,
    },
    details: [
      'The denials are counted, logged and listed as before; doctor, health show and the overview do not name them.',
      'What is muted already is so for as long from now. It holds over a restart, and ends by itself.',
    ],
    async run(input, { api }) {
      const request = { body: askedIn(input), isDryRun: input.has('dry-run') };
      const view = (await api.call('muteDenials', request)).body as MutedView;
      return { text: describe(view), json: view };
    },
  },
  {
    ...onApi,
    name: 'access unmute',
    summary: 'Lets findings name denials again.',
    positionals: ['<id>'],
    flags: dryRunFlag,
    details: ['The id is that of access muted.'],
    async run(input, { api }) {
      const denials = input.positionals[0]!;
      await api.call('unmuteDenials', { params: { denials }, isDryRun: input.has('dry-run') });
      const done = input.has('dry-run') ? 'would be muted no more.' : 'are muted no more.';
      return { text: `The denials ${denials} ${done}`, json: { id: denials } };
    },
  },
  {
    ...onApi,
    name: 'access muted',
    summary: 'Lists the denials that are muted.',
    flags: listFlags,
    run: (input, tools) =>
      listReply<MutedView>(tools, 'listMutedDenials', input, {
        headings: ['ID', 'CALLER', 'LACKS', 'OF', 'UNTIL', 'BY'],
        row: ({ id, caller, permission, names, until, by }) => [
          id,
          caller.id,
          permission,
          names?.join(' ') ?? '*',
          until,
          by.id,
        ],
        none: 'No denials are muted.',
      }),
  },
];

/** @throws {UsageError} */
function askedIn(input: Input): object {
  const [method, path] = input.positionals;
  const [decision, client, user] = [input.text('decision'), input.text('client'), input.text('user')];
  const days = input.text('days');
  if (days !== undefined && !/^\d{1,2}$/.test(days)) throw new UsageError('--days is a number from 1 to 90.');
  const rest = days === undefined ? {} : { days: Number(days) };
  if (decision !== undefined) {
    const isAlone = [method, path, client, user].every((one) => one === undefined);
    if (!isAlone) throw new UsageError('With --decision no call and no caller are named.');
    return { decision, ...rest };
  }
  const isOne = (client === undefined) !== (user === undefined);
  if (method === undefined || path === undefined || !isOne) {
    throw new UsageError('Give --decision, or method and path with one of --client and --user.');
  }
  return { ...(client === undefined ? { user: user! } : { client }), method, path, ...rest };
}

function describe({ id, caller, permission, structure, names, until, by }: MutedView): string {
  return fields({
    id,
    caller: `${caller.kind} ${caller.id}`,
    lacks: permission,
    of: structure === null ? undefined : `${structure} ${names?.join(', ') ?? '*'}`,
    until,
    by: by.id,
  });
}
