/** The console in front of members that were started for a test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolDone } from '../../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { until } from '../../helpers/store.ts';
import { ask, type WireAnswer, type WireRequest } from '../../helpers/wire.ts';

/** How long members may take until the console has found out all about them. */
const acquaintanceMs = 60_000;

export interface EngineConsole {
  readonly console: RunningConsole;
  /** A call as the application client with all rights. */
  call(method: string, path: string, request?: WireRequest): Promise<WireAnswer>;
  /** The same with another token. */
  callAs(token: string, method: string, path: string, request?: WireRequest): Promise<WireAnswer>;
  readonly admin: string;
  /** A token of `application-client` for one of its scopes. */
  tokenOfRole(role: 'Viewer' | 'MetricsViewer'): Promise<string>;
  /** A token for some of the scopes that were asked for at the start. */
  tokenFor(scope: string): Promise<string>;
  stop(): Promise<void>;
}

export interface EngineConsoleOptions {
  /** For `CONSOLE_MEMBERS`; absent for the embedded member. */
  readonly addresses?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What a machine client of its own may ask for. */
  readonly scopes?: readonly string[];
  /** The members do not tell who they are: nothing to wait for. */
  readonly isSilent?: boolean;
}

/** Starts it, and resolves when each of the members answers through it. */
export async function startEngineConsole(options: EngineConsoleOptions): Promise<EngineConsole> {
  const { addresses, env, scopes = [], isSilent = false } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'engine-console-'));
  const machine = scopes.length > 0 ? await addMachine(dataDir, scopes) : undefined;
  const console = await startConsole({
    dataDir,
    env: { ...(addresses !== undefined && { CONSOLE_MEMBERS: addresses }), ...env },
  });
  const admin = await machineToken(console);
  const callAs: EngineConsole['callAs'] = (token, method, path, request) =>
    ask(console.url, method, path, {
      ...request,
      headers: { ...request?.headers, Authorization: `Bearer ${token}` },
    });
  const hosts = isSilent ? [] : (addresses ?? '').split(',').filter(Boolean);
  const knowsAll = async () => {
    const pinned = hosts.map((address) => `/members/${new URL(address).host}/svc/rest/log-level`);
    const answers = await Promise.all(pinned.map((path) => callAs(admin, 'GET', path)));
    // The answer names the member by its UUID as soon as the member has told it.
    return answers.every(
      ({ status, headers }) => status === 200 && /-/.test(String(headers['cluster-member'])),
    );
  };
  const stop = async () => {
    await console.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await until(knowsAll, 'the console to know its members', acquaintanceMs);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    console,
    admin,
    callAs,
    call: (method, path, request) => callAs(admin, method, path, request),
    tokenOfRole: (role) => machineToken(console, `app:${role}`),
    tokenFor: (scope) => tokenOf(console.url, machine!, scope),
    stop,
  };
}

interface Machine {
  readonly id: string;
  readonly secret: string;
}

async function addMachine(dataDir: string, scopes: readonly string[]): Promise<Machine> {
  const add = ['client', 'add', 'machine', '--scope', scopes.join(' '), '--json'];
  const { secret } = (await toolDone(add, { dataDir })).json<{ secret: string }>();
  return { id: 'machine', secret };
}

async function tokenOf(url: string, { id, secret }: Machine, scope: string): Promise<string> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
