/**
 * What becomes of the accounts of an upstream provider that is switched or removed: page by page, so that it costs no
 * more memory however many they are. The provider's own record shuts them out before that, and says that it is to be
 * done until it is (S34).
 */

import type { AccountRecords } from '../../accounts/voiding.ts';
import { pagesOfUsers } from '../../storage/record-lists.ts';
import type { ArtifactStore } from '../../storage/storage.ts';

export interface ProviderSweepsDeps {
  readonly records: AccountRecords;
  readonly artifacts: Pick<ArtifactStore, 'listByAccount'>;
}

export type ProviderSweeps = ReturnType<typeof createProviderSweeps>;

export function createProviderSweeps({ records, artifacts }: ProviderSweepsDeps) {
  return {
    /** Ends the sessions of those who have one, and voids their tokens; of others there is nothing to end. */
    async voidAccounts(provider: string): Promise<void> {
      for await (const page of pagesOfUsers(records, { provider })) {
        const areInUse = await Promise.all(page.map(({ id }) => isInUse(id)));
        const inUse = page.filter((_user, index) => areInUse[index]);
        if (inUse.length === 0) continue;
        await records.change(async (transaction) => {
          for (const { id } of inUse) {
            const user = await transaction.get('users', id);
            if (user) transaction.voidAccount(user);
          }
        });
      }
    },
    /** @returns how many there were */
    async removeAccounts(provider: string): Promise<number> {
      let removed = 0;
      for await (const page of pagesOfUsers(records, { provider })) {
        await records.change(async (transaction) => {
          // Who removes one has read it: voiding.ts ends what its person has for a while.
          for (const { id } of page) {
            if (await transaction.get('users', id)) transaction.remove('users', id);
          }
        });
        removed += page.length;
      }
      return removed;
    },
  };

  async function isInUse(accountId: string): Promise<boolean> {
    for (const kind of ['Grant', 'Session'] as const) {
      if ((await artifacts.listByAccount(kind, accountId, 1)).length > 0) return true;
    }
    return false;
  }
}
