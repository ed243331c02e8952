import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProcessKind } from './layers.ts';
import { entriesOfTable, flagOf } from './names.ts';
import { loadSettings, type Settings, SettingsError } from './settings.ts';
import { defaultDataDir } from './table.ts';

export interface ProcessSources {
  /** Arguments after the script: settings flags and nothing else. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly isTerminal: boolean;
  /** The console unless it is said. */
  readonly process?: ProcessKind;
}

/**
 * The settings of a process: its arguments, its environment and `console.yaml` in the data directory.
 *
 * @throws {SettingsError} with every problem; the caller prints them and exits 78
 */
export async function readProcessSettings({
  argv,
  env,
  isTerminal,
  process = 'console',
}: ProcessSources): Promise<Settings> {
  const flags = readFlags(argv);
  const yaml = await readYamlFile(findDataDir(flags, env));
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  return loadSettings({ env, flags, yaml, readFile, isTerminal, process });
}

/** @throws {SettingsError} when an argument is not a settings flag */
function readFlags(argv: readonly string[]): Record<string, string> {
  const options = Object.fromEntries(
    entriesOfTable().map(([, setting]) => [flagOf(setting), { type: 'string' as const }]),
  );
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    return values as Record<string, string>;
  } catch (cause) {
    throw new SettingsError([(cause as Error).message]);
  }
}

/** The one setting that is needed before the others, since one of their sources lies there. */
export function findDataDir(
  flags: Readonly<Record<string, string | undefined>>,
  env: NodeJS.ProcessEnv,
): string {
  return resolve(flags['data-dir'] || env.CONSOLE_DATA_DIR || defaultDataDir);
}

/** Path of `console.yaml`. */
export function settingsFile(dataDir: string): string {
  return join(dataDir, 'console.yaml');
}

async function readYamlFile(dataDir: string): Promise<unknown> {
  const path = settingsFile(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SettingsError([`console.yaml cannot be read (${code})`]);
  }
  // Loaded only here: the parser costs 40 ms of start-up, and most installations have no such file.
  const { default: yaml } = await import('yaml');
  try {
    return yaml.parse(text);
  } catch (error) {
    const line = (error as { linePos?: [{ line: number }] }).linePos?.[0].line ?? '?';
    throw new SettingsError([`console.yaml is not YAML (line ${line})`]);
  }
}
