/** Three consoles on one PostgreSQL, behind HAProxy, before three members: as somebody runs them. */
import { once } from 'node:events';
import { request } from 'node:http';
import { openPostgresStorage } from '../../console/storage/postgres/open.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { clientSecret, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Postgres, type PostgresOptions, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { startEmbeddedMember } from '../peers/support/embedded-member.ts';
import { startEngineMembers, whyNoEngine } from '../peers/support/engine-members.ts';
import { type RoundRobin, type RoundRobinOptions, startRoundRobin, whyNoHaproxy } from './haproxy.ts';

/** Behind the name of what is skipped; undefined when everything is there. */
export const whyNotTogether =
  postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : whyNoHaproxy;

export interface Together {
  readonly url: string;
  readonly front: RoundRobin;
  readonly postgres: Postgres;
  /** As they run now. */
  readonly consoles: readonly RunningConsole[];
  /** As `CONSOLE_MEMBERS`. */
  readonly members: string;
  /** As `CONSOLE_DATABASE_URL`. */
  readonly databaseUrl: string;
  /** As its owner. */
  query<Row>(text: string): Promise<readonly Row[]>;
  /**
   * SIGTERM, or SIGKILL, and a new process in its place. Resolves when it is ready.
   *
   * @param script  the program of another version
   */
  restart(n: number, signal: 'SIGTERM' | 'SIGKILL', script?: string): Promise<void>;
  /** Changes the store beside them, as a fourth process. */
  withStore<T>(work: (storage: Storage) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export interface TogetherOptions {
  readonly count?: number;
  /** The program of another version. */
  readonly script?: string;
  /** Members of this project, though the real engine is there. */
  readonly hasOwnMembers?: boolean;
  readonly front?: RoundRobinOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly postgres?: PostgresOptions;
  /** Where each console reaches the database, which is at that port; absent: where it is. */
  readonly wayOf?: (n: number, port: number) => Promise<DatabasePlace>;
}

export interface DatabasePlace {
  readonly host?: string;
  readonly port: number;
  /** File of the authority that its certificate is checked by; absent: no TLS. */
  readonly authority?: string;
}

const groups = ['CLUSTER_READ', 'DATA', 'HEALTH_CHECK'] as const;

/** Of the real engine, where it is set up. */
async function startMembers(hasOwn: boolean): Promise<{ readonly addresses: string; stop(): Promise<void> }> {
  if (!hasOwn && whyNoEngine === undefined) return startEngineMembers({ version: '5.7.0', count: 3 });
  const member = await startEmbeddedMember(groups);
  return { addresses: `http://${member.address.replace(/^http:\/\//, '')}`, stop: member.stop };
}

export async function startTogether(options: TogetherOptions = {}): Promise<Together> {
  const { count = 3, env = {}, wayOf, hasOwnMembers = process.env.SHARED_MEMBERS === 'own' } = options;
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const [postgres, members] = await Promise.all([
      startPostgres(options.postgres).then((opened) => kept(opened, opened.close)),
      startMembers(hasOwnMembers).then((opened) => kept(opened, opened.stop)),
    ]);
    const database = await postgres.createDatabase();
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    const front: RoundRobin = await startRoundRobin(await freePort(), ports, options.front);
    closing.push(front.stop);
    const consoles: RunningConsole[] = [];
    const dataDirs = new Map<number, string>();
    const start = async (n: number, script?: string) => {
      const { authority, ...place } = (await wayOf?.(n, postgres.port)) ?? { port: postgres.port };
      const databaseUrl = postgres.url(database, place);
      const dataDir = dataDirs.get(n);
      const console = await startConsole({
        isFirstStart: true,
        port: ports[n]!,
        ...(script !== undefined && { script }),
        ...(dataDir !== undefined && { dataDir }),
        env: {
          CONSOLE_URL: front.url,
          CONSOLE_DATABASE_URL: authority ? `${databaseUrl}&sslrootcert=${authority}` : databaseUrl,
          CONSOLE_MEMBERS: members.addresses,
          CONSOLE_TRUSTED_PROXIES: '127.0.0.1',
          CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
          ...env,
        },
      });
      dataDirs.set(n, console.dataDir);
      consoles[n] = console;
    };
    closing.push(() => Promise.all(consoles.map((console) => console.stop())));
    await start(0, options.script);
    await Promise.all(ports.slice(1).map((_, n) => start(n + 1, options.script)));
    const together: Together = {
      url: front.url,
      front,
      postgres,
      consoles,
      members: members.addresses,
      databaseUrl: postgres.url(database),
      query: (text) => postgres.query(database, text),
      async restart(n, signal, script) {
        const { child } = consoles[n]!;
        const ended = once(child, 'exit');
        if (child.kill(signal)) await ended;
        await start(n, script);
      },
      async withStore(work) {
        const storage = await openPostgresStorage({ url: postgres.url(database) });
        return work(storage).finally(storage.close);
      },
      stop,
    };
    await until(() => isServed(together), 'members that answer through all consoles', 60_000);
    return together;
  } catch (error) {
    await stop();
    throw error;
  }

  function kept<T>(opened: T, close: () => Promise<unknown>): T {
    closing.push(close);
    return opened;
  }
}

async function isServed({ consoles, url }: Together): Promise<boolean> {
  const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;
  const publicPort = Number(new URL(url).port);
  for (const { port } of consoles) {
    const form = { grant_type: 'client_credentials' };
    const { body } = await postTo(port, publicPort, '/oauth2/token', form, { Authorization: basic });
    const { status } = await askAt(port, publicPort, 'GET', '/svc/rest/cluster', {
      Authorization: `Bearer ${body.access_token}`,
    });
    if (status !== 200) return false;
  }
  return true;
}

export interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** At this console, as if by the load balancer. */
export function askAt(
  port: number,
  publicPort: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path, method, agent: false },
        headers: { Host: `localhost:${publicPort}`, ...headers },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.once('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, retryAfter: answer.headers['retry-after'], text }),
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}

export interface Posted extends Answered {
  readonly body: {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly error?: string;
  };
}

export async function postTo(
  port: number,
  publicPort: number,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  const answer = await askAt(port, publicPort, 'POST', path, { ...type, ...headers }, body);
  return { ...answer, body: answer.text.startsWith('{') ? JSON.parse(answer.text) : {} };
}

/** The value below which this part of them is. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
