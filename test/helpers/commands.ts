/**
 * The configuration tool without a process of its own, where neither that nor what is built is what is tested: a process
 * takes a third of a second of processor time before it does anything. Same arguments, environment, streams, exit code.
 */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../console/command-line.ts';
import {
  type Outcome,
  root,
  runTool as runProcess,
  type ToolOptions,
  toolEnvironment,
} from '../commands/support.ts';

export async function runTool(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  const { stdin = '', cwd = root, env = {} } = options;
  // Node reads its own settings, and the system the paths of files, for the process.
  if (cwd !== root || Object.keys(env).some((name) => name.startsWith('NODE_')))
    return runProcess(args, options);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([stdout, stderr].map(text));
  const code = await runCommandLine(args, {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout,
    stderr,
    env: toolEnvironment(options),
    cwd: () => cwd,
  });
  for (const stream of [stdout, stderr]) stream.end();
  const [out, err] = (await said) as [string, string];
  return { code, stdout: out, stderr: err, json: () => JSON.parse(out) };
}

/** @throws {Error} with everything that was said when it did not end with 0 */
export async function toolDone(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  const outcome = await runTool(args, options);
  if (outcome.code !== 0) {
    throw new Error(`${args.join(' ')} ended with ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
  }
  return outcome;
}
