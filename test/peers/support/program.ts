/** A program of another language as a process of its own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../helpers/store.ts';

/** Where the set-up scripts put what they fetch. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cluster-console');

/** Behind the name of what is skipped; undefined when it is there. */
export function whyMissing(folder: string, script: string): string | undefined {
  return existsSync(join(cacheFolder, folder, 'ready'))
    ? undefined
    : ` (skipped: not set up here: ${script})`;
}

export interface RunningProgram {
  output(): string;
  stop(): Promise<void>;
}

/**
 * @param ready  what it writes, or does, once it answers
 * @throws {Error} with what it wrote when it ends instead
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: (output: string) => boolean | Promise<boolean>,
): Promise<RunningProgram> {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const exited = new Promise((done) => child.once('close', done));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill('SIGTERM');
    await exited;
  };
  try {
    await until(async () => hasEnded() || (await ready(output)), command, 120_000);
    if (hasEnded()) throw new Error(`it ended with ${child.exitCode}`);
  } catch (cause) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`${command} did not start\n${output}`, { cause });
  }
  return { output: () => output, stop };
}

/** Whether somebody answers there, whatever it is. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}
