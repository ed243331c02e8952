/** Who has a role, and how it is taken from all of them before it goes, or before another of its name comes. */
import { pagesOfClients, pagesOfUsers } from '../storage/record-lists.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import { endsBetween } from './elevations/elevation-record.ts';
import { clientValidFrom } from './validity.ts';
import { putVoidMark, voidMarkSeconds } from './void-marks.ts';
import type { AccountRecords, AccountTransaction } from './voiding.ts';

/** Users who have a role. */
export interface RoleHolders {
  /** In order; of many, the first hundred that were found. */
  readonly names: readonly string[];
  readonly count: number;
  /** Elevations that ended with the role, as the audit says it. */
  readonly ended?: ReturnType<typeof endsBetween>;
}

/** Names that are given of those who have a role. */
export const mostNamed = 100;

export interface RoleHoldersDeps {
  readonly records: AccountRecords;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createRoleHolders({ records, now }: RoleHoldersDeps) {
  return {
    async holdersOf(name: string): Promise<RoleHolders> {
      const { records: first } = await records.users({ role: name, limit: mostNamed });
      const count = await records.count('users', { role: name });
      return { names: namesOf(first), count };
    },
    takeFromAll,
  };

  /** A page at a time: each page has lost it, and what it opened, before the next one is read. */
  async function takeFromAll(name: string): Promise<RoleHolders> {
    const first: UserRecord[] = [];
    let count = 0;
    for await (const page of pagesOfUsers(records, { role: name })) {
      const taken = await records.change((transaction) => takeFromUsers(transaction, page, name));
      count += taken.length;
      first.push(...taken.slice(0, mostNamed - first.length));
    }
    const ended: ReturnType<typeof endsBetween> = [];
    for await (const page of pagesOfUsers(records, { eligibleRole: name })) {
      ended.push(...(await records.change((transaction) => takeFromEligible(transaction, page, name))));
    }
    for await (const page of pagesOfClients(records, name)) {
      await records.change((transaction) => takeFromCeilings(transaction, page, name));
    }
    return { names: namesOf(first), count, ended };
  }

  async function takeFromUsers(
    transaction: AccountTransaction,
    page: readonly UserRecord[],
    name: string,
  ): Promise<readonly UserRecord[]> {
    const taken: UserRecord[] = [];
    for (const { id } of page) {
      const user = await transaction.get('users', id);
      if (!user?.roles.includes(name)) continue;
      transaction.put('users', { ...user, roles: user.roles.filter((role) => role !== name) });
      taken.push(user);
    }
    return taken;
  }

  /** Who may take it would one day take another of the same name. */
  async function takeFromEligible(
    transaction: AccountTransaction,
    page: readonly UserRecord[],
    name: string,
  ): Promise<ReturnType<typeof endsBetween>> {
    const ended: ReturnType<typeof endsBetween> = [];
    for (const { id } of page) {
      const user = await transaction.get('users', id);
      if (!user?.eligibleRoles?.includes(name)) continue;
      const { eligibleRoles, ...rest } = user;
      const left = eligibleRoles.filter((role) => role !== name);
      transaction.put('users', left.length === 0 ? rest : { ...rest, eligibleRoles: left });
      ended.push(...endsBetween(user, await transaction.get('users', id)));
    }
    return ended;
  }

  /** An application that gets at most this role would one day get another of the same name. */
  async function takeFromCeilings(
    transaction: AccountTransaction,
    page: readonly ClientRecord[],
    name: string,
  ): Promise<void> {
    for (const { id } of page) {
      const client = await transaction.get('clients', id);
      if (!client?.maxRoles?.includes(name)) continue;
      const maxRoles = client.maxRoles.filter((role) => role !== name);
      const tokensValidFrom = clientValidFrom(client, now());
      transaction.put('clients', { ...client, maxRoles, tokensValidFrom });
      const from = tokensValidFrom / 1000;
      putVoidMark(transaction, { party: 'client', id, from, until: from + voidMarkSeconds });
    }
  }
}

function namesOf(users: readonly UserRecord[]): readonly string[] {
  return users.map(({ username }) => username).sort();
}
