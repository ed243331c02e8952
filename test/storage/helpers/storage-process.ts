import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { built } from '../../helpers/built.ts';

/** What {@link program} does for a line. */
export type Command =
  | readonly ['set', id: string, value: unknown]
  | readonly ['increase', id: string, times: number]
  | readonly ['read', id: string]
  | readonly ['put', id: string, payload: Record<string, unknown>]
  | readonly ['get', id: string]
  | readonly ['consume', ids: readonly string[]]
  | readonly ['count', id: string, times: number]
  | readonly ['writable']
  | readonly ['flood-registry']
  | readonly ['flood-artifacts']
  | readonly ['add-users', first: number, count: number, passwordHash: string]
  /** In one change. `killAfterMs`: it kills itself so long after a thread has begun to write it. */
  | readonly ['add-users-at-once', first: number, count: number, passwordHash: string, killAfterMs?: number]
  /** What threads have said since it was asked last. */
  | readonly ['said-by-threads']
  | readonly ['get-user', id: string]
  | readonly ['flood-users']
  | readonly ['joint', n: number, step: 'before' | 'written' | 'made' | 'done']
  | readonly ['role', id: string]
  | readonly ['fill', notes: number]
  | readonly ['close'];

export interface StorageProcessOptions {
  readonly dataDir: string;
  readonly role?: 'console' | 'tool';
  /** What runs node, such as `['strace', '-f']`. */
  readonly wrapper?: readonly string[];
  /** The step of a take-over at which it kills itself: `backed_up`, or `loading:4000`. */
  readonly stopAt?: string;
}

export interface StorageProcess {
  readonly child: ChildProcess;
  /** @returns the child's answer: `{ value }` or `{ error: <name> }` */
  ask(...command: Command): Promise<unknown>;
  send(...command: Command): void;
  /** The next line that the child says; `undefined` when it has ended. */
  next(): Promise<unknown>;
  /** @returns the exit code, or the signal's name */
  ended(): Promise<number | string>;
  kill(): Promise<void>;
}

const program = built('test/storage/helpers/storage-child.mjs');

/** Starts a process that opens `dataDir`; its first line is `{ ready }` or `{ refused, message }`. */
export function startStorageProcess({
  dataDir,
  role = 'console',
  wrapper = [],
  stopAt = '',
}: StorageProcessOptions): StorageProcess {
  const [command = '', ...args] = [...wrapper, process.execPath, program, dataDir, role, stopAt];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(() => void child.kill('SIGKILL'));
  // A killed child no longer reads.
  child.stdin.on('error', () => {});

  const send: StorageProcess['send'] = (...asked) => void child.stdin.write(`${JSON.stringify(asked)}\n`);
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  return {
    child,
    send,
    next,
    ask(...asked) {
      send(...asked);
      return next();
    },
    ended: () => exit,
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Starts a process and waits until it has opened the store. */
export async function openStorageProcess(options: StorageProcessOptions): Promise<StorageProcess> {
  const started = startStorageProcess(options);
  const first = await started.next();
  if (typeof first !== 'object' || first === null || !('ready' in first)) {
    throw new Error(`the child did not open the store: ${JSON.stringify(first)}`);
  }
  return started;
}
