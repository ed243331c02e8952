/** The PostgreSQL of the compose file, as a process on this machine: by its arguments, its command and its script. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityFor, postgresPrograms } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { type RunningProgram, startProgram } from '../peers/support/program.ts';
import { compose, composeFolder } from './tools.ts';

export interface DescribedPostgres extends RunningProgram {
  /** Of its data; goes with the test. */
  readonly folder: string;
}

/** @param secrets  the folder of those that the file names */
export async function startDescribedPostgres(port: number, secrets: string): Promise<DescribedPostgres> {
  const { command, environment, healthcheck } = compose.services.database;
  const folder = mkdtempSync(join(tmpdir(), 'compose-database-'));
  const { uid, gid } = identityFor(folder);
  const password = readFileSync(join(secrets, 'database-admin-password'), 'utf8');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(join(folder, 'socket'));
  if (uid !== undefined)
    for (const path of [passwordFile, join(folder, 'socket')]) chownSync(path, uid, gid!);
  const data = join(folder, 'data');
  const args = (environment.POSTGRES_INITDB_ARGS as string).split(' ');
  run('initdb', ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '-N', ...args], { uid, gid });

  const here = (part: string) => part.replace('5432', String(port));
  const [program = '', ...options] = (command as string[]).map(here);
  const quick = ['fsync=off', `unix_socket_directories=${join(folder, 'socket')}`];
  const own = ['-D', data, ...options, ...quick.flatMap((one) => ['-c', one])];
  const asItself = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
  const [first = '', ...rest] = [
    ...(uid === undefined ? [] : ['setpriv']),
    ...asItself,
    pathOf(program),
    ...own,
  ];
  const running = await startProgram(first, rest, {}, (output) =>
    output.includes('ready to accept connections'),
  );
  const script = readFileSync(join(composeFolder, 'database.sh'), 'utf8').replaceAll('/run/secrets', secrets);
  const env = { PGHOST: join(folder, 'socket'), PGPORT: String(port), PGPASSWORD: password };
  run('sh', ['-c', script], { env });
  const [, probe, ...how] = (healthcheck.test as string[]).map(here);
  await until(async () => spawnSync(pathOf(probe!), how).status === 0, 'a database that is healthy', 30_000);
  return { ...running, folder };
}

interface As {
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

function run(program: string, args: readonly string[], { uid, gid, env = {} }: As): void {
  const all = { PATH: process.env.PATH, ...env };
  const identity = uid === undefined ? {} : { uid, gid: gid! };
  const done = spawnSync(program === 'sh' ? program : pathOf(program), args, {
    ...identity,
    ...{ cwd: '/', env: all, encoding: 'utf8' },
  });
  if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}${done.error ?? ''}`);
}

function pathOf(program: string): string {
  return join(postgresPrograms!, program);
}
