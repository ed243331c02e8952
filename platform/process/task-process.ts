/** One task in a process of its own: whoever has given it goes on answering, whatever a parser makes of it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programOf } from '../installation.ts';

export interface TaskLimits {
  readonly heapMb: number;
  /** Milliseconds, its start among them. */
  readonly durationMs: number;
}

/**
 * @param path  of a program that calls {@link answerTask}, from the root and without an extension
 * @param task  what can be cloned
 * @returns the answer; undefined when it took more than the limits allow
 */
export function runTask<Answer>(
  path: string,
  task: object,
  { heapMb, durationMs }: TaskLimits,
): Promise<Answer | undefined> {
  const program = fileURLToPath(programOf(path));
  const child = fork(program, {
    // The sources run as they are during development.
    execArgv: [...(program.endsWith('.ts') ? ['--import', 'tsx'] : []), `--max-old-space-size=${heapMb}`],
    env: {}, // nothing that is read here comes from there
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: durationMs,
    killSignal: 'SIGKILL',
  });
  return new Promise<Answer | undefined>((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer)).once('error', reject);
    child.once('exit', () => resolve(undefined));
    child.send(task, () => {}); // what cannot be sent has ended
  }).finally(() => child.kill('SIGKILL'));
}

/** In that process: takes its one task, and ends with whoever has given it. */
export function answerTask<Task>(work: (task: Task) => Promise<object>): void {
  process.once('disconnect', () => process.exit());
  process.once('message', async (task) => {
    process.send?.(await work(task as Task));
  });
}
