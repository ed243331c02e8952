/** The configuration tool: arguments → one command → exit code. */
import './no-prototype-access.ts';
import './strict-tls.ts';
import { readFileSync, statSync } from 'node:fs';
import { createAuditFile } from './commands/audit-file.ts';
import { type Command, CommandError, type Input, type Reply, type Tools } from './commands/command.ts';
import { explainFailure } from './commands/failures.ts';
import { commonFlags, type Parsed, parseArguments, settingsFlags } from './commands/parse.ts';
import { createSecretInput } from './commands/secret-input.ts';
import { commands } from './commands/table.ts';
import { ProblemError, problems } from './errors.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings/settings.ts';

// Whoever reads may stop before the end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await main(process.argv.slice(2));

/** @returns 0 done, 1 refused or failed, 2 wrong usage, 78 bad settings */
async function main(argv: readonly string[]): Promise<number> {
  const isJson = argv.includes('--json');
  try {
    const reply = await answer(argv);
    process.stdout.write(`${isJson ? JSON.stringify(reply.json, undefined, 2) : reply.text}\n`);
    return reply.hasFailed ? 1 : 0;
  } catch (error) {
    const { exitCode, code, message, ...rest } = explainFailure(error);
    if (isJson) process.stdout.write(`${JSON.stringify({ error: code, message, ...rest }, undefined, 2)}\n`);
    else process.stderr.write(`${message}\n`);
    return exitCode;
  }
}

async function answer(argv: readonly string[]): Promise<Reply> {
  if (argv[0] === '--version') return { text: version(), json: { version: version() } };
  return runCommand(parseArguments(asHelp(argv) ?? argv, commands));
}

/** What asks for help in another way: no command at all, or `--help` anywhere. */
function asHelp(argv: readonly string[]): readonly string[] | undefined {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  const asksForHelp = argv.includes('--help') || argv.includes('-h');
  if (!asksForHelp && argv.some((argument) => argument !== '--json')) return undefined;
  return ['help', ...words, ...argv.filter((argument) => argument === '--json')];
}

async function runCommand({ command, input }: Parsed): Promise<Reply> {
  const opened = createTools(command, input);
  try {
    const reply = await command.run(input, opened.tools).catch(async (error: unknown) => {
      const { code } = explainFailure(error);
      await opened.audit(error instanceof ProblemError ? 'denied' : 'failure', undefined, code);
      throw error;
    });
    await opened.audit('success', reply.target).catch((cause: NodeJS.ErrnoException) => {
      const message = `The change was made, but the audit log cannot be written (${cause.code}).`;
      throw new CommandError('audit_failed', message, { cause });
    });
    return reply;
  } finally {
    await opened.close();
  }
}

/** What the command asks for is opened once, and remembered so that it can be closed. */
function createTools(command: Command, input: Input) {
  let settings: Promise<Settings> | undefined;
  let services: Services | undefined;
  let dataDir: string | undefined;

  const tools: Tools = {
    settings() {
      settings ??= readSettings(command, input);
      return settings;
    },
    async services({ creates = false } = {}) {
      services ??= await openServices(await tools.settings(), creates);
      dataDir = services.settings.dataDir;
      return services;
    },
    async restore(from) {
      const { restoreStorage } = await import('./storage/open.ts');
      const restored = (await tools.settings()).dataDir;
      await restoreStorage({ dataDir: restored, from });
      dataDir = restored;
    },
    readSecret: createSecretInput(process),
    fetch,
    now: Date.now,
  };

  return {
    tools,
    /** A line for each change that was made or refused, where there is a store that it concerns. */
    async audit(outcome: 'success' | 'failure' | 'denied', target?: string, reason?: string) {
      if (command.event === undefined || dataDir === undefined) return;
      const write = createAuditFile(dataDir);
      await write(command.event, { outcome, target, ...(reason === undefined ? {} : { reason }) });
    },
    async close() {
      services?.keys.close();
      await services?.providers.close();
      await services?.storage.close();
    },
  };
}

async function readSettings(command: Command, input: Input): Promise<Settings> {
  const { readProcessSettings } = await import('./settings/process-settings.ts');
  const flags = Object.keys(command.takesSettings ? settingsFlags : commonFlags);
  const argv = Object.keys(settingsFlags).flatMap((flag) => {
    const value = flags.includes(flag) ? input.text(flag) : undefined;
    return value === undefined ? [] : [`--${flag}=${value}`];
  });
  return readProcessSettings({ argv, env: process.env, isTerminal: process.stderr.isTTY === true });
}

async function openServices(settings: Settings, creates: boolean): Promise<Services> {
  const [{ createServices }, { openStorage }, { storeFiles }] = await Promise.all([
    import('./services.ts'),
    import('./storage/open.ts'),
    import('./storage/store-files.ts'),
  ]);
  const { dataDir } = settings;
  const { registry, artifacts } = storeFiles(dataDir);
  if (!creates && isMissing(registry) && isMissing(artifacts)) {
    throw new ProblemError(
      problems.notFound,
      `There is no store in ${dataDir} yet. Start the console, add a user, or name another directory with --data-dir.`,
    );
  }
  const tell = (_fields: unknown, message = '') => void process.stderr.write(`${message}\n`);
  const log = { warn: tell, error: tell };
  const storage = await openStorage({ dataDir, role: 'tool', log });
  return createServices({ settings, storage, now: Date.now, log });
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** From the package's own file, which lies above the sources and above `dist/`. */
function version(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const file = new URL(isBuilt ? '../../package.json' : '../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
