import { type Setting, type SettingKey, settingsTable } from './table.ts';

export function entriesOfTable(): [SettingKey, Setting<unknown>][] {
  return Object.entries(settingsTable) as [SettingKey, Setting<unknown>][];
}

export function nameOf(setting: Setting<unknown>): string {
  return setting.env[0] ?? '';
}

/** The command-line flag of a setting, without dashes: `CONSOLE_DATA_DIR` is `data-dir`. Secrets have none but `…-file`. */
export function flagOf(setting: Setting<unknown>): string {
  const flag = shortName(nameOf(setting)).toLowerCase().replaceAll('_', '-');
  return setting.isSecret ? `${flag}-file` : flag;
}

/** Every environment name, those of secret files included. */
export function allNames(): string[] {
  return entriesOfTable().flatMap(([, { env, isSecret }]) =>
    isSecret ? env.flatMap((name) => [name, `${name}_FILE`]) : [...env],
  );
}

/** Without the project's prefix. */
export function shortName(name: string): string {
  return name.replace(/^CONSOLE_/, '');
}

/** One spelling for `svc.mc.app.addresses`, `access-token-ttl` and `SVC_MC_APP_ADDRESSES`. */
export function canonical(name: string): string {
  return name.toUpperCase().replace(/[._-]/g, '');
}

/** Names come from outside too; a terminal must not act on them. */
export function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?');
}
