/** Runs the configuration tool as its own process, and signs people in to a running console. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { withStore } from '../helpers/store.ts';

export const root = resolve(import.meta.dirname, '../..');
export const program = join(root, 'bin/console.js');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as one JSON value. */
  json<T = Record<string, unknown>>(): T;
}

export interface ToolOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input holds; it ends there. */
  readonly stdin?: string;
  readonly cwd?: string;
}

export function runTool(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  return run(process.execPath, [program, ...args], options);
}

export function run(command: string, args: readonly string[], options: ToolOptions): Promise<Outcome> {
  const { stdin = '', cwd = root } = options;
  const child = spawn(command, args, { cwd, env: toolEnvironment(options) });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  // A tool that reads no secret may have ended before this is written.
  child.stdin.on('error', () => {}).end(stdin);
  const timer = setTimeout(() => child.kill('SIGKILL'), 90_000);
  return new Promise((resolveRun, reject) => {
    child.once('error', reject).once('close', (code) => {
      clearTimeout(timer);
      resolveRun({ code, stdout, stderr, json: () => JSON.parse(stdout) });
    });
  });
}

/** Without settings of this test run. */
export function toolEnvironment({ dataDir, env = {} }: ToolOptions): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(CONSOLE|MEMBER|SVC|APP_SECURITY)_/.test(name),
  );
  return { ...Object.fromEntries(own), ...(dataDir ? { CONSOLE_DATA_DIR: dataDir } : {}), ...env };
}

/** @throws {Error} with everything that was said when the tool did not exit 0 */
export async function toolDone(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  const outcome = await runTool(args, options);
  if (outcome.code !== 0) {
    throw new Error(`${args.join(' ')} exited ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
  }
  return outcome;
}

/** A directory that goes away with the running test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'console-tool-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return directory;
}

/** All that an administrator can have changed: the registry byte by byte, and each user and client. */
export function storedIn(dataDir: string) {
  return withStore(dataDir, async ({ records }) => ({
    registry: registryOf(dataDir),
    users: (await records.users({ limit: 500 })).records,
    clients: (await records.clients({ limit: 500 })).records,
  }));
}

export function registryOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'registry.json'), 'utf8');
}

export function auditOf(dataDir: string): Record<string, unknown>[] {
  const lines = readFileSync(join(dataDir, 'audit.log'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** The audit trail of what is managed: the lines of operations. */
export function trailOf(dataDir: string): Record<string, unknown>[] {
  return storedEvents(dataDir).filter(({ via }) => via !== undefined);
}

/** A machine asks for a token. */
export function askToken(url: string, id: string, secret: string, scope?: string): Promise<Response> {
  return fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope ? { scope } : {}) }),
  });
}

/** Signs in by the form of the login page. @returns the browser's Cookie field, or undefined when refused */
export async function signIn(url: string, username: string, password: string): Promise<string | undefined> {
  const page = await fetch(`${url}/login`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const cookies = cookiesOf(page);
  const reply = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: asField(cookies), Origin: url },
    body: new URLSearchParams({ username, password, csrf }),
  });
  await reply.arrayBuffer();
  if (reply.status === 401) return undefined;
  if (reply.status !== 303) throw new Error(`sign-in was answered ${reply.status}`);
  return asField(new Map([...cookies, ...cookiesOf(reply)]));
}

export async function isSignedIn(url: string, cookie: string): Promise<boolean> {
  const page = await fetch(`${url}/`, { redirect: 'manual', headers: { Cookie: cookie } });
  await page.arrayBuffer();
  return page.status === 200;
}

function cookiesOf(reply: Response): Map<string, string> {
  const pairs = reply.headers.getSetCookie().map((cookie) => /^([^=]+)=([^;]*)/.exec(cookie)!);
  return new Map(pairs.map(([, name, value]) => [name!, value!]));
}

function asField(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map((pair) => pair.join('=')).join('; ');
}
