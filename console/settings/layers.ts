import { nearest } from '../../platform/names/nearest-name.ts';
import { allNames, canonical, entriesOfTable, flagOf, nameOf, printable, shortName } from './names.ts';
import { type Setting, settingsTable } from './table.ts';

export interface SettingsSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command-line flags by name without dashes, such as `data-dir`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Content of `console.yaml`, parsed. */
  readonly yaml?: unknown;
  /** Reads a whole file as UTF-8; throws as `fs.readFileSync` does. */
  readonly readFile: (path: string) => string;
  /** Epoch milliseconds; absent: now. */
  readonly now?: number;
  /** Whether standard output is a terminal. */
  readonly isTerminal?: boolean;
  /** Which process starts with them; the console unless it is said. */
  readonly process?: ProcessKind;
}

export type ProcessKind = 'console' | 'proxy';

/** Where a value was found. */
export interface Found {
  readonly text: string;
  readonly origin: string;
}

/** One source: finds a setting's text, or nothing. */
export type Layer = (setting: Setting<unknown>) => Found | undefined;

/**
 * The three sources of values, the one that counts most first. Unknown names are problems.
 *
 * @param problems  gets one sentence for each thing that is wrong
 */
export function readLayers(
  { env, flags = {}, yaml, readFile }: SettingsSources,
  problems: string[],
): Layer[] {
  rejectUnknownNames(env, flags, problems);
  const fromYaml = readYaml(yaml, problems);
  const readSecretFile = secretFileReader(readFile, problems);

  const fromFlags: Layer = (setting) => {
    const flag = flagOf(setting);
    const text = flags[flag] ?? '';
    return { text: setting.isSecret ? readSecretFile(text, `--${flag}`) : text, origin: `--${flag}` };
  };
  /** @param get  a value by environment name, empty when there is none */
  const fromNames = (setting: Setting<unknown>, get: (name: string) => string): Found | undefined => {
    const name = setting.env.find((candidate) => get(candidate) !== '');
    const base = setting.isSecret
      ? setting.env.find((candidate) => get(`${candidate}_FILE`) !== '')
      : undefined;
    if (name !== undefined && base !== undefined)
      problems.push(`${name} and ${base}_FILE are both set: keep one`);
    if (name !== undefined) return { text: get(name), origin: name };
    if (base === undefined) return undefined;
    return { text: readSecretFile(get(`${base}_FILE`), `${base}_FILE`), origin: `${base}_FILE` };
  };
  const fromEnv: Layer = (setting) => fromNames(setting, (name) => env[name] ?? '');
  const fromFile: Layer = (setting) => {
    const found = fromNames(setting, (name) => fromYaml.get(canonical(name)) ?? '');
    return found && { ...found, origin: 'console.yaml' };
  };
  return [fromFlags, fromEnv, fromFile];
}

function secretFileReader(readFile: SettingsSources['readFile'], problems: string[]) {
  return (path: string, name: string): string => {
    if (path === '') return '';
    try {
      return readFile(path).replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${name} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return '';
    }
  };
}

/** A misspelt name under our prefix would otherwise leave a default in force that nobody meant. */
function rejectUnknownNames(
  env: SettingsSources['env'],
  flags: Readonly<Record<string, string>>,
  problems: string[],
): void {
  const names = allNames();
  const known = new Set(names);
  for (const name of Object.keys(env)) {
    if (!name.startsWith('CONSOLE_') || known.has(name)) continue;
    problems.push(`${printable(name)} is not a setting; the nearest one is ${nearest(name, names)}`);
  }
  const flagNames = entriesOfTable().map(([, setting]) => flagOf(setting));
  for (const flag of Object.keys(flags)) {
    if (flagNames.includes(flag)) continue;
    problems.push(`--${printable(flag)} is not a setting; the nearest one is --${nearest(flag, flagNames)}`);
  }
}

/**
 * Values of `console.yaml` by canonical name: `svc.mc.app.addresses`, the same as nested maps,
 * `SVC_MC_APP_ADDRESSES`, `access-token-ttl` and `CONSOLE_ACCESS_TOKEN_TTL` are all understood.
 */
function readYaml(yaml: unknown, problems: string[]): Map<string, string> {
  const byName = new Map<string, string>();
  if (yaml === undefined || yaml === null) return byName;
  if (typeof yaml !== 'object' || Array.isArray(yaml)) {
    problems.push('console.yaml must be a map of names to values');
    return byName;
  }
  const names = allNames();
  const known = new Map(
    names.flatMap((name) => [
      [canonical(name), name],
      [canonical(shortName(name)), name],
    ]),
  );
  for (const [key, value] of flatten(yaml)) {
    const name = known.get(canonical(key));
    if (name === undefined) {
      const near = nearest(canonical(key), [...known.keys()]);
      problems.push(
        `${printable(key)} in console.yaml is not a setting; the nearest one is ${known.get(near)}`,
      );
    } else if (name === nameOf(settingsTable.dataDir)) {
      problems.push(`${name} cannot stand in console.yaml, which lies in that directory`);
    } else if (byName.has(canonical(name))) {
      problems.push(`${name} stands twice in console.yaml`);
    } else {
      byName.set(canonical(name), value);
    }
  }
  return byName;
}

function* flatten(map: object, prefix = ''): Generator<[string, string]> {
  for (const [key, value] of Object.entries(map)) {
    const name = prefix + key;
    if (Array.isArray(value)) yield [name, textOfList(value)];
    else if (typeof value === 'object' && value !== null) yield* flatten(value, `${name}.`);
    else yield [name, value === null ? '' : String(value)];
  }
}

/** Words are joined as in the environment; a list of maps is what JSON makes of it. */
function textOfList(list: readonly unknown[]): string {
  return list.some((entry) => typeof entry === 'object') ? JSON.stringify(list) : list.join(',');
}
