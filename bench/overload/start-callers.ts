import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Callers, CallersReport } from './callers.ts';

export interface RunningCallers {
  /** Resolves when all of them are there. */
  readonly ready: Promise<void>;
  /** What they told last. */
  report(): CallersReport;
  stop(): Promise<void>;
}

/**
 * Callers are on other machines where there are any: what they do here takes no processor from the console and from who
 * measures it. Where the system has no such class, they take what the lowest priority leaves.
 */
const whenIdle =
  spawnSync('chrt', ['-i', '0', 'true']).status === 0 ? ['chrt', '-i', '0'] : ['nice', '-n', '19'];

/** @param seconds  they end by themselves after that long */
export function startCallers(
  url: string,
  token: string,
  callers: Callers,
  { nodeBinary, seconds }: { readonly nodeBinary: string; readonly seconds: number },
): RunningCallers {
  let report: CallersReport = { open: 0, polling: 0, pollsDenied: 0 };
  const [program, ...args] = [...whenIdle, nodeBinary, '--import', 'tsx', 'bench/overload/callers.ts'];
  const child = spawn(program!, args, {
    cwd: new URL('../..', import.meta.url),
    env: {
      PATH: process.env.PATH,
      CALLERS: JSON.stringify(callers),
      URL: url,
      TOKEN: token,
      SECONDS: `${seconds}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) report = JSON.parse(line) as CallersReport;
      else resolve();
    });
    void exited.then(() => resolve());
  });
  return {
    ready,
    report: () => report,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
