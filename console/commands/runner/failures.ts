/** What went wrong, as the terminal is told and as the exit code says it. */

import { ProblemError } from '../../../platform/errors.ts';
import type { OwnReason } from '../../../platform/names/reason-codes.ts';
import { DecryptionError } from '../../keys/encryption.ts';
import { SettingsError } from '../../settings/settings.ts';
import { StorageRejectedError, StorageUnavailableError } from '../../storage/storage.ts';
import { CommandError, UsageError } from './command.ts';
import type { Failure } from './failure.ts';
import { usageLine } from './help.ts';
import { ReportedFailure } from './reported-failure.ts';

export function explainFailure(error: unknown): Failure {
  if (error instanceof ReportedFailure) return error.failure;
  if (error instanceof UsageError) {
    const usage = error.command ? `\n  ${usageLine(error.command)}` : '';
    return { exitCode: 2, code: 'wrong_usage' satisfies OwnReason, message: error.message + usage };
  }
  if (error instanceof SettingsError) {
    const lines = error.problems.map((problem) => `\n  - ${problem}`).join('');
    const message = `These settings cannot be used:${lines}`;
    return { exitCode: 78, code: 'bad_settings' satisfies OwnReason, message, problems: error.problems };
  }
  const isOfSettings = error instanceof StorageRejectedError && error.isOfSettings;
  const members = error instanceof ProblemError ? error.members : {};
  return { exitCode: isOfSettings ? 78 : 1, code: codeOf(error), message: describe(error), ...members };
}

function codeOf(error: unknown): string {
  if (error instanceof CommandError) return error.code;
  if (error instanceof ProblemError) return error.problem.code;
  if (error instanceof StorageRejectedError) return `storage_${error.reason}` satisfies OwnReason;
  if (error instanceof StorageUnavailableError) return 'storage_unavailable';
  return error instanceof DecryptionError ? ('sealed' satisfies OwnReason) : ('failed' satisfies OwnReason);
}

function describe(error: unknown): string {
  if (selfExplaining.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof StorageUnavailableError) return `${error.message}: ${deepestReason(error)}`;
  // An error of the system says what and where; any other is a fault of this program.
  if (error instanceof Error && 'syscall' in error) return error.message;
  return `This should not have happened: ${error instanceof Error ? error.stack : String(error)}`;
}

/** Errors whose message was written for the person at the terminal. */
const selfExplaining = [CommandError, ProblemError, StorageRejectedError, DecryptionError] as const;

/** What the system said beneath all that was made of it. */
export function deepestReason(error: Error): string {
  return error.cause instanceof Error ? deepestReason(error.cause) : error.message;
}
