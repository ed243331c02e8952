/** The processes of the demo, which are stopped together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface StartOptions {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** What else the process gets: see {@link withoutSettings}. */
  readonly inherited: NodeJS.ProcessEnv;
  /** What it prints once it can be used. */
  readonly readyLine: string;
  readonly signal: AbortSignal;
}

export interface Started {
  /** Rejects when it ends without being told to. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const foreignSettings = /^(CONSOLE|MEMBER|SVC|APP)_/;
const stopTimeoutMs = 10_000;

/** An environment without the settings of this project: the demo brings its own, not those of a terminal. */
export function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreignSettings.test(name)));
}

/** @throws {Error} with what the process wrote, when it ends before it is ready */
export async function startProcess({
  script,
  env,
  inherited,
  readyLine,
  signal,
}: StartOptions): Promise<Started> {
  // A group of its own: Ctrl-C reaches the demo alone, which then stops each in turn.
  const child = spawn(process.execPath, [script], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await ready(child, readyLine, signal);
  } catch (error) {
    await end(child, ended);
    throw error;
  }
  let isSettled = false;
  const failed = new Promise<never>((_, reject) => {
    child.once('close', (code) => {
      if (!isSettled) reject(new Error(`${script} ended with ${code}.`));
    });
  });
  failed.catch(() => {}); // whoever waits for it hears of it
  return {
    failed,
    stop() {
      isSettled = true;
      return end(child, ended);
    },
  };
}

/** One that does its work and ends. @throws {Error} with what it wrote, when it could not */
export async function runProgram(script: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${errors}`);
}

function ready(child: ChildProcess, line: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = '';
    let output = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
      if (output.includes(line)) resolve();
    });
    child.once('close', () => reject(new Error(`It ended before it was ready:\n${output}${errors}`)));
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
