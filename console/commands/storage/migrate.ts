import { InvalidValueError, postgresUrl } from '../../../platform/checks.ts';
import { type Command, flags, type MovedStore, type Reply, UsageError } from '../runner/command.ts';
import { columns } from '../runner/output.ts';

export const storageMigrateCommand: Command = {
  name: 'storage migrate',
  summary: 'Moves the store into a PostgreSQL database, or back into a directory; no console must run.',
  flags: flags({
    '--to WHERE':
      'postgres://name@host/database[?schema=NAME], for the store of the data directory; or a directory without a store, for that of CONSOLE_DATABASE_URL',
    '[--password-file F]':
      'the password of that database; - is standard input. Without it: the one in CONSOLE_DATABASE_URL, if that names the same database',
  }),
  details: [
    'Stop every console first. Everything in the store goes along, sessions and tokens too; secrets stay sealed, so CONSOLE_ENCRYPTION_KEY\n' +
      'stays the same. console.yaml and the history of numbers stay in the data directory.',
    'The audit is not moved. A console that starts on the database copies what audit/ of its data directory has, and removes those files a day\n' +
      'after they were closed. On the way back its entries stay in the database: take them along before, with "console audit export".',
    'What was killed goes on where it was when it is run again; until its end no console starts on the target. The source stays as it is.',
  ],
  event: 'store.migrated',
  isLocal: true,
  async run(input, { moveStore, readSecret }) {
    const to = input.text('to')!;
    checkTarget(to);
    const file = input.text('password-file');
    const moved = await moveStore(to, file === undefined ? undefined : await readSecret(file));
    return replyTo(moved);
  },
};

/** @throws {UsageError} which repeats nothing of it */
function checkTarget(to: string): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(to)) return;
  try {
    postgresUrl(to);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new UsageError(`--to ${error.message}, or a directory.`, storageMigrateCommand);
  }
  if (new URL(to).password !== '')
    throw new UsageError(
      '--to: others on this machine see what is typed: leave the password out, and give it by --password-file.',
      storageMigrateCommand,
    );
}

function replyTo({ from, to, collections }: MovedStore): Reply {
  const rows = collections.map(({ name, records, digest }) => [
    name,
    records.toLocaleString('en-US'),
    digest.slice(0, 16),
  ]);
  const next = to.startsWith('postgres:')
    ? 'Start consoles with CONSOLE_DATABASE_URL set to it.'
    : 'Start the console with CONSOLE_DATA_DIR set to it, and without CONSOLE_DATABASE_URL.';
  return {
    text: `${columns([['COLLECTION', 'RECORDS', 'DIGEST'], ...rows])}\n\nThe store of ${from} is in ${to} too, the same record by record. ${next}`,
    json: { from, to, collections },
    target: to,
  };
}
