/** Errors that cross from one process of the console to another, and stay what they are. */
import type { Failure } from '../../platform/process/calls.ts';
import type { DiskState } from '../storage/disk-state.ts';
import { LastAdministratorError } from '../storage/record-store.ts';
import { StorageUnavailableError } from '../storage/storage.ts';

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  return { name, message, ...(error instanceof StorageUnavailableError && { state: error.state }) };
}

export function errorOf({ name, message, state }: Failure): Error {
  if (name === 'LastAdministratorError') return new LastAdministratorError(message);
  if (name !== 'StorageUnavailableError') return new Error(`${name}: ${message}`);
  return new StorageUnavailableError(message, { cause: causeOf(state as DiskState | undefined) });
}

const codes: Readonly<Record<DiskState, string>> = {
  read_only: 'EROFS',
  full: 'ENOSPC',
  limit: 'EFBIG',
  no_permission: 'EACCES',
};

function causeOf(state: DiskState | undefined): Error | undefined {
  return state && Object.assign(new Error(state), { code: codes[state] });
}
