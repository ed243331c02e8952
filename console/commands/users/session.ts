import { followJob, type JobView, shownJob } from '../jobs/follow-job.ts';
import { checkIsWorkedOn } from '../jobs/job.ts';
import type { ApiCaller } from '../operations/api-caller.ts';
import { codeOf, dryRunFlag, keyFlag, makingIn } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Reply, type Tools, UsageError } from '../runner/command.ts';
import { minute } from '../runner/output.ts';

/** As the API shows it. */
interface SessionView {
  readonly id: string;
  readonly user: string;
  readonly clients: readonly string[];
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
}

/** As the API shows it. */
interface LogoutView {
  readonly endedAt: string;
  readonly user: string | null;
  readonly subject: string;
  readonly client: string;
  readonly node: string | null;
  readonly state: string;
  readonly tries: number;
  readonly lastError: string | null;
}

/** As the API answers, a hundred at a time. */
interface EndedView {
  readonly ended: number;
  readonly left: number;
  readonly next: string | null;
}

const endedFlags = ['user', 'client', 'provider'] as const;

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
    isOnApi: true,
    name: 'session end-all',
    summary:
      'Ends the sessions of a user, at a client or of an identity provider, or of everybody, and all issued under them.',
    details: [
      'With --everybody a job of the running console ends them: without --no-wait a bar at a terminal shows how far it is.\n' +
        'It goes on after a restart, and npx console job cancel stops it. Exit code 1: it did not succeed.',
    ],
    flags: {
      ...flags({
        '[--user U]': 'those of this user',
        '[--client C]': 'those in which the person has signed in to this client',
        '[--provider P]': 'those of people of this identity provider',
        '[--everybody]': 'all that there are, alone',
        '[--reason R]': 'with --everybody: why, for the audit',
        '[--no-wait]': 'with --everybody: begin it, and print the job',
      }),
      ...dryRunFlag,
      ...keyFlag,
    },
    asks(input) {
      if (input.has('everybody')) return { says: 'This ends the sessions of everybody.', name: 'everybody' };
      const given = endedFlags.filter((flag) => input.has(flag));
      const whose = given.map((flag) => `of ${flag} ${input.text(flag)}`).join(' and ');
      const [first] = given;
      return first && { says: `This ends all sessions ${whose}.`, name: input.text(first) ?? '' };
    },
    async run(input, tools) {
      const { api } = tools;
      const meant = endedFlags.flatMap((flag) => (input.has(flag) ? [[flag, input.text(flag)!]] : []));
      const everybodyOnly = ['reason', 'no-wait', 'idempotency-key'].find((flag) => input.has(flag));
      if (input.has('everybody') && meant.length === 0) return endAll(input, tools);
      if (input.has('everybody')) throw new UsageError('--everybody stands alone: it ends all sessions.');
      if (everybodyOnly) throw new UsageError(`--${everybodyOnly} goes with --everybody.`);
      if (meant.length === 0)
        throw new UsageError('Say whose: --user, --client, --provider, several of these, or --everybody.');
      const isDryRun = input.has('dry-run');
      const total = { ended: 0, left: 0 };
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const body = { ...Object.fromEntries(meant), ...(cursor !== undefined && { cursor }) };
        const page = (await api.call('endSessions', { body, isDryRun })).body as EndedView;
        total.ended += page.ended;
        total.left += page.left;
        cursor = page.next;
      }
      const left =
        total.left === 0 ? '' : ` ${total.left} are of users who have more than you have, and stay.`;
      return {
        text: `${isDryRun ? 'Would end' : 'Ended'} ${total.ended} ${total.ended === 1 ? 'session' : 'sessions'}.${left}`,
        json: total,
      };
    },
  },
  {
    isOnApi: true,
    name: 'session logouts',
    summary: 'Lists which applications have confirmed the sessions that ended within a day.',
    positionals: ['[<user>]'],
    flags: listFlags,
    details: [
      'waiting: not told yet. told: no confirmation so far, and another try follows. confirmed: over there too.\n' +
        'gave up: not confirmed after the last try, so the person may still be signed in there.',
      'Applications without a back-channel logout address are not told, and not listed.',
    ],
    run: (input, tools) =>
      listReply<LogoutView>(tools, 'listSessionLogouts', input, {
        headings: ['ENDED', 'USER', 'APPLICATION', 'STATE', 'TRIES', 'LAST ERROR'],
        row: ({ endedAt, user, subject, client, node, state, tries, lastError }) => [
          minute(Date.parse(endedAt)),
          user ?? subject,
          node === null ? client : `${client} at ${new URL(node).host}`,
          state.replace('_', ' '),
          String(tries),
          lastError ?? '',
        ],
        none: 'No application was told of an ended session within a day.',
        query: input.positionals.length === 0 ? {} : { user: input.positionals[0]! },
      }),
  },
];

/** As a job: it may be a hundred thousand. */
async function endAll(input: Input, tools: Tools): Promise<Reply> {
  await checkIsWorkedOn(input, tools);
  const reason = input.text('reason');
  const body = reason === undefined ? {} : { reason };
  const begun = (await tools.api.call('endAllSessions', { ...makingIn(input), body })).body as JobView;
  if (input.has('dry-run')) return { text: 'Would end the sessions of everybody.', json: begun };
  return input.has('no-wait') ? shownJob(begun) : followJob(begun, tools);
}

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
