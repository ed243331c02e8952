/** Settings on their way to another process of this console: read once, so that all processes have the same. */
import { Secret } from '../../platform/secret.ts';
import type { Settings } from './settings.ts';

/** Plain values; secrets stand in it, so it goes to processes of this console and nowhere else. */
export type SettingsMessage = unknown;

const secretField = '$secret';
/** In base64: bytes are no object of numbered members. */
const bytesField = '$bytes';

export function settingsMessage(settings: Settings): SettingsMessage {
  return plain(settings);
}

export function readSettingsMessage(message: SettingsMessage): Settings {
  return revived(message) as Settings;
}

function plain(value: unknown): unknown {
  if (value instanceof Secret) return { [secretField]: plain(value.reveal()) };
  if (value instanceof Uint8Array) return { [bytesField]: Buffer.from(value).toString('base64') };
  return mapped(value, plain);
}

function revived(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && secretField in value) {
    return new Secret(revived(value[secretField]));
  }
  if (typeof value === 'object' && value !== null && bytesField in value) {
    return Buffer.from(String(value[bytesField]), 'base64');
  }
  return Object.freeze(mapped(value, revived));
}

function mapped(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]));
}
