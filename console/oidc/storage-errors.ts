/** How the provider library hears that the store cannot be written: it answers errors that it does not know with 500. */
import type { Adapter } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { StorageUnavailableError } from '../storage/storage.ts';

/** The same adapter; a store that cannot be written is `temporarily_unavailable` and 503 (S78). */
export function withStorageErrors(adapter: Adapter): Adapter {
  const methods = Object.entries(adapter).map(([name, method]) => [name, translated(method)]);
  return Object.fromEntries(methods);
}

type Method = (...args: unknown[]) => Promise<unknown>;

function translated(method: Method): Method {
  return async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      throw error instanceof StorageUnavailableError ? storageError(error) : error;
    }
  };
}

export function storageError(cause: StorageUnavailableError): errors.OIDCProviderError {
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', 'the store cannot be written');
  return Object.assign(error, { status: 503, statusCode: 503, expose: true, cause });
}
