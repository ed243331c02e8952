/** Applications with Python's libraries (set up by `test/peers/set-up-python.sh`). */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitFor } from '../../helpers/console.ts';

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const home = join(cache, 'cluster-console/python-clients-3');
const program = resolve(import.meta.dirname, '../python/applications.py');

/** Behind the name of what is skipped; undefined when everything is there. */
export const whyNoPython = existsSync(join(home, 'ready'))
  ? undefined
  : 'Python’s libraries are not set up: bash test/peers/set-up-python.sh';

export interface PythonApplications {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws {Error} with what Python says when it does not start */
export async function startPythonApplications(issuer: string, secret: string): Promise<PythonApplications> {
  const child = spawn(join(home, 'bin/python'), [program, issuer, secret], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise((done) => child.once('close', done));
  const port = () => /listening on (\d+)/.exec(output)?.[1];
  await waitFor(() => port() ?? child.exitCode !== null, 'the applications', 60_000).catch(() => {});
  if (port() === undefined) {
    child.kill('SIGKILL');
    throw new Error(`Python did not start\n${output}`);
  }
  return {
    url: `http://localhost:${port()}`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
