/**
 * Upstream identity providers as an administrator adds and changes them. What an account of a provider may
 * do hangs on it: with the provider disabled or gone, its accounts are out at once, and the id of one that
 * is gone hands nothing to the next.
 */

import { isDeepStrictEqual } from 'node:util';
import { checkRolesExist } from '../../accounts/roles.ts';
import { isLastAdministrator } from '../../accounts/users/user-change.ts';
import { switchedProvider } from '../../accounts/voiding.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import type { RecordStore } from '../../storage/record-store.ts';
import { checkVersion, versionOf } from '../../storage/record-version.ts';
import type { ProviderRecord } from '../../storage/records.ts';
import type { Registry, RegistryTransaction } from '../../storage/storage.ts';
import type { ProviderSweeps } from './account-sweeps.ts';
import { type Edit, edited, type NewProvider } from './provider-edit.ts';
import { createProviderRecords, type ReadProvider } from './records.ts';
import {
  conflict,
  hasAccounts,
  hasEarlierAccounts,
  isBeingRemoved,
  taken,
  unknownProvider,
} from './registration-errors.ts';
import { checkProvider, checkSamePeople, isSamePeople } from './rules.ts';
import type { Provider } from './schema.ts';
import type { SecretCipher } from './secrets.ts';

/** A provider as it is listed: readable or not. */
export interface ListedProvider extends ReadProvider {
  /** How many accounts have come from there. */
  readonly accounts: number;
  /** Of its record, to bind a change to. */
  readonly version: string;
}

interface Replacing {
  readonly check?: (before: Provider, after: Provider) => void;
  readonly guard?: () => Promise<void>;
  /** Unless it stays what it is. */
  readonly enabled?: boolean;
  readonly ifMatch?: string | undefined;
}

interface RemoveOptions {
  /** Removes the accounts that have come from there too. */
  readonly withAccounts?: boolean;
  readonly ifMatch?: string | undefined;
}

export type ProviderRegistration = ReturnType<typeof createProviderRegistration>;

export interface ProviderRegistrationDeps {
  readonly registry: Registry;
  readonly records: Pick<RecordStore, 'count' | 'hasAdministrator'>;
  readonly sweeps: ProviderSweeps;
  readonly cipher: SecretCipher;
  readonly checkOutboundUrl: Outbound['checkRegistered'];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createProviderRegistration(deps: ProviderRegistrationDeps) {
  const { registry, records, sweeps, checkOutboundUrl, now } = deps;
  const { read, readable, recordOf } = createProviderRecords(deps.cipher);

  return {
    list: async (): Promise<readonly ListedProvider[]> => {
      const all = [...registry.all('providers').values()].sort((a, b) => a.id.localeCompare(b.id));
      return Promise.all(all.map(listed));
    },
    find,
    /**
     * @throws {ProblemError} `invalid_request`, `invalid_url`, `already_exists`; `conflict` when accounts of an earlier
     *   provider of this id are still there
     */
    async add(asked: NewProvider): Promise<Provider> {
      const provider = { ...asked, createdAt: now() } as Provider;
      await checkProvider(provider, checkOutboundUrl);
      const record = recordOf(provider);
      await registry.update(
        (transaction) => {
          if (transaction.get('providers', provider.id)) throw taken(provider.id);
          checkRolesExist(transaction, rolesGivenBy(provider));
          transaction.put('providers', record);
        },
        async () => {
          if (registry.get('providers', provider.id)) throw taken(provider.id);
          // Of a provider that is not there nobody gets an account.
          const left = await accountsOf(provider.id);
          if (left > 0) throw hasEarlierAccounts(provider.id, left);
        },
      );
      return provider;
    },
    /**
     * Replaces the settings and keeps the accounts, who must be the same people afterwards.
     *
     * @param ifMatch  the version that the record has to be of; undefined: whichever
     * @throws {ProblemError} as `add`; `not_found`, `precondition_failed`, and `conflict` for another issuer
     */
    async update(id: string, edit: Edit, ifMatch?: string): Promise<Provider> {
      const known = readable(registry.get('providers', id) ?? unknownProvider());
      const after = edited(known, edit);
      await checkProvider(after, checkOutboundUrl);
      checkRolesExist(registry, rolesGivenBy(after));
      if (isSamePeople(known, after)) return replace(id, edit, { check: checkSamePeople, ifMatch });
      const checkPeople = async () => {
        if ((await accountsOf(id)) > 0) checkSamePeople(known, after);
      };
      const work = () => replace(id, edit, { enabled: known.enabled, guard: checkPeople });
      return whileShut(id, work, { check: checkPeople, ifMatch });
    },
    /**
     * Ends every session and token of its accounts, whichever way it is switched.
     *
     * @throws {ProblemError} `not_found`, `precondition_failed`; `conflict` when nobody could administer any more
     */
    async setEnabled(id: string, isEnabled: boolean, ifMatch?: string): Promise<ListedProvider> {
      await registry.update(
        (transaction) => {
          const record = recordIn(transaction, id, ifMatch);
          // One that cannot be read is not let in again; to shut it out it need not be read.
          if (isEnabled) readable(record);
          if (record.sweep === 'remove') throw isBeingRemoved(id);
          if (record.enabled === isEnabled) return;
          const switched = switchedProvider(record, isEnabled, now());
          transaction.put('providers', { ...switched, updatedAt: now(), sweep: 'void' });
        },
        () => (isEnabled ? Promise.resolve() : checkAdministratorRemains(id)),
      );
      await sweep(id);
      return find(id);
    },
    /**
     * @param options  `withAccounts`: removes the accounts that have come from there too
     * @returns how many accounts were removed
     * @throws {ProblemError} `not_found`, `precondition_failed`; `conflict` while it has accounts, or when nobody could
     *   administer any more
     */
    async remove(id: string, { withAccounts = false, ifMatch }: RemoveOptions = {}): Promise<number> {
      if (!registry.get('providers', id)) unknownProvider();
      if (!withAccounts) {
        const checkUnused = async () => {
          await checkAdministratorRemains(id);
          await checkIsEmpty(id);
        };
        await whileShut(id, () => drop(id), { check: checkUnused, ifMatch });
        return 0;
      }
      await registry.update(
        (transaction) => {
          const record = recordIn(transaction, id, ifMatch);
          transaction.put('providers', { ...switchedProvider(record, false, now()), sweep: 'remove' });
        },
        () => checkAdministratorRemains(id),
      );
      return sweep(id);
    },
    /** What an earlier run has not done to the end. */
    async finish(): Promise<void> {
      for (const { id, sweep: open } of registry.all('providers').values()) if (open) await sweep(id);
    },
  };

  /**
   * Carries out what its record says is to be done to its accounts.
   *
   * @returns how many accounts were removed
   */
  async function sweep(id: string): Promise<number> {
    const { sweep: asked, accountsValidFrom } = registry.get('providers', id) ?? { sweep: undefined };
    if (asked === 'void') {
      await sweeps.voidAccounts(id);
      await registry.update((transaction) => {
        const { sweep: _done, ...record } = transaction.get('providers', id) ?? unknownProvider();
        if (record.accountsValidFrom === accountsValidFrom) transaction.put('providers', record);
      });
    }
    if (asked !== 'remove') return 0;
    const removed = await sweeps.removeAccounts(id);
    await drop(id);
    return removed;
  }

  /** One that lets nobody in. @throws {ProblemError} `conflict` while it has accounts */
  function drop(id: string): Promise<void> {
    return registry.update(
      (transaction) => void transaction.remove('providers', id),
      () => checkIsEmpty(id),
    );
  }

  /**
   * Does what must find no account of the provider: who came in that moment would be handed to others, or be left over.
   *
   * @param check  that there are none
   */
  async function whileShut<T>(
    id: string,
    work: () => Promise<T>,
    { check, ifMatch }: { readonly check: () => Promise<void>; readonly ifMatch?: string | undefined },
  ): Promise<T> {
    let wasEnabled: unknown;
    const setEnabled = (enabled: unknown, guard?: () => Promise<void>, version?: string) =>
      registry.update((transaction) => {
        const record = recordIn(transaction, id, version);
        wasEnabled = record.enabled;
        transaction.put('providers', { ...record, enabled });
      }, guard);
    await setEnabled(false, check, ifMatch);
    const before = wasEnabled;
    try {
      return await work();
    } catch (error) {
      await setEnabled(before);
      throw error;
    }
  }

  function replace(
    id: string,
    edit: Edit,
    { check, guard, ifMatch, ...enabled }: Replacing,
  ): Promise<Provider> {
    return registry.update((transaction) => {
      const before = readable(recordIn(transaction, id, ifMatch));
      const after = { ...edited(before, edit), ...enabled };
      checkProvider(after, checkOutboundUrl);
      checkRolesExist(transaction, rolesGivenBy(after));
      check?.(before, after);
      const { updatedAt, ...described } = before;
      if (isDeepStrictEqual(after, described)) return before;
      transaction.put('providers', { ...recordOf(after), updatedAt: now() });
      return after;
    }, guard);
  }

  function accountsOf(provider: string): Promise<number> {
    return records.count('users', { provider });
  }

  async function checkIsEmpty(id: string): Promise<void> {
    const held = await accountsOf(id);
    if (held > 0) throw hasAccounts(id, held);
  }

  /** @throws {ProblemError} `conflict`; a store that never had an administrator has none to lose */
  async function checkAdministratorRemains(withoutProvider: string): Promise<void> {
    if (await records.hasAdministrator(withoutProvider)) return;
    if (await records.hasAdministrator()) throw conflict(isLastAdministrator);
  }

  /** @throws {ProblemError} `not_found` */
  async function find(id: string): Promise<ListedProvider> {
    return listed(registry.get('providers', id) ?? unknownProvider());
  }

  async function listed(record: ProviderRecord): Promise<ListedProvider> {
    return { ...read(record), accounts: await accountsOf(record.id), version: versionOf(record) };
  }
}

/** @throws {ProblemError} `not_found`, `precondition_failed` */
function recordIn(
  transaction: Pick<RegistryTransaction, 'get'>,
  id: string,
  ifMatch: string | undefined,
): ProviderRecord {
  const record = transaction.get('providers', id) ?? unknownProvider();
  checkVersion(record, ifMatch);
  return record;
}

/** That its people get, at most. */
export function rolesGivenBy({ roleRules: { rules, defaultRole } }: Provider): readonly string[] {
  return [...rules.map(({ role }) => role), ...(defaultRole === undefined ? [] : [defaultRole])];
}
