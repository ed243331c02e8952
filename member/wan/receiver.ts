import type { Cluster } from '../cluster/cluster.ts';
import type { Maps } from '../data/maps.ts';
import type { MemberLog } from '../log.ts';
import type { WanChange } from './change.ts';
import { type Comparison, compare } from './comparison.ts';
import type { LeafLayer } from './digest.ts';
import type { Replications } from './replications.ts';

/** Takes what another cluster replicates to this one. */
export interface Receiver {
  /**
   * Makes the changes, in order. Those of maps that this member has no configuration for are left out, and the
   * log says so: to refuse them would hold up all others for ever.
   *
   * @param via  the clusters that they have passed
   * @returns whether all that could be made were; not when the memory is used up
   * @throws {OperationRefused} in a cluster state that permits no writes, and when a map's own WAN queue takes no more
   */
  apply(changes: readonly WanChange[], via: readonly string[]): Promise<boolean>;
  compare(map: string, layer: LeafLayer): Promise<Comparison>;
}

export interface ReceiverDeps {
  readonly maps: Maps;
  readonly cluster: Cluster;
  readonly replications: Pick<Replications, 'assertRoom' | 'passOn'>;
  readonly log: MemberLog;
}

export function createReceiver({ maps, cluster, replications, log }: ReceiverDeps): Receiver {
  const unknownMaps = new Set<string>();

  async function applyOne({ map, key, value }: WanChange): Promise<'made' | 'left out' | 'no memory'> {
    if (!maps.isConfigured(map)) {
      if (!unknownMaps.has(map) && unknownMaps.size < mostNamed) {
        unknownMaps.add(map);
        log.warn({ map }, 'changes of another cluster are left out: no configuration here matches this map');
      }
      return 'left out';
    }
    if (key === undefined) {
      for (const [each] of maps.entriesOf(map)) await maps.applyRemote(map, each, undefined);
      return 'made';
    }
    return (await maps.applyRemote(map, key, value)) === 'no memory' ? 'no memory' : 'made';
  }

  return {
    async apply(changes, via) {
      cluster.assertWritable('WAN replication');
      for (const change of changes) {
        replications.assertRoom(change.map);
        const outcome = await applyOne(change);
        if (outcome === 'no memory') return false;
        if (outcome === 'made') replications.passOn(change.map, change.key, via);
      }
      return true;
    },
    compare: (map, layer) => compare(() => maps.entriesOf(map), layer),
  };
}

/** Unknown maps that the log names, each once. */
const mostNamed = 100;
