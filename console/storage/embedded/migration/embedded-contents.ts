/** An embedded store as it is moved to another engine: everything in it, as it lies there. */

import type { StoreContents, StoreItems, StorePage, StorePart } from '../../migration/store-contents.ts';
import { collections } from '../../records.ts';
import { type Registry, StorageRejectedError } from '../../storage.ts';
import type { Entry } from '../lmdb/artifact-entries.ts';
import type { Environment, LmdbKey } from '../lmdb/lmdb-environment.ts';
import { DamagedRecordError, decodeRecord } from '../lmdb/record-codec.ts';
import { openRecordDatabases, type StoredRecord } from '../lmdb/record-databases.ts';

const pageSize = 500;

/** The owner of the store has opened it. */
export interface OpenedStore {
  readonly environment: Environment;
  readonly registry: Pick<Registry, 'all'>;
  readonly close: () => Promise<void>;
}

export function embeddedContents({ environment, registry, close }: OpenedStore): StoreContents {
  const { meta } = openRecordDatabases(environment);

  function pageOf<V>(name: string, after: string | undefined) {
    const last = after === undefined ? undefined : (JSON.parse(after) as LmdbKey);
    const found = environment.read(() =>
      // The first is the last one of the page before.
      [...environment.bytes(name).under([], { limit: pageSize + 1, ...(last && { from: last }) })].map(
        ({ key, value }) => ({ key, value: whole<V>(name, key, value) }),
      ),
    );
    const entries = found
      .filter(({ key }) => last === undefined || key.join('\0') !== last.join('\0'))
      .slice(0, pageSize);
    const isOver = found.length <= pageSize;
    return { entries, ...(!isOver && { next: JSON.stringify(entries.at(-1)!.key) }) };
  }

  function artifactPage(after: string | undefined): StorePage<'artifacts'> {
    const { entries, ...rest } = pageOf<Entry>('artifacts', after);
    const items = entries.map(({ key, value: { uidOrder = 0, ...artifact } }) => ({
      kind: String(key[0]),
      key: String(key[1]),
      artifact,
      uidOrder,
    }));
    return { items, ...rest };
  }

  return {
    async page<P extends StorePart>(part: P, after: string | undefined) {
      if (part === 'registry') return { items: registryItems(registry) } as unknown as StorePage<P>;
      if (part === 'artifacts') return artifactPage(after) as unknown as StorePage<P>;
      const { entries, ...rest } = pageOf<StoredRecord<StoreItems[P]>>(part, after);
      return { items: entries.map(({ value }) => value.record), ...rest };
    },
    async size(part) {
      if (part === 'registry' || part === 'artifacts') return 0;
      return environment.read(() => meta.get(['count', part]) ?? 0);
    },
    // Nobody else can: this process owns it.
    async confirmUnused() {},
    close,
  };
}

function registryItems(registry: Pick<Registry, 'all'>): readonly StoreItems['registry'][] {
  return collections.flatMap((collection) =>
    [...registry.all(collection).values()].map((record) => ({ collection, record })),
  );
}

/** @throws {StorageRejectedError} `corrupt` */
function whole<V>(name: string, key: LmdbKey, value: Buffer): V {
  try {
    return decodeRecord<V>(key, value);
  } catch (cause) {
    if (!(cause instanceof DamagedRecordError)) throw cause;
    throw new StorageRejectedError(
      'corrupt',
      `${cause.message} (${name}): it cannot be moved. "npx console doctor --deep" names all that are; put a backup in ` +
        'place, or remove what it stands for, and begin again.',
      { cause },
    );
  }
}
