/** PgBouncer before a PostgreSQL of the test's own, by the configuration that docs/operations.md gives; skipped by name where there is none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './ports.ts';
import { identityFor } from './postgres.ts';

/** Another one by the variable. */
const program = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';

export const whyNoPgBouncer = existsSync(program) ? undefined : ' (skipped: apt-get install pgbouncer)';

export interface PgBouncer {
  readonly port: number;
  /** Every connection ends at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Of the database. */
  readonly target: number;
  readonly database: string;
  readonly credentials: { readonly user: string; readonly password: string };
  /** In place of lines of the configuration, by name; undefined: left out. */
  readonly changes?: Readonly<Record<string, string | undefined>>;
}

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { target, database, credentials, changes = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'console-pgbouncer-'));
  const identity = identityFor(folder);
  const port = await freePort();
  const userList = join(folder, 'userlist.txt');
  writeFileSync(userList, `"${credentials.user}" "${credentials.password}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  const all: Readonly<Record<string, string | undefined>> = {
    listen_port: String(port),
    auth_file: userList,
    unix_socket_dir: folder,
    ...(hasPreparedStatements() ? {} : { max_prepared_statements: undefined }),
    ...changes,
  };
  const lines = documented()
    .replace(
      'host=db.example.com port=5432 dbname=console',
      `host=127.0.0.1 port=${target} dbname=${database}`,
    )
    .replace(/^console = /m, `${database} = `)
    .split('\n')
    .filter((line) => !Object.hasOwn(all, line.split(' = ')[0]!));
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${value}`],
  );
  writeFileSync(file, [...lines, ...given, ''].join('\n'));
  let child: ReturnType<typeof spawn>;

  async function start(): Promise<void> {
    child = spawn(program, [file], { ...identity, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    await new Promise<void>((resolveStart, reject) => {
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (part: Buffer) => {
          if (said.length < 10_000) said += part;
          if (said.includes('process up')) resolveStart();
        });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`PgBouncer ended: ${said}`)));
    });
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    port,
    kill,
    start,
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function documented(): string {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  return /```ini\n(\[databases\]\n[^`]+)```/.exec(page)![1]!;
}

/** Since 1.21. */
export function hasPreparedStatements(): boolean {
  return readFileSync(program).includes('max_prepared_statements');
}
