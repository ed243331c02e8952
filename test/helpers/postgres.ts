/** A PostgreSQL of the test's own, from Debian's package; skipped by name where there is none. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { freePort } from './ports.ts';

const versions = '/usr/lib/postgresql';
const password = 'not-a-secret';

/** Where its programs are; undefined: it is not installed. */
export const postgresPrograms: string | undefined = (existsSync(versions) ? readdirSync(versions) : [])
  .sort((one, other) => Number(other) - Number(one))
  .map((version) => join(versions, version, 'bin'))
  .find((directory) => existsSync(join(directory, 'initdb')));

export interface Postgres {
  readonly port: number;
  /** As `CONSOLE_DATABASE_URL`. @param overrides  for what is to be wrong with it */
  url(
    database: string,
    overrides?: {
      readonly user?: string;
      readonly password?: string;
      readonly host?: string;
      readonly port?: number;
    },
  ): string;
  /** A new one, empty: a schema, which is made sooner than a database. @returns its name */
  createDatabase(): Promise<string>;
  /** As its owner. */
  query<Row = Record<string, unknown>>(database: string, text: string): Promise<readonly Row[]>;
  /** Every connection ends at once; the data stay. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Starts again as one that only follows, until it is told otherwise: by `select pg_promote()`. */
  restartAsStandby(): Promise<void>;
  /** Of the server that takes connections. */
  pid(): number;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Where its data go, but for what it writes ahead; absent: beside that. */
  readonly dataIn?: string;
  /** Writes to the disk before it acknowledges; for what is measured. */
  readonly isDurable?: boolean;
  readonly settings?: readonly string[];
  /** Of its processes, beside that of this one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** With it, TLS is taken beside plain connections. */
  readonly certificate?: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  /** Where it runs; absent: in the network of this machine. */
  readonly network?: PostgresNetwork | undefined;
}

export interface PostgresNetwork {
  /** Of the network namespace. */
  readonly name: string;
  /** Where this process reaches it. */
  readonly host: string;
  /** Those that it takes connections from, as CIDR. */
  readonly from: string;
}

export async function startPostgres({
  dataIn,
  isDurable = false,
  settings = [],
  environment = {},
  certificate,
  network,
}: PostgresOptions = {}): Promise<Postgres> {
  const programs = postgresPrograms;
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const root = mkdtempSync(join(tmpdir(), 'console-postgres-'));
  const identity = identityFor(root);
  if (dataIn !== undefined) identityFor(dataIn);
  const data = join(dataIn ?? root, 'data');
  const passwordFile = join(root, 'password');
  writeFileSync(passwordFile, password);
  const made = spawnSync(
    join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'console',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-N',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      ...(dataIn === undefined ? [] : ['-X', join(root, 'ahead')]),
    ],
    { ...identity, cwd: root, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error ?? ''}`);
  const port = await freePort();
  const host = network?.host ?? '127.0.0.1';
  if (network) appendFileSync(join(data, 'pg_hba.conf'), `host all all ${network.from} scram-sha-256\n`);
  const ofTls = certificate ? tlsSettings(certificate, root, identity) : [];
  const options = [
    ...[
      `listen_addresses=${network ? '*' : host}`,
      `port=${port}`,
      `unix_socket_directories=${root}`,
      'max_connections=80',
    ],
    ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']),
    ...ofTls,
    ...settings,
  ].flatMap((setting) => ['-c', setting]);
  let server: ChildProcess;

  async function start(): Promise<void> {
    // What enters another network is root, and becomes the other user there.
    const entering = network ? inNetwork(network, identity) : [];
    const [program, ...args] = [...entering, join(programs!, 'postgres'), '-D', data, ...options];
    server = spawn(program!, args, {
      ...(network ? {} : identity),
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines = createInterface(server.stderr!);
    const all: string[] = [];
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        if (all.length < 50) all.push(line);
        if (/ready to accept (?:read-only )?connections/.test(line)) resolve();
      });
      server.once('exit', () => reject(new Error(`PostgreSQL ended: ${all.join('\n')}`)));
    });
  }

  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGCONT');
    server.kill(signal);
    await ended;
  }

  const url: Postgres['url'] = (database, overrides = {}) => {
    const { user = 'console', password: given = password, port: at = port } = overrides;
    return `postgres://${user}:${given}@${overrides.host ?? '127.0.0.1'}:${at}/postgres?schema=${database}`;
  };
  const query: Postgres['query'] = async <Row>(database: string, text: string) => {
    const connectionString = url(database, { host });
    const client = new pg.Client({ connectionString, options: `-c search_path=${database}` });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  let databases = 0;
  await start();
  return {
    port,
    url,
    query,
    async createDatabase() {
      const name = `console_${databases++}`;
      await query('public', `create schema ${name}`);
      return name;
    },
    stop: () => stop(),
    start,
    async restartAsStandby() {
      await stop();
      writeFileSync(join(data, 'standby.signal'), '');
      await start();
    },
    pid: () => server.pid!,
    async close() {
      await stop('SIGQUIT');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** It reads no key that others may read. */
function tlsSettings(
  { certificateFile, keyFile }: NonNullable<PostgresOptions['certificate']>,
  root: string,
  { uid, gid }: ReturnType<typeof identityFor>,
): readonly string[] {
  const own = join(root, 'key.pem');
  copyFileSync(keyFile, own);
  chmodSync(own, 0o600);
  if (uid !== undefined && gid !== undefined) chownSync(own, uid, gid);
  return ['ssl=on', `ssl_cert_file=${certificateFile}`, `ssl_key_file=${own}`];
}

function inNetwork(
  { name }: PostgresNetwork,
  { uid = 0, gid = 0 }: ReturnType<typeof identityFor>,
): readonly string[] {
  return ['nsenter', `--net=/run/netns/${name}`, `--setuid=${uid}`, `--setgid=${gid}`, '--'];
}

/** It refuses to run as root. @param root  a folder that becomes its own */
export function identityFor(root: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  chownSync(root, uid, gid);
  return { uid, gid };
}
