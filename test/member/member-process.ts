import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { call, type Reply } from './support.ts';

/** A member in a process of its own that persists; it may be killed and started again. */
export interface PersistentMember {
  /** The directory that has `data`, its base directory, and `backups`. */
  readonly dir: string;
  readonly baseDir: string;
  readonly backupDir: string;
  /** Starts the process and gives the line that it prints when it listens, or what it says when it does not. */
  start(): Promise<string>;
  call(method: string, path: string, body?: string, type?: string): Promise<Reply>;
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
  let child: ChildProcess | undefined;
  let address = '';

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = await exited;
    return code;
  }
  onTestFinished(async () => void (await end('SIGKILL')));

  return {
    dir,
    baseDir,
    backupDir,
    async start() {
      child = spawn(process.execPath, ['dist/member/main.js'], {
        env: { PATH: process.env.PATH, MEMBER_PORT: '0', MEMBER_CONFIG: file },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      let isOver = false;
      for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (printed += chunk));
      child.once('close', () => {
        isOver = true;
      });
      const deadline = Date.now() + 60_000; // a slow machine starts a process slowly
      while (!isOver && !/^member (ready|waits) at .*$/m.test(printed)) {
        if (Date.now() > deadline)
          throw new Error(`the member did not start in time; it printed: ${printed}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      address = /http:\/\/[\d.:]+\d/.exec(printed)?.[0] ?? '';
      return /^member (ready|waits) at .*$/m.exec(printed)?.[0] ?? printed;
    },
    call: (method, path, body, type) =>
      call(`${address}/svc/${path}`, method, {
        ...(body === undefined ? {} : { body }),
        ...(type === undefined ? {} : { type }),
      }),
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
