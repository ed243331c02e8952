import { spawn } from 'node:child_process';
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

/** @param seconds  they end by themselves after that long */
export function startCallers(
  url: string,
  token: string,
  callers: Callers,
  { nodeBinary, seconds }: { readonly nodeBinary: string; readonly seconds: number },
): RunningCallers {
  let report: CallersReport = { open: 0, polling: 0, pollsDenied: 0 };
  const child = spawn(nodeBinary, ['--import', 'tsx', 'bench/overload/callers.ts'], {
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
