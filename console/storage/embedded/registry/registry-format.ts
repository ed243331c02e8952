/** How `registry.json` is written and what is accepted when it is read back. */
import { collections } from '../../records.ts';
import { deepFreeze, type RegistryState } from '../../registry-state.ts';
import { registryFormat } from '../../store-form.ts';
import { createRegistryText, parseRegistryText, type RegistryShape } from './registry-text.ts';

export const registryShape: RegistryShape = { version: registryFormat, collections };

export function formatRegistry(state: RegistryState): string {
  return [...parts(state)].join('');
}

function* parts(state: RegistryState): Generator<string, void> {
  const text = createRegistryText(registryShape.version);
  yield text.start();
  for (const collection of collections) {
    yield text.open(collection);
    for (const record of state[collection].values()) yield text.record(record);
    yield text.close();
  }
  yield text.end();
}

/**
 * @param file  named in the error
 * @throws {StorageRejectedError} `corrupt` or `newer` (S76)
 */
export function parseRegistry(text: string, file: string): RegistryState {
  const parsed = parseRegistryText(text, file, registryShape);
  for (const records of Object.values(parsed)) for (const record of records.values()) deepFreeze(record);
  return parsed as unknown as RegistryState;
}
