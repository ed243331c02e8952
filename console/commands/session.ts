import { ProblemError, problems } from '../../platform/errors.ts';
import type { SignInSession } from '../accounts/sessions.ts';
import type { Services } from '../app/services.ts';
import { type NoticeOutcome, receiverOf } from '../logout/logout-outbox.ts';
import type { Command } from './runner/command.ts';
import { minute, table, time } from './runner/output.ts';
import { findUser } from './user.ts';

/** Enough to look through by hand; `session list <user>` has no limit. */
const mostListed = 10_000;

export const sessionCommands: readonly Command[] = [
  {
    name: 'session list',
    summary: 'Lists who is signed in, or the sessions of one user.',
    positionals: ['[<user>]'],
    async run(input, { services }) {
      const opened = await services();
      const { sessions } = opened;
      const found =
        input.positionals.length === 0
          ? await sessions.list(mostListed)
          : await sessions.listOf((await findUser(opened, input)).id);
      const views = await Promise.all(found.map((session) => viewOf(session, opened)));
      const rows = views.map(({ username, startedAt, expiresAt, clientAddress, applications, key }) => {
        return [username ?? '', startedAt, expiresAt, clientAddress ?? '', applications.join(', '), key];
      });
      return {
        text: table(['USER', 'SINCE', 'UNTIL', 'FROM', 'APPLICATIONS', 'KEY'], rows, 'Nobody is signed in.'),
        json: views,
      };
    },
  },
  {
    name: 'session end',
    summary: 'Ends one session and everything issued under it.',
    positionals: ['<key>'],
    event: 'session.ended',
    async run({ positionals }, { services }) {
      const opened = await services();
      const session = await opened.sessions.findByKey(keyOf(positionals[0]!));
      if (!session) {
        throw new ProblemError(
          problems.notFound,
          'There is no session of this key. npx console session list shows them all.',
        );
      }
      await opened.sessions.end(session.uid);
      const view = await viewOf(session, opened);
      return {
        text: `Ended the session of ${view.username ?? session.accountId}.`,
        json: view,
        target: session.accountId,
      };
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

async function viewOf(session: SignInSession, { users }: Pick<Services, 'users'>) {
  const { key, accountId, startedAt, expiresAt, clientAddress, userAgent, applications } = session;
  return {
    key: shownKey(key),
    userId: accountId,
    username: (await users.find(accountId))?.username ?? null,
    startedAt: time(startedAt * 1000),
    expiresAt: time(expiresAt * 1000),
    clientAddress: clientAddress ?? null,
    userAgent: userAgent ?? null,
    applications: applications.map(({ clientId }) => clientId),
  };
}

/** @param shown  as {@link shownKey} has made it, perhaps */
function keyOf(shown: string): string {
  return /^[0-9a-f]+$/.test(shown) ? Buffer.from(shown, 'hex').toString('base64url') : '';
}

/** In hexadecimal digits: one key in 64 would begin with `-`, and a command line takes that for a flag. */
function shownKey(key: string): string {
  return Buffer.from(key, 'base64url').toString('hex');
}
