/** Starts the real console as its own process on a free port, with a data directory of its own. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { askShared } from '../once/ask.ts';
import { freePort } from './ports.ts';

export { freePort };

export const clientSecret = 'test-secret-0123456789-abcdefghij-klmnop';
export const admin = { username: 'ada', password: 'correct-staple-battery-9' };

export interface RunningConsole {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** Log lines, parsed. */
  log(): Record<string, unknown>[];
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>;
  /** Waits until `found` returns something. */
  waitFor<T>(found: () => T | undefined | false, what: string): Promise<T>;
}

export interface ConsoleOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  /** Kept and reused; otherwise one that goes with the process, as a console leaves it that has run once. */
  readonly dataDir?: string;
  /** On an empty data directory: keys of its own, and the first administrator, are made. */
  readonly isFirstStart?: boolean;
  readonly port?: number;
  /** Another Node binary. */
  readonly node?: string;
  /** The program of another version. */
  readonly script?: string;
}

const root = resolve(import.meta.dirname, '../..');
export const mainScript = join(root, 'dist/console/main.js');

/** Resolves at `console ready`; rejects with all output when the process exits before. */
export async function startConsole(options: ConsoleOptions = {}): Promise<RunningConsole> {
  const port = options.port ?? (await freePort());
  const url = options.env?.CONSOLE_URL ?? `http://localhost:${port}`;
  const dataDir = options.dataDir ?? (await (isFirst(options) ? newDataDir() : usedDataDir()));
  const spawned = spawnConsole(options, {
    CONSOLE_URL: url,
    CONSOLE_PORT: String(port),
    CONSOLE_DATA_DIR: dataDir,
    CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
    CONSOLE_ADMIN_USERNAME: admin.username,
    CONSOLE_ADMIN_PASSWORD: admin.password,
    // Tests ask faster than people and their programs.
    CONSOLE_API_CHANGE_RATE: '0',
    CONSOLE_API_READ_RATE: '0',
  });
  const { child, stdout, stderr, exited } = spawned;
  const early = exited.then((code) => {
    throw new Error(`the console exited with ${code}\n${stdout()}\n${stderr()}`);
  });
  const ready = waitFor(() => stdout().includes('console ready at'), 'console ready', 60_000);
  await Promise.race([ready, early]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  early.catch(() => {});

  return {
    url,
    port,
    dataDir,
    child,
    stdout,
    stderr,
    log: () => logIn(stderr()),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const code = await exited;
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
      if (child.signalCode !== null && !['SIGKILL', 'SIGTERM'].includes(child.signalCode)) {
        throw new Error(`the console was ended by ${child.signalCode}:\n${stderr().slice(-2000)}`);
      }
      return code;
    },
    waitFor: (found, what) => waitFor(found, what),
  };
}

export interface FailedStart {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a console that is expected to refuse to start; only the settings given here are set. */
export async function runFailing(options: ConsoleOptions): Promise<FailedStart> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const { child, stdout, stderr, exited } = spawnConsole(options, { CONSOLE_DATA_DIR: dataDir });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await exited;
  clearTimeout(timer);
  if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
  return { code, stdout: stdout(), stderr: stderr() };
}

function spawnConsole(options: ConsoleOptions, defaults: Readonly<Record<string, string>>) {
  const { node = process.execPath, script = mainScript, args = [], env } = options;
  if (!existsSync(script)) throw new Error('dist/ is missing: run npm run build first');
  const child = spawn(node, [script, ...args], {
    cwd: root,
    env: cleanEnv({
      ...defaults,
      CONSOLE_LOG_FORMAT: 'json',
      MEMBER_PORT: '0',
      // For a run of any tests on consoles of several processes.
      CONSOLE_WORKERS: process.env.WORKERS_OF_CONSOLES,
      // Tests that have no load balancer need not wait for one; other versions do not know it.
      CONSOLE_SHUTDOWN_DELAY: options.script === undefined ? '0' : undefined,
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return followed(child);
}

/** Lines of a log, parsed; the last one may not have come whole yet. */
export function logIn(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** What a process writes, as it comes, and its exit code. */
export function followed<Process extends ChildProcessByStdio<null, Readable, Readable>>(child: Process) {
  const read = (stream: Readable) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    return () => text;
  };
  const exited = new Promise<number | null>((resolveExit) => child.once('close', resolveExit));
  return { child, stdout: read(child.stdout), stderr: read(child.stderr), exited };
}

/** Another administrator than that of {@link usedDataDir} is made at a first start alone. */
function isFirst({ isFirstStart, env = {} }: ConsoleOptions): boolean {
  return isFirstStart ?? Object.keys(env).some((name) => name.startsWith('CONSOLE_ADMIN_'));
}

function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'console-test-'));
}

/** With signing keys, the next ones and {@link admin}; the keys are the same for all of a run. */
export async function usedDataDir(): Promise<string> {
  const [dataDir, used] = await Promise.all([newDataDir(), askShared('data-directory')]);
  await cp(used.path, dataDir, { recursive: true });
  return dataDir;
}

/** Polls for a state that another process brings about. */
export async function waitFor<T>(
  found: () => T | undefined | false,
  what: string,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = found();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolveTick) => setTimeout(resolveTick, 10));
  }
}

/**
 * Waits until it says that it is ready. A disk that other tests write to may take longer than the two seconds after which
 * it is not: one answer says nothing of what a test has done.
 *
 * @param url  of a console, or of its management port
 */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { status } = await fetch(`${url}/ready`);
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`waited 20 s in vain for ${url} to be ready: ${status}`);
    await new Promise((resolveTick) => setTimeout(resolveTick, 50));
  }
}

/** The next keys are made a second after the start; after that no console writes its registry by itself. */
export async function nextKeysOf({ url }: Pick<RunningConsole, 'url'>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const response = await fetch(`${url}/oauth2/jwks`);
    const { keys } = (await response.json()) as { keys: unknown[] };
    if (keys.length >= 6) return;
    if (Date.now() > deadline) throw new Error('waited 20 s in vain for the next keys');
    await new Promise((resolveTick) => setTimeout(resolveTick, 50));
  }
}

/** A machine token, as docs/surface.md#machine-tokens asks for it. */
export function machineToken(console: Pick<RunningConsole, 'url'>, scope?: string): Promise<string> {
  return fetchToken(console, scope === undefined ? {} : { scope });
}

/** The same for the admin API. */
export function apiToken(console: Pick<RunningConsole, 'url'>, scope?: string): Promise<string> {
  const resource = `${console.url}/api`;
  return fetchToken(console, scope === undefined ? { resource } : { resource, scope });
}

async function fetchToken(
  console: Pick<RunningConsole, 'url'>,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** The environment of this test run without settings of its own. */
function cleanEnv(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(CONSOLE|MEMBER|SVC|APP_SECURITY)_/.test(name),
  );
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...own, ...given]);
}
