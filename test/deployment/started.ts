/** Containers that a manifest or a compose file describes, as processes on this machine: their programs and their settings. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../commands/support.ts';
import { followed, waitFor } from '../helpers/console.ts';

export interface Described {
  readonly program: 'console' | 'proxy';
  /** As the file says them. */
  readonly settings: Readonly<Record<string, string>>;
  /** What is elsewhere here: parts of values; the longest count first. */
  readonly here: Readonly<Record<string, string>>;
  /** Where it may write. */
  readonly dataDir: string;
}

const scripts = { console: 'dist/console/main.js', proxy: 'dist/console/proxy/main.js' } as const;

/** @throws {Error} with what it wrote when it does not get ready */
export async function startDescribed({ program, settings, here, dataDir }: Described) {
  const env = {
    PATH: process.env.PATH,
    CONSOLE_DATA_DIR: dataDir,
    CONSOLE_LOG_FORMAT: 'json',
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, placed(value, here)])),
  };
  const { child, stdout, stderr, exited } = followed(
    spawn(process.execPath, [join(root, scripts[program])], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
    return stdout().includes(`${program} ready at`);
  };
  await waitFor(isReady, `${program} ready`, 60_000).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${program} did not start\n${stdout()}\n${stderr()}`, { cause });
  });
  return {
    stdout,
    stderr,
    async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
}

/** In one go: a port that came in has digits in which another one could be found. */
function placed(value: string, here: Readonly<Record<string, string>>): string {
  const longestFirst = Object.keys(here).sort((one, other) => other.length - one.length);
  const any = new RegExp(
    longestFirst.map((from) => from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
    'g',
  );
  return value.replace(any, (from) => here[from]!);
}
