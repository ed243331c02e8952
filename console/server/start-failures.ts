import { PortTakenError } from '../../platform/port-taken-error.ts';
import { DecryptionError } from '../keys/encryption.ts';
import { InvalidKeyError } from '../keys/key-material.ts';
import { SettingsError } from '../settings/settings.ts';
import { StorageRejectedError, StorageUnavailableError } from '../storage/storage.ts';
import { ListenError } from './listen.ts';
import { StrictStartError } from './start-warnings.ts';

export interface StartFailure {
  /** 78 when other settings would help (`EX_CONFIG` of sysexits.h), else 1. */
  readonly exitCode: 1 | 78;
  /** For the person at the terminal. */
  readonly message: string;
}

/** Why there is no console, and what to do about it; a stack only for what nobody has foreseen. */
export function explainStartFailure(error: unknown, what: 'console' | 'proxy' = 'console'): StartFailure {
  if (error instanceof SettingsError) {
    const list = error.problems.map((problem) => `\n  - ${problem}`).join('');
    return { exitCode: 78, message: `These settings cannot be started with:${list}` };
  }
  if (error instanceof DecryptionError || error instanceof StrictStartError) {
    return { exitCode: 78, message: error.message };
  }
  const isOfSettings = error instanceof StorageRejectedError && error.isOfSettings;
  return { exitCode: isOfSettings ? 78 : 1, message: sentence(error, what) };
}

function sentence(error: unknown, what: string): string {
  if (error instanceof StorageRejectedError || error instanceof ListenError) return error.message;
  if (error instanceof InvalidKeyError) return error.message;
  if (error instanceof PortTakenError)
    return `The member: ${error.message}. Choose another with MEMBER_PORT.`;
  if (error instanceof StorageUnavailableError) {
    const { cause } = error;
    return `${error.message}${cause instanceof Error ? `: ${cause.message}` : ''}`;
  }
  return `The ${what} could not start: ${error instanceof Error ? error.stack : String(error)}`;
}
