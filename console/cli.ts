/** The configuration tool: arguments → one command → exit code. */
import '../platform/no-prototype-access.ts';
import '../http/strict-tls.ts';
import { version } from '../platform/installation.ts';
import { createTools, dataDirOf, sayVersion } from './command-tools.ts';
import { type ConsoleCall, callConsole } from './commands/channel/call.ts';
import { osUser } from './commands/runner/audit-file.ts';
import type { Command, Reply } from './commands/runner/command.ts';
import { confirm } from './commands/runner/confirmation.ts';
import { explainFailure } from './commands/runner/failures.ts';
import { type Parsed, parseArguments } from './commands/runner/parse.ts';
import { printReply } from './commands/runner/print.ts';
import { runCommand } from './commands/runner/run.ts';
import { createSecretInput, readInputFile } from './commands/runner/secret-input.ts';
import { commands } from './commands/table.ts';

// Whoever reads may stop before the end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await main(process.argv.slice(2));

/** @returns 0 done, 1 refused or failed, 2 wrong usage, 78 bad settings */
async function main(argv: readonly string[]): Promise<number> {
  const isJson = argv.includes('--json');
  try {
    const { hasFailed, exitCode } = await answer(argv, (reply) => printReply(reply, isJson, process.stdout));
    return hasFailed ? 1 : (exitCode ?? 0);
  } catch (error) {
    const { exitCode, code, message, ...rest } = explainFailure(error);
    if (isJson) process.stdout.write(`${JSON.stringify({ error: code, message, ...rest }, undefined, 2)}\n`);
    else process.stderr.write(`${message}\n`);
    return exitCode;
  }
}

type Print = (reply: Reply) => Promise<void>;

async function answer(argv: readonly string[], print: Print): Promise<Reply> {
  if (argv[0] === '--version') return printed({ text: version(), json: { version: version() } }, print);
  const words = asHelp(argv) ?? argv;
  return run(parseArguments(words, commands), words, print);
}

async function printed(reply: Reply, print: Print): Promise<Reply> {
  await print(reply);
  return reply;
}

/** What asks for help in another way: no command at all, or `--help` anywhere. */
function asHelp(argv: readonly string[]): readonly string[] | undefined {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  const asksForHelp = argv.includes('--help') || argv.includes('-h');
  if (!asksForHelp && argv.some((argument) => argument !== '--json')) return undefined;
  return ['help', ...words, ...argv.filter((argument) => argument === '--json')];
}

/** In the running console, when there is one and the command is about its store; else here. */
async function run(parsed: Parsed, argv: readonly string[], print: Print): Promise<Reply> {
  const { command, input } = parsed;
  await confirm(parsed, process);
  const opened = createTools(parsed, process);
  try {
    const isHere = command.isLocal || command.isOnApi;
    const console = isHere ? undefined : await findConsole(command, opened, dataDirOf(input, process.env));
    if (!console) {
      const reply = await runCommand(parsed, opened);
      await opened.closeTrail();
      return await printed(reply, print);
    }
    const reply = runThere(console, argv).then((said) => printed(said, print));
    return await reply.finally(console.close);
  } finally {
    await opened.close();
  }
}

function findConsole(
  { asksRunning }: Command,
  { reach }: Pick<ReturnType<typeof createTools>, 'reach'>,
  dataDir: string,
): Promise<ConsoleCall | undefined> {
  return asksRunning ? callConsole(dataDir) : reach(dataDir);
}

function runThere(console: ConsoleCall, argv: readonly string[]): Promise<Reply> {
  sayVersion(console);
  const read = { readSecret: createSecretInput(process), readFile: readInputFile };
  return console.run({ argv, cwd: process.cwd(), actor: osUser() }, read);
}
