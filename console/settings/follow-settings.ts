/**
 * Takes over what may change in `console.yaml` while the console runs: the addresses of the dashboard
 * application. Whatever else changes there is named in the log, since it waits for the next start.
 */
import { statSync } from 'node:fs';
import type { Audit, Logger } from '../../platform/log.ts';
import { Secret } from '../../platform/secret.ts';
import { type ApplicationAddresses, applicationAddresses } from './application-addresses.ts';
import { entriesOfTable, nameOf } from './names.ts';
import { type Settings, SettingsError } from './settings.ts';
import type { SettingKey } from './table.ts';

export interface FollowSettingsDeps {
  /** What the console has been started with. */
  readonly started: Settings;
  /** Path of `console.yaml`, whether it is there or not. */
  readonly file: string;
  /** All sources anew, so that flags and environment still win over the file. @throws {SettingsError} */
  readonly read: () => Promise<Settings>;
  /** Calls `look` whenever the file may have changed. */
  readonly follow: (file: string, check: () => void) => { close(): void };
  /** Gets the addresses when they have changed. */
  readonly onApplication?: ((addresses: ApplicationAddresses) => void) | undefined;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly audit: Audit;
}

/** Without a change for this long a file counts as written to its end. */
const settleMs = 100;
/** `''`: there is no file. */
type Version = string;

export const liveKeys: readonly SettingKey[] = ['applicationAddresses', 'applicationInternalAddress'];

export function followSettings(deps: FollowSettingsDeps) {
  const { started, file, read, follow, onApplication, log, audit } = deps;
  let current = started;
  let application = applicationAddresses(started);
  // A file that is there at the start is read once more: it may have changed while the store was opened.
  let known: Version = '';
  let settling: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();
  const follower = follow(file, check);

  return {
    /** The same object until the addresses change. */
    application: (): ApplicationAddresses => application,
    /** Resolves when a reading that is under way is over. */
    close() {
      follower.close();
      clearTimeout(settling);
      return reading;
    },
  };

  function check(): void {
    const version = versionOf(file);
    if (version === known || settling) return;
    settling = setTimeout(settle, settleMs, version).unref();
  }

  /** An editor empties a file before it fills it: what lies between is nobody's wish. */
  function settle(version: Version): void {
    settling = undefined;
    if (versionOf(file) === version) {
      known = version;
      reading = reading.then(takeOver).catch(reject);
    } else {
      check();
    }
  }

  async function takeOver(): Promise<void> {
    const next = await read();
    const before = current;
    current = next;
    for (const name of waitingFor(next, before))
      log.warn({ setting: name }, 'takes effect at the next start');
    const changed = liveKeys.filter((key) => asText(before[key]) !== asText(next[key]));
    if (changed.length === 0) return;
    application = applicationAddresses(next);
    onApplication?.(application);
    const { addresses, internalAddress } = application;
    log.info({ addresses, internalAddress }, 'the addresses of the application have changed');
    audit('settings.changed', { outcome: 'success', source: 'console.yaml', addresses, internalAddress });
  }

  /** Names that the file has changed with this reading, and that differ from what is in force. */
  function waitingFor(next: Settings, before: Settings): string[] {
    return entriesOfTable()
      .filter(([key]) => {
        const isOfFile = [started, before, next].some(({ origins }) => origins[key] === 'console.yaml');
        const isNew = asText(next[key]) !== asText(before[key]) && asText(next[key]) !== asText(started[key]);
        return isOfFile && isNew && !liveKeys.includes(key);
      })
      .map(([, setting]) => nameOf(setting));
  }

  function reject(error: unknown): void {
    if (!(error instanceof SettingsError)) {
      log.error({ err: error }, 'console.yaml could not be followed');
      return;
    }
    log.warn({ problems: error.problems }, 'console.yaml cannot be used: what is in force stays');
  }
}

/** What tells one version of a file from the next. */
function versionOf(file: string): Version {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : '';
}

/** To compare and for nothing else: it shows secrets. */
function asText(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  return JSON.stringify(value) ?? '';
}
