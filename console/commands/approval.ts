import { listFlags, listReply } from './operations/lists.ts';
import { type Command, flags, type Input, type Reply } from './runner/command.ts';
import { fields, printable } from './runner/output.ts';

/** As the API shows it. */
interface ApprovalView {
  readonly id: string;
  readonly state: string;
  readonly operation: string;
  readonly target: string | null;
  readonly diff: Readonly<Record<string, unknown>> | null;
  readonly requestedBy: Person;
  readonly decidedBy: Person | null;
  readonly reason: string | null;
  readonly problem: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

interface Person {
  readonly id: string;
  readonly username: string | null;
}

const onApi = { isOnApi: true } as const;
const byPerson = 'As a person who has signed in: npx console login --url …, and --url with this command.';

export const approvalCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'approval list',
    summary: 'Lists changes that wait for a second administrator, and those that are decided.',
    flags: {
      ...flags({ '[--state S]': 'waiting, approved, rejected, withdrawn, expired or failed' }),
      ...listFlags,
    },
    run(input, tools) {
      const state = input.text('state');
      return listReply<ApprovalView>(tools, 'listApprovals', input, {
        headings: ['ID', 'STATE', 'OPERATION', 'OF', 'ASKED BY', 'UNTIL'],
        row: ({ id, state: is, operation, target, requestedBy, expiresAt }) => [
          id,
          is,
          operation,
          target ?? '',
          nameOf(requestedBy),
          expiresAt,
        ],
        none: 'Nothing waits for an approval.',
        ...(state !== undefined && { query: { state } }),
      });
    },
  },
  {
    ...onApi,
    name: 'approval show',
    summary: 'Shows one, with what it would change.',
    positionals: ['<id>'],
    async run(input, { api }) {
      return shown((await api.call('readApproval', { params: paramsOf(input) })).body as ApprovalView);
    },
  },
  {
    ...onApi,
    name: 'approval approve',
    summary: 'Makes the change, as it was asked for, if what it changes is as it was then.',
    positionals: ['<id>'],
    details: [byPerson, 'Another one than who asked for it, with the role Admin and a sign-in of late.'],
    async run(input, { api }) {
      return shown((await api.call('approveChange', { params: paramsOf(input) })).body as ApprovalView);
    },
  },
  {
    ...onApi,
    name: 'approval reject',
    summary: 'Says that it is not to be; who has asked for it takes it back so.',
    positionals: ['<id>'],
    flags: flags({ '[--reason TEXT]': 'why' }),
    details: [byPerson],
    async run(input, { api }) {
      const reason = input.text('reason');
      const body = reason === undefined ? {} : { reason };
      return shown((await api.call('rejectChange', { params: paramsOf(input), body })).body as ApprovalView);
    },
  },
  {
    ...onApi,
    name: 'approval result',
    summary:
      'Shows once, to who has asked for a change, what it answered: such as the secret of a new client.',
    positionals: ['<id>'],
    details: [byPerson],
    async run(input, { api }) {
      const { body } = await api.call('takeApprovalResult', { params: paramsOf(input) });
      const { result } = body as { readonly result: unknown };
      const lines = JSON.stringify(result, undefined, 2).split('\n');
      return { text: lines.map(printable).join('\n'), json: result };
    },
  },
];

function paramsOf({ positionals }: Input) {
  return { approval: positionals[0] ?? '' };
}

function nameOf({ id, username }: Person): string {
  return username ?? id;
}

function shown(view: ApprovalView): Reply {
  const text = fields({
    id: view.id,
    state: view.state,
    operation: view.operation,
    of: view.target ?? undefined,
    changes: view.diff ? JSON.stringify(view.diff) : undefined,
    'asked by': nameOf(view.requestedBy),
    'decided by': view.decidedBy ? nameOf(view.decidedBy) : undefined,
    reason: view.reason ?? undefined,
    problem: view.problem ?? undefined,
    asked: view.createdAt,
    until: view.state === 'waiting' ? view.expiresAt : undefined,
  });
  return { text, json: view };
}
