import type { Services } from '../app/services.ts';
import { type NoticeOutcome, receiverOf } from '../logout/logout-outbox.ts';
import type { ApiCaller } from './operations/api-caller.ts';
import { codeOf, dryRunFlag } from './operations/changes.ts';
import { listFlags, listReply } from './operations/lists.ts';
import type { Command } from './runner/command.ts';
import { minute, table, time } from './runner/output.ts';
import { findUser } from './user.ts';

/** As the API shows it. */
interface SessionView {
  readonly id: string;
  readonly user: string;
  readonly clients: readonly string[];
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
}

export const sessionCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'session list',
    summary: 'Lists who is signed in, or the sessions of one user.',
    positionals: ['[<user>]'],
    flags: listFlags,
    run: (input, tools) =>
      listReply<SessionView>(tools, 'listSessions', input, {
        headings: ['USER', 'SINCE', 'UNTIL', 'FROM', 'APPLICATIONS', 'ID'],
        row: ({ user, startedAt, expiresAt, address, clients, id }) => [
          user,
          startedAt,
          expiresAt,
          address ?? '',
          clients.join(', '),
          id,
        ],
        none: 'Nobody is signed in.',
        query: input.positionals.length === 0 ? {} : { user: input.positionals[0]! },
      }),
  },
  {
    isOnApi: true,
    name: 'session end',
    summary: 'Ends one session and everything issued under it.',
    positionals: ['<id>'],
    flags: dryRunFlag,
    async run(input, { api }) {
      const params = { session: input.positionals[0]! };
      const isDryRun = input.has('dry-run');
      const session = await sessionOf(params, api);
      // Where there is none, this says so, and the audit trail has it.
      await api.call('endSession', { params, isDryRun });
      const text = `${isDryRun ? 'Would end' : 'Ended'} the session of ${session?.user ?? 'nobody'}.`;
      return { text, json: session };
    },
  },
  {
    name: 'session logouts',
    summary: 'Lists which applications have confirmed the sessions that ended within a day.',
    positionals: ['[<user>]'],
    details: [
      'waiting: not told yet. told: no confirmation so far, and another try follows. confirmed: over there too.\n' +
        'gave up: not confirmed after the last try, so the person may still be signed in there.',
      'Applications without a back-channel logout address are not told, and not listed.',
    ],
    async run(input, { services }) {
      const opened = await services();
      const user = input.positionals.length === 0 ? undefined : await findUser(opened, input);
      const recent = await opened.logoutOutbox.recent(user?.id);
      const views = await Promise.all(recent.map((outcome) => outcomeView(outcome, opened)));
      const rows = views.map(({ endedAt, username, userId, application, state, tries, lastError }) => [
        minute(Date.parse(endedAt)),
        username ?? userId,
        application,
        state.replace('_', ' '),
        String(tries),
        lastError ?? '',
      ]);
      const headings = ['ENDED', 'USER', 'APPLICATION', 'STATE', 'TRIES', 'LAST ERROR'];
      const none = 'No application was told of an ended session within a day.';
      return { text: table(headings, rows, none), json: views };
    },
  },
];

async function sessionOf(
  params: { readonly session: string },
  api: ApiCaller,
): Promise<SessionView | undefined> {
  try {
    return (await api.call('readSession', { params })).body as SessionView;
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

async function outcomeView(outcome: NoticeOutcome, { users }: Pick<Services, 'users'>) {
  const { accountId, endedAt, tries, reason, dueAt } = outcome;
  return {
    endedAt: time(endedAt),
    userId: accountId,
    username: (await users.find(accountId))?.username ?? null,
    application: receiverOf(outcome),
    state: stateOf(outcome),
    tries,
    lastError: reason ?? null,
    nextTryAt: dueAt === undefined ? null : time(dueAt),
  };
}

function stateOf({ state, tries }: NoticeOutcome): 'waiting' | 'told' | 'confirmed' | 'gave_up' {
  if (state === 'waiting') return tries === 0 ? 'waiting' : 'told';
  return state === 'failed' ? 'gave_up' : 'confirmed';
}
