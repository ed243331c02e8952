/** What the artifacts environment knows about the whole store. */

import { StorageRejectedError } from '../../storage.ts';
import { storeFormat } from '../../store-form.ts';
import type { Environment } from './lmdb-environment.ts';

/** The first format in which the registry holds no users and clients. */
const withRecords = 3;
const key = ['format'];
const originKey = ['records'];

/**
 * The format is noted once the registry has been written, so its presence tells that there must be one.
 *
 * @returns whether this store was complete before, and whether its format has to be noted
 * @throws {StorageRejectedError} `newer`
 */
export function checkFormat(
  environment: Environment,
  path: string,
): { readonly isExpected: boolean; readonly isRecorded: boolean; readonly isFormer: boolean } {
  const found = environment.read(() => environment.database<number>('store').get(key));
  if (found !== undefined && found > storeFormat) {
    throw new StorageRejectedError(
      'newer',
      `${path} was written by a newer console (format ${found}, this one knows ${storeFormat}): ` +
        'start the newer console, or bring a backup back with: npx console restore <backup>',
    );
  }
  const isFormer = found !== undefined && found < withRecords;
  const isRecorded = found === storeFormat && originOfRecords(environment) === 'own';
  return { isExpected: found !== undefined, isRecorded, isFormer };
}

/**
 * Where its users and clients come from: `own` since this store has a registry without them, before that the sum of
 * the registry that they are taken over from. Undefined: they are still in the registry.
 */
export function originOfRecords(environment: Environment): string | undefined {
  return environment.read(() => environment.database<string>('store').get(originKey));
}

export async function recordFormat(environment: Environment, origin = 'own'): Promise<void> {
  const store = environment.database<number | string>('store');
  await environment.write(() => {
    store.put(key, storeFormat);
    store.put(originKey, origin);
  });
}

/** As the release before noted it. */
export async function recordFormerFormat(environment: Environment): Promise<void> {
  const store = environment.database<number>('store');
  await environment.write(() => store.put(key, withRecords - 1));
}
