/** Starts the member proxy as its own process, beside a real console. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { askToken } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import { followed, freePort, logIn, type RunningConsole, waitFor } from '../helpers/console.ts';

export interface ProxyClient {
  readonly id: string;
  readonly secret: string;
}

export interface RunningProxy {
  readonly url: string;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Log lines, parsed. */
  log(): Record<string, unknown>[];
  /** Resolves when calls pass. */
  ready(): Promise<void>;
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>;
}

export interface ProxyOptions {
  readonly console: Pick<RunningConsole, 'url'>;
  readonly client?: ProxyClient;
  readonly members?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly port?: number;
  /** The program of another version. */
  readonly script?: string;
}

const root = resolve(import.meta.dirname, '../..');
const ownScript = join(root, 'dist/console/proxy/main.js');
export const revocationsScope = 'api:revocations:read';
const proxyScopes = `${revocationsScope} api:refusals:write`;

/** The client as which a proxy reads the revocation events and reports what it refuses. */
export async function addProxyClient(
  { dataDir }: Pick<RunningConsole, 'dataDir'>,
  id = 'member-proxy',
  scopes = proxyScopes,
): Promise<ProxyClient> {
  const added = await toolDone(['client', 'add', id, '--scope', scopes, '--json'], { dataDir });
  return { id, secret: added.json<{ secret: string }>().secret };
}

/** The address of the member within a console. */
export function memberOf(console: Pick<RunningConsole, 'stdout'>): string {
  return /^ +member +(\S+)$/m.exec(console.stdout())![1]!;
}

/** Does not wait until it is ready. */
export async function spawnProxy(options: ProxyOptions): Promise<RunningProxy> {
  const port = options.port ?? (await freePort());
  const dataDir = await mkdtemp(join(tmpdir(), 'proxy-test-'));
  // Tests that have no load balancer need not wait for one; other versions do not know it.
  const CONSOLE_SHUTDOWN_DELAY = options.script === undefined ? '0' : undefined;
  const env = {
    ...{ CONSOLE_DATA_DIR: dataDir, CONSOLE_PORT: String(port), CONSOLE_SHUTDOWN_DELAY },
    ...settingsOf(options),
  };
  const { child, stdout, stderr, exited } = run(env, options.script);
  const text = () => stdout().concat(stderr());
  return {
    url: `http://localhost:${port}`,
    child,
    stdout,
    stderr,
    log: () => logIn(stderr()),
    async ready() {
      await waitFor(
        () => {
          if (child.exitCode !== null) throw new Error(`the proxy exited with ${child.exitCode}\n${text()}`);
          return stdout().includes('proxy ready at');
        },
        'proxy ready',
        60_000,
      ).catch((error: Error) => {
        throw new Error(`${error.message}\n${text()}`);
      });
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const code = await exited;
      await rm(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const proxy = await spawnProxy(options);
  await proxy.ready().catch(async (error: unknown) => {
    await proxy.stop();
    throw error;
  });
  return proxy;
}

/** Runs a proxy that is expected to refuse to start; only the settings given here are set. */
export async function runFailing(env: Readonly<Record<string, string | undefined>>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'proxy-test-'));
  const { child, stdout, stderr, exited } = run({ CONSOLE_DATA_DIR: dataDir, ...env });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await exited;
  clearTimeout(timer);
  await rm(dataDir, { recursive: true, force: true });
  return { code, stdout: stdout(), stderr: stderr() };
}

function settingsOf({ console, client, members, env }: ProxyOptions) {
  return {
    CONSOLE_URL: console.url,
    CONSOLE_MEMBERS: members?.join(),
    CONSOLE_PROXY_CLIENT_ID: client?.id,
    CONSOLE_PROXY_CLIENT_SECRET: client?.secret,
    // For a machine on which nothing may run for seconds; tests of the time of grace set their own.
    CONSOLE_PROXY_NEWS_GRACE: '60',
    ...env,
  };
}

function run(env: Readonly<Record<string, string | undefined>>, script = ownScript) {
  const foreign = Object.entries(process.env).filter(
    ([name]) => !/^(CONSOLE|MEMBER|SVC|APP_SECURITY)_/.test(name),
  );
  const given = Object.entries({ CONSOLE_LOG_FORMAT: 'json', ...env }).filter(
    ([, value]) => value !== undefined,
  );
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: Object.fromEntries([...foreign, ...given]),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return followed(child);
}

export function call(
  proxy: Pick<RunningProxy, 'url'>,
  token: string | undefined,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(proxy.url + path, {
    ...init,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers },
  });
}

/** Polls until a call is answered so. @returns the milliseconds that it took */
export async function untilStatus(ask: () => Promise<Response>, status: number): Promise<number> {
  const at = performance.now();
  let last: Response | undefined;
  while (performance.now() - at < 20_000) {
    last = await ask();
    await last.arrayBuffer();
    if (last.status === status) return performance.now() - at;
    await new Promise((tick) => setTimeout(tick, 10));
  }
  throw new Error(`waited 20 s in vain for ${status}; the last answer was ${last?.status}`);
}

/** A token of a machine that may have been registered a moment ago. */
export async function tokenOf(
  console: Pick<RunningConsole, 'url'>,
  { id, secret }: ProxyClient,
  scope?: string,
): Promise<string> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const reply = await askToken(console.url, id, secret, scope);
    if (reply.ok) return ((await reply.json()) as { access_token: string }).access_token;
    if (Date.now() > deadline) throw new Error(`no token: ${await reply.text()}`);
    await new Promise((tick) => setTimeout(tick, 50));
  }
}

/** Processes that this one has started, from the process table. */
export async function childrenOf(pid: number): Promise<number[]> {
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    entries.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
  );
  return stats.flatMap((stat) => {
    const [, id, parent] = /^(\d+) \(.*\) \S (\d+) /s.exec(stat) ?? [];
    return Number(parent) === pid ? [Number(id)] : [];
  });
}
