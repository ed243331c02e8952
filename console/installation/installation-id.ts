/** What this installation is: its id, which backups keep and nobody has to know by heart, and what it consists of. */
import { randomUUID } from 'node:crypto';
import type { Registry } from '../storage/storage.ts';

const settingId = 'installation-id';

export function createInstallationId({ registry }: { readonly registry: Registry }) {
  const stored = () => registry.get('settings', settingId)?.value as string | undefined;
  return {
    /** Undefined before the first start of a console. */
    find: stored,
    /** At a start: makes it where there is none. @throws {StorageUnavailableError} */
    async prepare(): Promise<void> {
      if (stored() !== undefined) return;
      await registry.update((transaction) => {
        if (transaction.get('settings', settingId)) return;
        transaction.put('settings', { id: settingId, value: randomUUID() });
      });
    },
  };
}
