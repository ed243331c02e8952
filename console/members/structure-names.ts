/** Which maps and queues are known by name: from what roles and clients may do, and from calls of the last 30 days. */

import type { RecordStore } from '../storage/record-store.ts';
import type { Registry } from '../storage/storage.ts';
import type { CalledStructures, StructureKind } from './called-structures.ts';

export interface KnownStructure {
  readonly id: string;
  /** Where the name comes from. */
  readonly sources: readonly ('roles' | 'clients' | 'calls')[];
  /** Epoch milliseconds, to the day. */
  readonly lastCallOn: number | undefined;
}

export interface StructureNamesDeps {
  readonly registry: Pick<Registry, 'all'>;
  readonly records: Pick<RecordStore, 'clients'>;
  readonly calledStructures: Pick<CalledStructures, 'list'>;
}

/** Clients that are looked at for one answer. */
const mostClients = 5_000;
const atOnce = 500;

export function createStructureNames({ registry, records, calledStructures }: StructureNamesDeps) {
  return {
    /** By name, in the order of their code units. */
    async list(
      kind: StructureKind,
    ): Promise<{ readonly items: readonly KnownStructure[]; readonly isExact: boolean }> {
      const { known, add } = collection();
      for (const { permissions } of registry.all('roles').values()) {
        for (const name of namesIn(permissions, kind)) add(name, 'roles');
      }
      let [after, left]: [string | undefined, number] = [undefined, mostClients];
      do {
        const page = await records.clients({ limit: atOnce, after });
        for (const { scopes } of page.records) for (const name of namesIn(scopes, kind)) add(name, 'clients');
        after = page.next;
        left -= atOnce;
      } while (after !== undefined && left > 0);
      const called = new Map(calledStructures.list(kind).map(({ name, lastCallOn }) => [name, lastCallOn]));
      for (const name of called.keys()) add(name, 'calls');
      const items = [...known].map(([id, sources]) => ({
        id,
        sources: [...sources],
        lastCallOn: called.get(id),
      }));
      items.sort((one, other) => (one.id < other.id ? -1 : 1));
      return { items, isExact: after === undefined };
    },
  };
}

function collection() {
  const known = new Map<string, Set<'roles' | 'clients' | 'calls'>>();
  return {
    known,
    add(name: string, source: 'roles' | 'clients' | 'calls') {
      known.set(name, (known.get(name) ?? new Set()).add(source));
    },
  };
}

/** Patterns name none. */
function namesIn(permissions: readonly string[], kind: StructureKind): readonly string[] {
  const start = `svc:${kind}:`;
  return permissions.flatMap((permission) => {
    const end = permission.lastIndexOf(':');
    const name = permission.startsWith(start) ? permission.slice(start.length, end) : '';
    return name === '' || name.endsWith('*') ? [] : [name];
  });
}
