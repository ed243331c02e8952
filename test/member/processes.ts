import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDir } from './member-process.ts';

function spawnMember(env: Record<string, string>): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MEMBER_'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'member/main.ts'], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A member in a process of its own, ready; `ready` is what it has printed, `errors` what it has logged, `exited` gives its exit code. */
export async function startProcess(env: Record<string, string>) {
  const child = spawnMember(env);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let output = '';
  let errors = '';
  const ready = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve(output);
    });
    child.stderr?.on('data', (chunk) => {
      errors += String(chunk);
      reject(new Error(errors));
    });
    void exited.then((code) => reject(new Error(`ended with ${code} before it was ready`)));
  });
  function stop(signal: NodeJS.Signals): Promise<number | null> {
    child.kill(signal);
    return exited;
  }
  return { ready, stop, exited, errors: () => errors };
}

/** Runs a member that does not start. */
export async function endOf(env: Record<string, string>): Promise<{ code: number | null; errors: string }> {
  const child = spawnMember(env);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, errors };
}

export function addressIn(ready: string): string {
  return /http:\/\/[\d.:]+\d/.exec(ready)![0];
}

export async function writeConfig(text: string): Promise<string> {
  const file = join(temporaryDir(), 'member.yaml');
  await writeFile(file, text);
  return file;
}
