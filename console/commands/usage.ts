import { listFlags, listReply } from './operations/lists.ts';
import { type Command, flags, type Input, UsageError } from './runner/command.ts';
import { fields, table } from './runner/output.ts';

/** As the API shows them, as far as they are printed. */
interface CallView {
  readonly permission: string;
  readonly structure: string | null;
  readonly names: readonly string[] | null;
  readonly isAllowed: boolean;
  readonly calls: number;
  readonly lastAt: string;
}

interface Period {
  readonly since: string;
  readonly isComplete: boolean;
  readonly incomplete: readonly string[];
}

interface UsageView extends Period {
  readonly subject: { readonly kind: string; readonly id: string };
  readonly granted: { readonly roles: readonly string[]; readonly permissions: readonly string[] };
  readonly used: readonly CallView[];
  readonly callsAsAdministrator: number;
  readonly proposal: {
    readonly permissions: readonly string[];
    readonly roles: readonly string[];
    readonly isSmaller: boolean;
    readonly remove: readonly string[];
    readonly stillAsked: readonly string[];
  } | null;
}

interface Compared extends CallView {
  readonly caller: { readonly kind: string; readonly id: string };
}

interface WhatIfView extends Period {
  readonly calls: number;
  readonly loses: readonly Compared[];
  readonly gains: readonly Compared[];
  readonly unknown: readonly Compared[];
  readonly rejectedTokens: readonly {
    readonly scope: string;
    readonly calls: number;
    readonly lastAt: string;
  }[];
}

interface UnusedView {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly lastUsedAt: string | null;
  readonly scopes: readonly string[];
}

interface AdministratorsView extends Period {
  readonly items: readonly {
    readonly kind: string;
    readonly id: string;
    readonly calls: number;
    readonly lastAt: string;
  }[];
}

const daysFlag = flags({ '[--days N]': 'of the last so many days, today included' });
const onApi = { isOnApi: true } as const;

export const usageCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'usage show',
    summary: 'Compares what a client, a user or a role has with what was used of it.',
    flags: {
      ...flags({
        '[--client I]': 'a client, with what it may ask for',
        '[--user NAME]': 'a user, with the roles that the user has now',
        '[--role R]': 'a role, and what all who have it have called',
      }),
      ...daysFlag,
    },
    details: ['30 days unless --days says otherwise. docs/least-privilege.md says what is counted.'],
    async run(input, { api }) {
      const [client, user, role] = ['client', 'user', 'role'].map((name) => input.text(name));
      if ([client, user, role].filter((one) => one !== undefined).length !== 1) {
        throw new UsageError('Give one of --client, --user and --role.');
      }
      const query = {
        ...(client !== undefined && { client }),
        ...(user !== undefined && { user }),
        ...(role !== undefined && { role }),
        ...daysIn(input),
      };
      const view = (await api.call('readAccessUsage', { query })).body as UsageView;
      return { text: usageText(view), json: view };
    },
  },
  {
    ...onApi,
    name: 'usage unused',
    summary: 'Lists clients that have got no token for so many days.',
    flags: { ...daysFlag, ...listFlags },
    details: ['90 days unless --days says otherwise.'],
    run: (input, tools) =>
      listReply<UnusedView>(tools, 'listUnusedClients', input, {
        headings: ['CLIENT', 'KIND', 'STATUS', 'LAST TOKEN', 'SCOPES'],
        row: ({ id, kind, status, lastUsedAt, scopes }) => [
          id,
          kind,
          status,
          lastUsedAt ?? 'never',
          scopes.join(' '),
        ],
        none: 'Every client has got a token.',
        query: daysIn(input),
      }),
  },
  {
    ...onApi,
    name: 'usage administrators',
    summary: 'Lists who called as an administrator by a token that had asked for no role.',
    flags: daysFlag,
    async run(input, { api }) {
      const view = (await api.call('readAccessAdministrators', { query: daysIn(input) }))
        .body as AdministratorsView;
      const rows = view.items.map(({ kind, id, calls, lastAt }) => [kind, id, String(calls), lastAt]);
      const text = table(['KIND', 'WHO', 'CALLS', 'LAST'], rows, 'Nobody has.');
      return { text: `${text}${remarkOf(view)}`, json: view };
    },
  },
  {
    ...onApi,
    name: 'usage what-if',
    summary: 'Says who would lose or gain which calls of the last days by a change of a role or client.',
    flags: {
      ...flags({
        '[--client I]': 'a client',
        '[--role R]': 'a custom role',
        '--scope "…" …': 'all that it is to have, separated by spaces',
      }),
      ...daysFlag,
    },
    details: ['Changes nothing. What members refuse by themselves is not known.'],
    async run(input, { api }) {
      const [client, role] = ['client', 'role'].map((name) => input.text(name));
      if ((client === undefined) === (role === undefined)) throw new UsageError('Give --client or --role.');
      const scopes = input.texts('scope')!.flatMap((text) => text.split(' ').filter(Boolean));
      const of =
        client === undefined ? { role, change: { permissions: scopes } } : { client, change: { scopes } };
      const view = (await api.call('askWhatIf', { body: { ...of, ...daysIn(input) } })).body as WhatIfView;
      return { text: whatIfText(view), json: view };
    },
  },
];

/** @throws {UsageError} */
function daysIn(input: Input): { readonly days?: number } {
  const text = input.text('days');
  if (text === undefined) return {};
  if (/^[1-9]\d{0,2}$/.test(text)) return { days: Number(text) };
  throw new UsageError('--days is a whole number, 1 or more.');
}

function usageText(view: UsageView): string {
  const { subject, granted, used, proposal, callsAsAdministrator } = view;
  const said = fields({
    [subject.kind]: subject.id,
    since: view.since,
    roles: granted.roles.join(' ') || undefined,
    granted: granted.permissions.join(' ') || 'nothing',
    'as administrator': callsAsAdministrator > 0 ? `${callsAsAdministrator} calls` : undefined,
    'would be enough': proposal
      ? [...proposal.roles, ...(proposal.roles.length > 0 ? [] : proposal.permissions)].join(' ') || 'nothing'
      : undefined,
    'not used': proposal?.remove.join(' ') || undefined,
    'still asked for': proposal?.stillAsked.join(' ') || undefined,
  });
  const calls = table(headings, used.map(rowOf), 'No call has been counted.');
  return `${said}\n\n${calls}${remarkOf(view)}`;
}

const headings = ['NEEDS', 'OF', 'CALLS', 'REFUSED', 'LAST'];

function rowOf({ permission, structure, names, calls, isAllowed, lastAt }: CallView): string[] {
  const of = structure === null ? '' : `${structure} ${names?.join(' = ') ?? '(several)'}`;
  return [permission, of, String(calls), isAllowed ? '' : 'yes', lastAt];
}

function whatIfText(view: WhatIfView): string {
  const parts = [
    `Of ${view.calls} calls since ${view.since}:`,
    listed('would be refused', view.loses),
    listed('would be let through', view.gains),
    listed('not known, since names were not told apart', view.unknown),
  ];
  for (const { scope, lastAt } of view.rejectedTokens) {
    parts.push(`Tokens are asked for with ${scope} (last ${lastAt}), and would be refused.`);
  }
  return `${parts.join('\n\n')}${remarkOf(view)}\n\nWhat members refuse by themselves is not known here.`;
}

function listed(what: string, calls: readonly Compared[]): string {
  const rows = calls.map((call) => [`${call.caller.kind} ${call.caller.id}`, ...rowOf(call)]);
  return rows.length === 0 ? `${what}: none` : `${what}:\n${table(['WHO', ...headings], rows, '')}`;
}

function remarkOf({ isComplete, incomplete }: Period): string {
  return isComplete ? '' : `\n\nThis is not all that happened (${incomplete.join(', ')}).`;
}
