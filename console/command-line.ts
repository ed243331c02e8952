/** A command line: arguments → one command → what is printed, and the exit code. */
import { version } from '../platform/installation.ts';
import { createTools } from './command-tools.ts';
import { type ConsoleCall, callConsole } from './commands/channel/call.ts';
import { osUser } from './commands/runner/audit-file.ts';
import type { Command, Reply } from './commands/runner/command.ts';
import { confirm } from './commands/runner/confirmation.ts';
import { explainFailure } from './commands/runner/failures.ts';
import { type Parsed, parseArguments } from './commands/runner/parse.ts';
import { printReply } from './commands/runner/print.ts';
import { runCommand } from './commands/runner/run.ts';
import { createSecretInput, readInputFile } from './commands/runner/secret-input.ts';
import { dataDirOf, type Shell, sayVersion } from './commands/runner/shell.ts';
import { commands } from './commands/table.ts';

/** @returns 0 done, 1 refused or failed, 2 wrong usage, 78 bad settings */
export async function runCommandLine(argv: readonly string[], shell: Shell): Promise<number> {
  const isJson = argv.includes('--json');
  try {
    const { hasFailed, exitCode } = await answer(argv, shell, (reply) =>
      printReply(reply, isJson, shell.stdout),
    );
    return hasFailed ? 1 : (exitCode ?? 0);
  } catch (error) {
    const { exitCode, code, message, ...rest } = explainFailure(error);
    if (isJson) shell.stdout.write(`${JSON.stringify({ error: code, message, ...rest }, undefined, 2)}\n`);
    else shell.stderr.write(`${message}\n`);
    return exitCode;
  }
}

type Print = (reply: Reply) => Promise<void>;

async function answer(argv: readonly string[], shell: Shell, print: Print): Promise<Reply> {
  if (argv[0] === '--version') return printed({ text: version(), json: { version: version() } }, print);
  const words = asHelp(argv) ?? argv;
  return run(parseArguments(words, commands), words, shell, print);
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
async function run(parsed: Parsed, argv: readonly string[], shell: Shell, print: Print): Promise<Reply> {
  const { command, input } = parsed;
  await confirm(parsed, shell);
  const opened = createTools(parsed, shell);
  try {
    const isHere = command.isLocal || command.isOnApi;
    const console = isHere ? undefined : await findConsole(command, opened, dataDirOf(input, shell.env));
    if (!console) {
      const reply = await runCommand(parsed, opened);
      await opened.closeTrail();
      return await printed(reply, print);
    }
    const reply = runThere(console, argv, shell).then((said) => printed(said, print));
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

function runThere(console: ConsoleCall, argv: readonly string[], shell: Shell): Promise<Reply> {
  sayVersion(console, shell);
  const read = { readSecret: createSecretInput(shell), readFile: readInputFile };
  return console.run({ argv, cwd: shell.cwd(), actor: osUser() }, read);
}
