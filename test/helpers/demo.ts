/** `npm run demo`, as a test starts and ends it. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, waitFor } from './console.ts';

const script = resolve(import.meta.dirname, '../../dist/dashboard/demo.js');

export interface Demo {
  readonly consoleUrl: string;
  readonly dashboardUrl: string;
  /** `host:port`: the first, the slow one, and the one that is away unless the settings say otherwise. */
  readonly members: readonly string[];
  /** Of who is called so, as the tour says it. */
  passwordOf(name: 'ada' | 'vera' | 'milo'): string;
  /** By Ctrl-C. @returns the exit code, and what was left in the folder for temporary files */
  stop(): Promise<{ readonly code: number | null; readonly left: readonly string[] }>;
}

/** Its third member is away all the time, so that no page changes by that. @param settings  what it hands on, or goes by. @throws {Error} unless it is ready within a minute */
export async function startDemo(settings: Readonly<Record<string, string>> = {}): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const consoleUrl = `http://localhost:${await freePort()}`;
  const dashboardUrl = `http://localhost:${await freePort()}`;
  const child = spawn(process.execPath, [script], {
    env: {
      ...process.env,
      DEMO_THIRD_MEMBER: 'away',
      ...settings,
      ...{ TMPDIR: folder, CONSOLE_URL: consoleUrl, SVC_MC_APP_ADDRESSES: dashboardUrl },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = new Promise<number | null>((done) => child.once('close', done));
  const stop = async () => {
    child.kill('SIGINT');
    const code = await exited;
    const left = await readdir(folder);
    await rm(folder, { recursive: true });
    return { code, left };
  };
  try {
    await waitFor(() => output.includes('demo ready') || child.exitCode !== null, 'the tour', 60_000);
    if (child.exitCode !== null) throw new Error(`The demo ended with ${child.exitCode}.`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    consoleUrl,
    dashboardUrl,
    members: [...(/^ *members .*$/m.exec(output)?.[0] ?? '').matchAll(/[\d.]+:\d+/g)].map(([name]) => name),
    passwordOf: (name) => new RegExp(`${name} +(\\S{12}) `).exec(output)?.[1] ?? '',
    stop,
  };
}
