/** `registry.json` of format 1, which held users and clients too. */
import type { GrowingRecords } from '../../record-store.ts';
import { deepFreeze, type RegistryState } from '../../registry-state.ts';
import { parseRegistryText, type RegistryShape } from '../registry/registry-text.ts';

export const formerShape: RegistryShape = {
  version: 1,
  collections: ['users', 'clients', 'keys', 'providers', 'roles', 'settings'],
};

export interface FormerRegistry {
  readonly records: { readonly [C in keyof GrowingRecords]: ReadonlyMap<string, GrowingRecords[C]> };
  /** What stays in the registry. */
  readonly rest: RegistryState;
}

/** @throws {StorageRejectedError} `corrupt` or `newer` (S76) */
export function parseFormerRegistry(text: string, file: string): FormerRegistry {
  const { users, clients, ...rest } = parseRegistryText(text, file, formerShape);
  for (const records of Object.values(rest)) for (const record of records.values()) deepFreeze(record);
  return { records: { users, clients }, rest } as unknown as FormerRegistry;
}
