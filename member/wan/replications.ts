import type { AddedPublishers } from '../config/changes/config-changes.ts';
import type { MapConfig, WanPublisherConfig, WanReplicationConfig } from '../config/config.ts';
import type { Maps } from '../data/maps.ts';
import type { MemberLog } from '../log.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { createPublisher } from './publisher.ts';
import { createSynchronizations, type Destination, type Synchronizations } from './synchronizations.ts';
import { createTarget, type TargetCredentials } from './target.ts';

/** The WAN replications of this member: what goes where, and what is done about it. */
export interface Replications {
  /** @throws {OperationFailedError} when there is no such replication or publisher */
  find(replicationName: string, publisherId: string): Destination;
  /** Whether there is a replication of this name. */
  has(replicationName: string): boolean;
  /** The maps that are replicated by this name, of those that hold entries. */
  mapsOf(replicationName: string): readonly string[];
  isReplicated(map: string, replicationName: string): boolean;
  readonly synchronizations: Synchronizations;
  /**
   * Adds publishers while the member runs; those whose id is there already stay as they are.
   *
   * @returns the ids, by what became of them
   */
  add(replication: WanReplicationConfig): AddedPublishers;
  /** The ids that `add` would add. */
  newIn(replication: WanReplicationConfig): readonly string[];
  /** Of all replications. */
  readonly publisherCount: number;
  /**
   * @throws {OperationFailedError} when a change of `map` could not be queued, and its publisher is configured to
   *   refuse the write then
   */
  assertRoom(map: string): void;
  /**
   * Takes changes that another cluster made: they go on to third ones where republishing is enabled.
   *
   * @param via  the clusters that all of them have passed
   */
  passerOn(via: readonly string[]): PassOn;
  close(): Promise<void>;
}

export type PassOn = (map: string, key: string | undefined) => void;

export interface ReplicationsDeps {
  readonly configured: ReadonlyMap<string, WanReplicationConfig>;
  readonly clusterName: string;
  /** What this member says to a secured cluster; `undefined`: the target's name and no password. */
  readonly identity: TargetCredentials | undefined;
  /** The configuration that matches a map's name now. */
  readonly mapConfigOf: (map: string) => MapConfig | undefined;
  readonly maps: Maps;
  readonly log: MemberLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createReplications(deps: ReplicationsDeps): Replications {
  const { configured, clusterName, identity, mapConfigOf, maps, log, now } = deps;
  const replications = new Map<string, Map<string, Destination>>();
  const synchronizations = createSynchronizations({ maps, log, now });
  let stopListening: (() => void) | undefined;

  for (const replication of configured.values()) add(replication);

  function add({ name, publishers }: WanReplicationConfig): AddedPublishers {
    const known = replications.get(name) ?? new Map<string, Destination>();
    const addedPublisherIds = newIn({ name, publishers });
    const ignoredPublisherIds = [...publishers.keys()].filter((id) => known.has(id));
    for (const id of addedPublisherIds) known.set(id, open(name, publishers.get(id)!));
    // A replication is its publishers: without one it is not there, and whoever configures it later adds it.
    if (known.size > 0) {
      replications.set(name, known);
      // Maps tell nobody of their changes until there is somewhere to send them.
      stopListening ??= maps.onChange((map, key) => publish(map, key));
    }
    return { addedPublisherIds, ignoredPublisherIds };
  }

  function newIn({ name, publishers }: WanReplicationConfig): readonly string[] {
    const known = replications.get(name);
    return [...publishers.keys()].filter((id) => !known?.has(id));
  }

  function open(replicationName: string, config: WanPublisherConfig): Destination {
    const target = createTarget(config, identity ?? { name: config.clusterName, password: '' });
    const read = maps.peek;
    const publisher = createPublisher({ config, target, clusterName, read, log });
    return { replicationName, publisher, target };
  }

  function publish(map: string, key: string | undefined): void {
    synchronizations.recordChange(map, key);
    for (const { publisher } of destinationsOf(map, () => true))
      publisher.offer({ map, key, via: [clusterName] });
  }

  function* destinationsOf(
    map: string,
    isMeant: (ref: MapConfig['wanReplicationRefs'][number]) => boolean,
  ): Generator<Destination, void> {
    for (const ref of mapConfigOf(map)?.wanReplicationRefs ?? []) {
      if (isMeant(ref)) yield* replications.get(ref.name)?.values() ?? [];
    }
  }

  function isReplicated(map: string, replicationName: string): boolean {
    return mapConfigOf(map)?.wanReplicationRefs.some(({ name }) => name === replicationName) ?? false;
  }

  return {
    synchronizations,
    add,
    newIn,
    isReplicated,
    get publisherCount() {
      return [...replications.values()].reduce((sum, { size }) => sum + size, 0);
    },
    has: (replicationName) => replications.has(replicationName),

    find(replicationName, publisherId) {
      const publishers = replications.get(replicationName);
      if (publishers === undefined)
        throw new OperationFailedError('there is no WAN replication of this name');
      const destination = publishers.get(publisherId);
      if (destination === undefined)
        throw new OperationFailedError('the WAN replication has no publisher of this id');
      return destination;
    },

    mapsOf: (replicationName) => [...maps.names()].filter((map) => isReplicated(map, replicationName)),

    assertRoom(map) {
      if (stopListening === undefined) return;
      for (const { publisher, replicationName } of destinationsOf(map, () => true)) {
        if (!publisher.rejectsWrites) continue;
        throw new OperationFailedError(
          `the queue of WAN publisher ${publisher.config.publisherId} (${replicationName}) is full`,
        );
      }
    },

    passerOn(passed) {
      const via = [...passed, clusterName]; // one list for all: it stays in the queues with each change
      return (map, key) => {
        if (stopListening === undefined) return;
        synchronizations.recordChange(map, key);
        for (const { publisher } of destinationsOf(map, ({ republishingEnabled }) => republishingEnabled)) {
          if (!passed.includes(publisher.config.clusterName)) publisher.offer({ map, key, via });
        }
      };
    },

    async close() {
      stopListening?.();
      const all = [...replications.values()].flatMap((publishers) => [...publishers.values()]);
      await Promise.all(all.map(({ publisher }) => publisher.close()));
    },
  };
}
