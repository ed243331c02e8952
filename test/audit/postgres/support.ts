/** Several consoles on one PostgreSQL, each asked by itself: calls go to the one that is chosen. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  apiToken,
  type ConsoleOptions,
  freePort,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, startPostgres } from '../../helpers/postgres.ts';
import { createUserAgent, type UserAgent } from '../../helpers/user-agent.ts';

export interface EntryView {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: { readonly id: string; readonly kind: string } | null;
  readonly object: { readonly kind: string; readonly id: string } | null;
  readonly client: string | null;
  readonly decisionId: string | null;
  readonly requestId: string | null;
}

export interface Consoles {
  readonly postgres: Postgres;
  readonly databaseUrl: string;
  readonly front: LoadBalancer;
  /** In a data directory of its own, which stays when it is started again with it. */
  start(dataDir?: string, env?: ConsoleOptions['env']): Promise<RunningConsole>;
  newDataDir(): Promise<string>;
  /** @throws {Error} unless it answers well */
  api<T>(console: RunningConsole, method: string, path: string, body?: object): Promise<T>;
  /** Whatever it answers. */
  call(
    console: RunningConsole,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string }>;
  /** The same straight at its port, while others are called. */
  callAt(
    console: RunningConsole,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string }>;
  entries(console: RunningConsole, query?: string): Promise<readonly EntryView[]>;
  /** A browser of the administrator, which stays with this console. */
  browser(console: RunningConsole): Promise<UserAgent>;
  query<Row>(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** @param given  by default one of its own, which ends with them */
export async function openConsoles(given?: Postgres): Promise<Consoles> {
  const [postgres, front] = await Promise.all([given ?? startPostgres(), startLoadBalancer()]);
  const database = await postgres.createDatabase();
  const databaseUrl = postgres.url(database);
  const started: RunningConsole[] = [];
  const directories: string[] = [];
  let token: { readonly text: string; readonly until: number } | undefined;

  const bearer = async (console: RunningConsole) => {
    if (token && token.until > Date.now()) return token.text;
    front.choose(console.port);
    token = { text: await apiToken(front), until: Date.now() + 120_000 };
    return token.text;
  };
  const call: Consoles['call'] = async (console, method, path, body) => {
    const text = await bearer(console);
    front.choose(console.port);
    const response = await fetch(`${front.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${text}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const api = async <T>(...given: Parameters<Consoles['call']>): Promise<T> => {
    const { status, text } = await call(given[0], given[1], `/api/v1${given[2]}`, given[3]);
    if (status >= 300) throw new Error(`${given[1]} ${given[2]}: ${status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const newDataDir = async () => {
    const directory = await mkdtemp(join(tmpdir(), 'console-shared-audit-'));
    directories.push(directory);
    return directory;
  };

  return {
    postgres,
    databaseUrl,
    front,
    newDataDir,
    async start(dataDir, env = {}) {
      const console = await startConsole({
        isFirstStart: true,
        dataDir: dataDir ?? (await newDataDir()),
        port: await freePort(),
        env: { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: databaseUrl, ...env },
      });
      started.push(console);
      await bearer(console);
      return console;
    },
    api,
    call,
    async callAt({ port }, method, path, body) {
      const headers = {
        Host: `localhost:${front.port}`,
        Authorization: `Bearer ${token!.text}`,
        'Content-Type': 'application/json',
      };
      return new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          answer.on('end', () => resolve({ status: answer.statusCode!, text }));
          answer.on('error', reject);
        });
        sent.on('error', reject).end(body && JSON.stringify(body));
      });
    },
    async entries(console, query = '') {
      return (await api<{ items: readonly EntryView[] }>(console, 'GET', `/audit${query}`)).items;
    },
    async browser(console) {
      front.choose(console.port);
      const agent = createUserAgent(front.url);
      await agent.signIn();
      return agent;
    },
    query: <Row>(text: string) => postgres.query<Row>(database, text),
    async close() {
      await Promise.all(started.map((console) => console.stop()));
      await front.close();
      if (!given) await postgres.close();
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
}
