/** `console job`, `console backups`: what a running console works on for longer than a call. */
import { dryRunFlag, keyFlag, makingIn } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, CommandError, flags, type Input, type Tools } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { followJob, type JobView, shownJob, structureText } from './follow-job.ts';

/** As the API shows it. */
interface BackupView {
  readonly id: string;
  readonly createdAt: string;
  readonly bytes: number;
}

const onApi = { isOnApi: true } as const;
const following = 'At a terminal a bar shows how far it is. Exit code 1: it did not succeed.';

export const jobCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'job list',
    summary: 'Lists the jobs of the last 30 days, the newest first.',
    flags: {
      ...flags({
        '[--state S]': 'queued, running, succeeded, failed, cancelled or interrupted',
        '[--kind K]': 'of one kind, such as backup or import-users',
      }),
      ...listFlags,
    },
    run: (input, tools) =>
      listReply<JobView>(tools, 'listJobs', input, {
        headings: ['JOB', 'KIND', 'OF', 'STATE', 'DONE', 'BEGUN'],
        row: ({ id, kind, structure, state, progress, createdAt }) => [
          id,
          kind,
          structureText(structure) ?? '',
          state,
          `${progress.done}${progress.total === null ? '' : ` of ${progress.total}`} ${progress.unit}`,
          createdAt,
        ],
        none: 'There was no job in the last 30 days.',
        query: Object.fromEntries(
          ['state', 'kind'].flatMap((flag) => (input.has(flag) ? [[flag, input.text(flag)!]] : [])),
        ),
      }),
  },
  {
    ...onApi,
    name: 'job show',
    summary: 'Shows a job.',
    positionals: ['<id>'],
    run: async (input, tools) => shownJob(await jobOf(input, tools)),
  },
  {
    ...onApi,
    name: 'job wait',
    summary: 'Waits until a job is over, and shows it.',
    positionals: ['<id>'],
    details: [following],
    async run(input, tools) {
      const job = await jobOf(input, tools);
      if (job.endedAt === null) await checkIsWorkedOn(input, tools);
      return followJob(job, tools);
    },
  },
  {
    ...onApi,
    name: 'job cancel',
    summary: 'Stops a job as soon as the current step is done; what it has done stays.',
    positionals: ['<id>'],
    flags: dryRunFlag,
    async run(input, { api }) {
      const isDryRun = input.has('dry-run');
      const job = (await api.call('cancelJob', { params: paramsOf(input), isDryRun })).body as JobView;
      return { text: `${isDryRun ? 'Would cancel' : 'Cancelled'} ${job.id}.`, json: job };
    },
  },
];

export const backupsCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'backups add',
    summary: 'Has the running console copy its store into its data directory, and waits for that.',
    flags: { ...flags({ '[--no-wait]': 'begin it, and print the job' }), ...keyFlag },
    details: [following, 'backup writes a copy into a directory of your own, without a console too.'],
    async run(input, tools) {
      await checkIsWorkedOn(input, tools);
      const begun = (await tools.api.call('createBackup', makingIn(input))).body as JobView;
      return input.has('no-wait') ? shownJob(begun) : followJob(begun, tools);
    },
  },
  {
    ...onApi,
    name: 'backups list',
    summary: 'Lists the copies in the data directory of the console, the oldest first.',
    flags: listFlags,
    run: (input, tools) =>
      listReply<BackupView>(tools, 'listBackups', input, {
        headings: ['BACKUP', 'MADE', 'BYTES'],
        row: ({ id, createdAt, bytes }) => [id, createdAt, String(bytes)],
        none: 'There is none yet: npx console backups add',
      }),
  },
  {
    ...onApi,
    name: 'backups show',
    summary: 'Shows one of the copies.',
    positionals: ['<id>'],
    async run({ positionals: [backup = ''] }, { api }) {
      const view = (await api.call('readBackup', { params: { backup } })).body as BackupView;
      return {
        text: fields({ backup: view.id, made: view.createdAt, bytes: String(view.bytes) }),
        json: view,
      };
    },
  },
];

/** @throws {CommandError} `no_console`: the store has no hands of its own */
export async function checkIsWorkedOn(
  input: Input,
  { whereabouts }: Pick<Tools, 'whereabouts'>,
): Promise<void> {
  if (input.has('url') || (await whereabouts?.())?.way !== 'store') return;
  throw new CommandError(
    'no_console',
    'Jobs are worked on by a console that runs, and none does. npx console backup <directory> copies the store of one that does not.',
  );
}

async function jobOf(input: Input, { api }: Pick<Tools, 'api'>): Promise<JobView> {
  return (await api.call('readJob', { params: paramsOf(input) })).body as JobView;
}

function paramsOf({ positionals: [job = ''] }: Input) {
  return { job };
}
