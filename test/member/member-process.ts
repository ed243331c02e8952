import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { call, type Reply } from './support.ts';

/** A member in a process of its own, killed when the test ends. */
export interface MemberProcess {
  /** What it has printed. */
  output(): string;
  /** What it has logged, or said when it did not start. */
  errors(): string;
  /** Its exit code, once all that it said has been read; `null` when a signal ended it. */
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and waits for the end. */
  stop(name: NodeJS.Signals): Promise<number | null>;
}

/** A slow machine starts a process slowly. */
const startMs = 60_000;
const startLine = /^member (ready|waits) at .*$/m;

/** @param env  all that it has, beside `PATH` */
function spawnMember(env: Record<string, string>): MemberProcess {
  const child = spawn(process.execPath, ['dist/member/main.js'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => output,
    errors: () => errors,
    exited,
    signal: (name) => void child.kill(name),
    stop(name) {
      child.kill(name);
      return exited;
    },
  };
}

/** @returns the line that it prints when it listens; `undefined` when it ended without */
async function startLineOf({ output, errors, exited }: MemberProcess): Promise<string | undefined> {
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  const deadline = Date.now() + startMs;
  while (!isOver && !startLine.test(output())) {
    if (Date.now() > deadline) {
      throw new Error(`the member did not start in time; it said: ${output()}${errors()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return startLine.exec(output())?.[0];
}

/** A member that listens; `ready` is the line that says so. */
export async function startProcess(env: Record<string, string>): Promise<MemberProcess & { ready: string }> {
  const member = spawnMember(env);
  const ready = await startLineOf(member);
  if (ready === undefined) throw new Error(`the member ended before it was ready: ${member.errors()}`);
  return { ...member, ready };
}

/** Runs a member that does not start. */
export async function endOf(env: Record<string, string>): Promise<{ code: number | null; errors: string }> {
  const { exited, errors } = spawnMember(env);
  return { code: await exited, errors: errors() };
}

export function addressIn(ready: string): string {
  return /http:\/\/[\d.:]+\d/.exec(ready)?.[0] ?? '';
}

export function writeConfig(text: string): string {
  const file = join(temporaryDir(), 'member.yaml');
  writeFileSync(file, text);
  return file;
}

/** A member that persists; it may be killed and started again. */
export interface PersistentMember {
  /** The directory that has `data`, its base directory, and `backups`. */
  readonly dir: string;
  readonly baseDir: string;
  readonly backupDir: string;
  /** Starts the process and gives the line that it prints when it listens, or what it says when it does not. */
  start(): Promise<string>;
  call(method: string, path: string, body?: string, type?: string): Promise<Reply>;
  /** What it has logged since its last start. */
  logged(): readonly Readonly<Record<string, unknown>>[];
  kill(): Promise<void>;
  /** @returns its exit code */
  stop(): Promise<number | null>;
}

export interface PersistentOptions {
  readonly durability: 'sync' | 'periodic';
  /** YAML below `svc`, unindented. */
  readonly more?: string;
  /** The directory; a new one that is removed when the test ends, when left out. */
  readonly dir?: string;
  readonly baseDir?: string;
}

export function persistentMember({ durability, more = '', ...places }: PersistentOptions): PersistentMember {
  const dir = places.dir ?? temporaryDir();
  const baseDir = places.baseDir ?? join(dir, 'data');
  const backupDir = join(dir, 'backups');
  const file = join(dir, 'member.yaml');
  const groups = ['DATA', 'PERSISTENCE', 'CLUSTER_WRITE'].map((group) => `${group}: { enabled: true }`);
  const yaml = `network:
  rest-api: { enabled: true, endpoint-groups: { ${groups.join(', ')} } }
persistence: { enabled: true, base-dir: ${baseDir}, backup-dir: ${backupDir}, durability: ${durability} }
${more}`;
  writeFileSync(file, `svc:\n${yaml.replace(/^/gm, '  ')}\n`);
  let current: MemberProcess | undefined;
  let address = '';

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    return current === undefined ? null : current.stop(signal);
  }

  return {
    dir,
    baseDir,
    backupDir,
    async start() {
      const started = spawnMember({ MEMBER_PORT: '0', MEMBER_CONFIG: file });
      current = started;
      const line = await startLineOf(started);
      address = addressIn(line ?? '');
      return line ?? `${started.output()}${started.errors()}`;
    },
    call: (method, path, body, type) =>
      call(`${address}/svc/${path}`, method, {
        ...(body === undefined ? {} : { body }),
        ...(type === undefined ? {} : { type }),
      }),
    logged() {
      const lines = `${current?.output()}${current?.errors()}`.split('\n');
      return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'member-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
