/** The process in which a command runs: what it reads, writes and is set to. */
import type { Readable, Writable } from 'node:stream';
import { version } from '../../../platform/installation.ts';
import { findDataDir, readProcessSettings } from '../../settings/process-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { type ConsoleCall, callConsole } from '../channel/call.ts';
import { localUser } from './audit-file.ts';
import type { Command, Input, Whereabouts } from './command.ts';
import { commonFlags, settingsFlags } from './parse.ts';

/** Of the process in which the command runs, what it reads and writes. */
export interface Shell {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  cwd(): string;
}

/** A line for a person, beside what the command prints. */
export const sayTo =
  ({ stderr }: Pick<Shell, 'stderr'>) =>
  (_fields: unknown, message = '') =>
    void stderr.write(`${message}\n`);

export function sayVersion(console: ConsoleCall, { stderr }: Pick<Shell, 'stderr'>): void {
  if (console.version === version()) return;
  stderr.write(
    `The running console is version ${console.version}, this command line ${version()}: the console's runs.\n`,
  );
}

/** By the flag, the environment, or where it is by default. */
export function dataDirOf(input: Input, env: NodeJS.ProcessEnv): string {
  return findDataDir({ 'data-dir': input.text('data-dir') }, env);
}

/** @throws {SettingsError} */
export function readSettings(command: Command, input: Input, { env, stderr }: Shell): Promise<Settings> {
  const flags = Object.keys(command.takesSettings ? settingsFlags : commonFlags);
  const argv = Object.keys(settingsFlags).flatMap((flag) => {
    const value = flags.includes(flag) ? input.text(flag) : undefined;
    return value === undefined ? [] : [`--${flag}=${value}`];
  });
  return readProcessSettings({ argv, env, isTerminal: stderr.isTTY === true });
}

/** Where the command would do what it does. */
export async function whereaboutsOf(dataDir: string): Promise<Whereabouts> {
  const console = await callConsole(dataDir);
  console?.close();
  const user = localUser();
  if (!console) return { way: 'store', user, dataDir, url: null, version: null, pid: null };
  const { url = null, version: itsVersion, pid } = console;
  return { way: 'socket', user, dataDir, url, version: itsVersion, pid };
}
