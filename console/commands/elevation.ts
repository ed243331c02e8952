import { keyFlag, makingIn } from './operations/changes.ts';
import { listFlags, listReply } from './operations/lists.ts';
import { type Command, flags, type Input, type Reply, UsageError } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** As the API shows it. */
interface ElevationView {
  readonly id: string;
  readonly state: string;
  readonly user: Person;
  readonly role: string;
  readonly reason: string;
  readonly createdAt: string;
  readonly endsAt: string;
  readonly endedAt: string | null;
  readonly cause: string | null;
  readonly endedBy: Person | null;
}

interface Person {
  readonly id: string;
  readonly username: string | null;
}

const onApi = { isOnApi: true } as const;

export const elevationCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'elevate',
    summary: 'Gives you one of your eligible roles for a while.',
    positionals: ['<role>'],
    flags: {
      ...flags({
        '--minutes N': 'how long: 60 at most, or less where CONSOLE_ELEVATION_MINUTES says so',
        '--reason TEXT': 'what for; others read it',
      }),
      ...keyFlag,
    },
    details: [
      'As a person who has signed in within the last five minutes: npx console login --url …, and --url with this command.',
    ],
    async run(input, { api }) {
      const body = {
        role: input.positionals[0] ?? '',
        minutes: minutesIn(input),
        reason: input.text('reason'),
      };
      return shown((await api.call('createElevation', { body, ...makingIn(input) })).body as ElevationView);
    },
  },
  {
    ...onApi,
    name: 'elevation list',
    summary: 'Lists who has, or had, a role for a while.',
    flags: { ...flags({ '[--state S]': 'open or ended' }), ...listFlags },
    run(input, tools) {
      const state = input.text('state');
      return listReply<ElevationView>(tools, 'listElevations', input, {
        headings: ['ID', 'STATE', 'WHO', 'ROLE', 'UNTIL', 'REASON'],
        row: ({ id, state: is, user, role, endsAt, endedAt, reason }) => [
          id,
          is,
          nameOf(user),
          role,
          endedAt ?? endsAt,
          reason,
        ],
        none: 'Nobody has, or had, a role for a while.',
        ...(state !== undefined && { query: { state } }),
      });
    },
  },
  {
    ...onApi,
    name: 'elevation show',
    summary: 'Shows one, with its reason and why it ended.',
    positionals: ['<id>'],
    async run(input, { api }) {
      return shown((await api.call('readElevation', { params: paramsOf(input) })).body as ElevationView);
    },
  },
  {
    ...onApi,
    name: 'elevation end',
    summary: 'Ends one, with all sessions and tokens of that person.',
    positionals: ['<id>'],
    async run(input, { api }) {
      const params = paramsOf(input);
      await api.call('deleteElevation', { params });
      return { text: `Ended ${params.elevation}.`, json: { id: params.elevation, ended: true } };
    },
  },
];

/** @throws {UsageError} */
function minutesIn(input: Input): number {
  const text = input.text('minutes') ?? '';
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError('--minutes is a whole number.');
}

function paramsOf({ positionals }: Input) {
  return { elevation: positionals[0] ?? '' };
}

function nameOf({ id, username }: Person): string {
  return username ?? id;
}

function shown(view: ElevationView): Reply {
  const text = fields({
    id: view.id,
    state: view.state,
    who: nameOf(view.user),
    role: view.role,
    reason: view.reason,
    since: view.createdAt,
    until: view.endsAt,
    ended: view.endedAt ?? undefined,
    cause: view.cause ?? undefined,
    'ended by': view.endedBy ? nameOf(view.endedBy) : undefined,
  });
  return { text, json: view };
}
