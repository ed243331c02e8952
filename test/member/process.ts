/** The stand-alone member as its own process. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface MemberProcess {
  readonly address: string;
  readonly port: number;
  /** Its exit code, once it has ended. */
  readonly exited: Promise<number | null>;
  /** Everything that it has written to standard error so far. */
  stderr(): string;
}

/** @param file  the member's configuration, as text */
export async function startProcess(file: string): Promise<MemberProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'member-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const config = join(directory, 'member.yaml');
  await writeFile(config, file);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(MEMBER|HZ|SVC)_/.test(name));
  const child = spawn(process.execPath, ['--import', 'tsx', 'member/main.ts'], {
    env: { ...Object.fromEntries(inherited), MEMBER_PORT: '0', MEMBER_CONFIG: config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      const ready = /^member ready at (http:\/\/[\d.:]+\d)/.exec(stdout);
      if (ready !== null) resolve(ready[1]!);
    });
    void exited.then((code) => reject(new Error(`ended with ${code} before it was ready: ${stderr}`)));
  });
  return { address, port: Number(new URL(address).port), exited, stderr: () => stderr };
}
