/**
 * Commands of the configuration tool where the tool itself is not what is tested: a running console is asked through the
 * channel that the tool uses, without a process for each. Without a console it is the tool that runs.
 */
import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { callConsole } from '../../console/commands/channel/call.ts';
import { osUser } from '../../console/commands/runner/audit-file.ts';
import { printReply } from '../../console/commands/runner/print.ts';
import { ReportedFailure } from '../../console/commands/runner/reported-failure.ts';
import { createSecretInput } from '../../console/commands/runner/secret-input.ts';
import { type Outcome, root, runTool as runProcess, type ToolOptions } from '../commands/support.ts';

/** These run in the process of the caller alone (`isLocal` in `console/commands/`). */
const local = [
  'doctor',
  'restore',
  'settings',
  'token',
  'login',
  'logout',
  'whoami',
  'completion',
  'complete',
  'help',
];

export async function runTool(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  const { dataDir, stdin = '', cwd = root } = options;
  const isLocal = local.includes(args[0]!);
  const console = dataDir === undefined || isLocal ? undefined : await callConsole(dataDir);
  if (!console) return runProcess(args, options);
  const isJson = args.includes('--json');
  const read = {
    readSecret: createSecretInput({ stdin: Readable.from([Buffer.from(stdin)]), stderr: process.stderr }),
    readFile: async (path: string) => readFileSync(path, 'utf8'),
  };
  try {
    const reply = await console.run({ argv: args, cwd, actor: osUser() }, read);
    const out = new PassThrough();
    const said = text(out);
    await printReply(reply, isJson, out);
    out.end();
    return outcome(reply.hasFailed ? 1 : (reply.exitCode ?? 0), await said, '');
  } catch (error) {
    if (!(error instanceof ReportedFailure)) throw error;
    const { exitCode, code, message, ...rest } = error.failure;
    if (isJson) return outcome(exitCode, JSON.stringify({ error: code, message, ...rest }), '');
    return outcome(exitCode, '', `${message}\n`);
  } finally {
    console.close();
  }
}

function outcome(code: number, stdout: string, stderr: string): Outcome {
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** @throws {Error} with everything that was said when it was not done */
export async function toolDone(args: readonly string[], options: ToolOptions = {}): Promise<Outcome> {
  const done = await runTool(args, options);
  if (done.code !== 0) {
    throw new Error(`${args.join(' ')} ended with ${done.code}\n${done.stdout}\n${done.stderr}`);
  }
  return done;
}
