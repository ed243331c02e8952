/** Which access tokens of people count, without waiting: for as long as users are in the registry's memory. */

import type { AccountsValidFrom } from '../accounts/users.ts';
import { underProvider, validSince } from '../accounts/validity.ts';
import type { Registry } from '../storage/storage.ts';

export function createRegistryValidity(
  registry: Pick<Registry, 'get' | 'all'>,
  accountsValidFrom: AccountsValidFrom,
) {
  return {
    ids: (): Iterable<string> => registry.all('users').keys(),
    /** Epoch seconds from which on tokens of this account count; undefined while none do. */
    validSince: accountValidSince,
    /** @param issuedAt  epoch seconds */
    isLive(id: string, issuedAt: number): boolean {
      const since = accountValidSince(id);
      return since !== undefined && issuedAt >= since;
    },
  };

  function accountValidSince(id: string): number | undefined {
    const user = registry.get('users', id);
    const from = user?.federated ? accountsValidFrom(user.federated.provider) : 0;
    return user && from !== undefined ? validSince(underProvider(user, from)) : undefined;
  }
}
