/** The settings as they may be shown, with what a running console has taken over since its start. */
import type { ApplicationAddresses } from './application-addresses.ts';
import { liveKeys } from './follow-settings.ts';
import { entriesOfTable, nameOf } from './names.ts';
import { describeSettings, type Settings } from './settings.ts';
import { settingOf } from './warning-fixes.ts';

export interface ShownSetting {
  /** In the environment. */
  readonly id: string;
  readonly value: string | null;
  readonly isSet: boolean;
  readonly origin: string;
  readonly isSecret: boolean;
  readonly changesLive: boolean;
  readonly meaning: string;
  /** Sentences in English. */
  readonly warnings: readonly string[];
}

/** By name. @param application  as it is now */
export function shownSettings(
  settings: Settings,
  application: ApplicationAddresses,
): readonly ShownSetting[] {
  const now = { ...settings, ...addressesOf(application) };
  const rows = new Map(describeSettings(now).map((row) => [row.name, row]));
  return entriesOfTable()
    .map(([key, setting]) => {
      const { value, origin } = rows.get(nameOf(setting))!;
      const { isSecret, meaning } = setting;
      return {
        id: nameOf(setting),
        value: isSecret || value === '' ? null : value,
        isSet: settings[key] !== undefined,
        origin,
        isSecret,
        changesLive: liveKeys.includes(key),
        meaning,
        warnings: settings.warnings
          .filter((text) => settingOf(text) === nameOf(setting))
          .map((text) => `${text}.`),
      };
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

function addressesOf({ addresses, internalAddress }: ApplicationAddresses) {
  return { applicationAddresses: addresses, applicationInternalAddress: internalAddress };
}
