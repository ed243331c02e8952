/**
 * Upstream identity providers as an administrator adds and changes them. What an account of a provider may
 * do hangs on it: with the provider disabled or gone, its accounts are out at once, and the id of one that
 * is gone hands nothing to the next.
 */

import { ProblemError, problems } from '../../../platform/errors.ts';
import { checkRolesExist } from '../../accounts/roles.ts';
import { checkAdminRemains, hasAdmin } from '../../accounts/users.ts';
import type { AccountRegistry } from '../../accounts/voiding.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import type { ProviderRecord, UserRecord } from '../../storage/records.ts';
import type { RegistryTransaction } from '../../storage/storage.ts';
import { encryptProvider, openProvider, ProviderRecordError } from './records.ts';
import { checkProvider, checkSamePeople } from './rules.ts';
import type { Provider } from './schema.ts';
import type { SecretCipher } from './secrets.ts';

/** A provider as it is asked for. */
export type NewProvider = Provider extends infer P
  ? P extends Provider
    ? Omit<P, 'createdAt'>
    : never
  : never;

/** A provider as it is listed: readable or not. */
export interface ListedProvider {
  readonly id: string;
  readonly provider?: Provider;
  /** Why it cannot be read. */
  readonly problem?: string;
  /** How many accounts have come from there. */
  readonly accounts: number;
}

export type ProviderRegistration = ReturnType<typeof createProviderRegistration>;

export interface ProviderRegistrationDeps {
  readonly registry: AccountRegistry;
  readonly cipher: SecretCipher;
  readonly checkOutboundUrl: Outbound['check'];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createProviderRegistration(deps: ProviderRegistrationDeps) {
  const { registry, cipher, checkOutboundUrl, now } = deps;

  return {
    list: (): readonly ListedProvider[] =>
      [...registry.all('providers').values()].map(listed).sort((a, b) => a.id.localeCompare(b.id)),
    find,
    /**
     * @throws {ProblemError} `invalid_request`, `invalid_url`; `conflict` when the id is taken, or accounts of
     *   an earlier provider of this id are still there
     */
    async add(asked: NewProvider): Promise<Provider> {
      const provider = { ...asked, createdAt: now() } as Provider;
      checkProvider(provider, checkOutboundUrl);
      const record = recordOf(provider);
      await registry.update((transaction) => {
        checkIsFree(transaction, provider.id);
        checkRolesExist(transaction, rolesGivenBy(provider));
        transaction.put('providers', record);
      });
      return provider;
    },
    /**
     * Replaces the settings and keeps the accounts, who must be the same people afterwards.
     *
     * @throws {ProblemError} as `add`; `not_found`, and `conflict` for another issuer
     */
    update: (id: string, edit: (provider: Provider) => Provider | NewProvider): Promise<Provider> =>
      registry.update((transaction) => {
        const before = readable(transaction.get('providers', id) ?? unknownProvider());
        const { kind, enabled, createdAt } = before;
        const after = { ...edit(before), id, kind, enabled, createdAt } as Provider;
        checkProvider(after, checkOutboundUrl);
        checkRolesExist(transaction, rolesGivenBy(after));
        if (accountsOf(transaction, id).length > 0) checkSamePeople(before, after);
        transaction.put('providers', recordOf(after));
        return after;
      }),
    /**
     * Ends every session and token of its accounts, whichever way it is switched.
     *
     * @throws {ProblemError} `not_found`; `conflict` when nobody could administer any more
     */
    async setEnabled(id: string, isEnabled: boolean): Promise<ListedProvider> {
      await registry.update((transaction) => {
        const hadAdmin = hasAdmin(transaction);
        const record = transaction.get('providers', id) ?? unknownProvider();
        // One that cannot be read is not let in again; to shut it out it need not be read.
        if (isEnabled) readable(record);
        transaction.put('providers', { ...record, enabled: isEnabled });
        checkAdminRemains(hadAdmin, transaction);
      });
      return find(id);
    },
    /**
     * @param options  `withAccounts`: removes the accounts that have come from there too
     * @returns how many accounts were removed
     * @throws {ProblemError} `not_found`; `conflict` while it has accounts, or when nobody could administer any more
     */
    remove: (id: string, { withAccounts = false } = {}): Promise<number> =>
      registry.update((transaction) => {
        const hadAdmin = hasAdmin(transaction);
        if (!transaction.remove('providers', id)) unknownProvider();
        const held = accountsOf(transaction, id);
        if (held.length > 0 && !withAccounts) throw hasAccounts(id, held.length);
        for (const account of held) transaction.remove('users', account.id);
        checkAdminRemains(hadAdmin, transaction);
        return held.length;
      }),
  };

  /** @throws {ProblemError} `not_found` */
  function find(id: string): ListedProvider {
    return listed(registry.get('providers', id) ?? unknownProvider());
  }

  function listed(record: ProviderRecord): ListedProvider {
    const accounts = accountsOf(registry, record.id).length;
    try {
      return { id: record.id, provider: openProvider(record, cipher), accounts };
    } catch (error) {
      if (!(error instanceof ProviderRecordError)) throw error;
      return { id: record.id, problem: error.message, accounts };
    }
  }

  function readable(record: ProviderRecord): Provider {
    const { provider, problem = '' } = listed(record);
    if (provider) return provider;
    throw conflict(`The record of ${record.id} cannot be used: ${problem}. Remove it and add it anew.`);
  }

  /** @throws {ProblemError} `invalid_request` for what no field of a record may hold */
  function recordOf(provider: Provider): ProviderRecord {
    try {
      return encryptProvider(provider, cipher);
    } catch (cause) {
      if (!(cause instanceof ProviderRecordError)) throw cause;
      throw new ProblemError(problems.invalidRequest, `The provider is ${cause.message}.`, { cause });
    }
  }
}

function rolesGivenBy({ roleRules: { rules, defaultRole } }: Provider): readonly string[] {
  return [...rules.map(({ role }) => role), ...(defaultRole === undefined ? [] : [defaultRole])];
}

function accountsOf(source: Pick<RegistryTransaction, 'all'>, id: string): readonly UserRecord[] {
  return [...source.all('users').values()].filter(({ federated }) => federated?.provider === id);
}

function checkIsFree(transaction: RegistryTransaction, id: string): void {
  if (transaction.get('providers', id)) throw conflict(`There is an identity provider ${id} already.`);
  const left = accountsOf(transaction, id).length;
  if (left === 0) return;
  throw conflict(
    `${count(left)} of an earlier provider ${id} still here, and would belong to this one: remove them, or take another id.`,
  );
}

function hasAccounts(id: string, held: number): ProblemError {
  return conflict(
    `${count(held)} of ${id} here. Disable it to keep them out and keep them; or remove them with it (--with-accounts).`,
  );
}

function count(accounts: number): string {
  return accounts === 1 ? '1 account is' : `${accounts} accounts are`;
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}

function unknownProvider(): never {
  throw new ProblemError(problems.notFound, 'There is no identity provider of this id.');
}
