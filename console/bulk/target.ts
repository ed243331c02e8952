/** What an import or export works on: the store of this process, or that of a running console. */

import { recordImportedHashes } from '../accounts/password-hashes/imported-hashes.ts';
import { isRole } from '../accounts/roles.ts';
import type { Obstacle } from '../storage/record-loader.ts';
import type { GrowingCollection, GrowingRecords } from '../storage/record-store.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import type { Storage } from '../storage/storage.ts';
import { fieldsOfClient, readClient } from './client-rows.ts';
import { type Allowed, RowError, shown } from './fields.ts';
import type { Fields } from './sources/source.ts';
import { fieldsOfUser, readUser } from './user-rows.ts';

/** Why a row was not, or would not be, added. */
export interface Objection {
  readonly reason: string;
  /** It is there already: by the same name, or as the same person of a provider. */
  readonly isThere?: boolean;
}

/** One for each row; null: none. Values that JSON has, since they travel. */
export type Objections = readonly (Objection | null)[];

export interface RowPage {
  readonly rows: readonly Fields[];
  /** Absent: this was the last one. */
  readonly next?: string;
}

export interface PageOfRows {
  readonly collection: GrowingCollection;
  readonly after?: string | undefined;
  readonly withHashes: boolean;
}

export interface BulkTarget {
  /** Whether somebody can administer the console. */
  hasAdministrator(): Promise<boolean>;
  /** What is in the way of these rows; nothing is written. */
  check(collection: GrowingCollection, rows: readonly Fields[]): Promise<Objections>;
  /** Adds those that nothing is in the way of, durably. @throws {StorageUnavailableError} some of them may be there */
  add(collection: GrowingCollection, rows: readonly Fields[]): Promise<Objections>;
  page(request: PageOfRows): Promise<RowPage>;
}

/** Rows in one call of {@link BulkTarget.check} and `add`: a running console reads them between two requests. */
export const rowsAtOnce = 500;

export interface BulkTargetDeps extends Pick<Allowed, 'newId' | 'now' | 'checkOutboundUrl'> {
  readonly storage: Pick<Storage, 'records' | 'loader' | 'registry'>;
  /** Others are served by this process meanwhile. */
  readonly isServing: boolean;
}

export function createBulkTarget(deps: BulkTargetDeps): BulkTarget {
  const { storage, isServing } = deps;
  const { records, loader, registry } = storage;
  const allowed: Allowed = {
    ...deps,
    isRole: (name) => isRole(name) || registry.get('roles', name) !== undefined,
    isProvider: (id) => registry.get('providers', id) !== undefined,
  };

  return {
    hasAdministrator: () => records.hasAdministrator(),
    check: (collection, rows) =>
      collection === 'users'
        ? decide(
            'users',
            readAll(rows, (row) => readUser(row, allowed)),
            (all) => loader.obstacles('users', all),
          )
        : decide(
            'clients',
            readAll(rows, (row) => readClient(row, allowed)),
            (all) => loader.obstacles('clients', all),
          ),
    add: (collection, rows) =>
      collection === 'users'
        ? decide(
            'users',
            readAll(rows, (row) => readUser(row, allowed)),
            addUsers,
          )
        : decide(
            'clients',
            readAll(rows, (row) => readClient(row, allowed)),
            (all) => load('clients', all),
          ),
    async page({ collection, after, withHashes }) {
      const request = { limit: rowsAtOnce, after };
      if (collection === 'users') {
        const { records: found, next } = await records.users(request);
        return rowPage(
          found.map((user) => fieldsOfUser(user, withHashes)),
          next,
        );
      }
      const { records: found, next } = await records.clients(request);
      return rowPage(
        found.map((client) => fieldsOfClient(client, withHashes)),
        next,
      );
    },
  };

  async function addUsers(users: readonly UserRecord[]) {
    await recordImportedHashes(
      registry,
      users.map(({ passwordHash }) => passwordHash),
    );
    return load('users', users);
  }

  async function load<C extends GrowingCollection>(collection: C, all: readonly GrowingRecords[C][]) {
    const obstacles: (Obstacle | undefined)[] = all.map(() => undefined);
    await loader.load(collection, all, {
      isServing,
      onLeftOut(index, obstacle) {
        obstacles[index] = obstacle;
      },
    });
    return obstacles;
  }

  /** Of the rows that could be read, in their order, what is in the way of each. */
  async function decide<C extends GrowingCollection>(
    collection: C,
    read: readonly (GrowingRecords[C] | Objection)[],
    ask: (all: readonly GrowingRecords[C][]) => Promise<readonly (Obstacle | undefined)[]>,
  ): Promise<Objections> {
    const valid = read.filter((one): one is GrowingRecords[C] => !isObjection(one));
    const obstacles = valid.length === 0 ? [] : await ask(valid);
    let at = 0;
    const objections: (Objection | null)[] = [];
    for (const one of read) {
      if (isObjection(one)) objections.push(one);
      else {
        const obstacle = obstacles[at++];
        objections.push(obstacle ? await explain(collection, one, obstacle) : null);
      }
    }
    return objections;
  }

  async function explain(
    collection: GrowingCollection,
    record: UserRecord | ClientRecord,
    obstacle: Obstacle,
  ): Promise<Objection> {
    if (collection === 'clients') return explainClient(record as ClientRecord);
    const user = record as UserRecord;
    const name = shown(user.username);
    const known = await records.userByName(user.username);
    if (known) return { reason: `there is a user ${name} already`, isThere: true };
    if (obstacle === 'id') return { reason: `somebody or some client has the id of ${name}` };
    if (obstacle === 'link') {
      return {
        reason: `the person of the identity provider has an account already, by another name than ${name}`,
      };
    }
    return { reason: `the name ${name} looks like that of a user or client that is there` };
  }

  async function explainClient({ id }: ClientRecord): Promise<Objection> {
    if (await records.get('clients', id))
      return { reason: `there is a client ${shown(id)} already`, isThere: true };
    return { reason: `the id ${shown(id)} is that of a user or client that is there, or looks like it` };
  }
}

function readAll<R>(rows: readonly Fields[], read: (row: Fields) => R): readonly (R | Objection)[] {
  return rows.map((row) => {
    try {
      return read(row);
    } catch (error) {
      if (error instanceof RowError) return { reason: error.message };
      throw error;
    }
  });
}

function isObjection(one: object): one is Objection {
  return 'reason' in one;
}

function rowPage(rows: readonly Fields[], next: string | undefined): RowPage {
  return { rows, ...(next === undefined ? {} : { next }) };
}
