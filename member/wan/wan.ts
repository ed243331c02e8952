/** WAN replication: sends changes of maps to other clusters, and takes those of others. */
import type { Cluster } from '../cluster/cluster.ts';
import type { MapConfig, MemberConfig } from '../config/config.ts';
import type { Maps } from '../data/maps.ts';
import type { Memory } from '../data/memory.ts';
import type { MemberLog } from '../log.ts';
import { createBodyReader, type ReadBody } from '../request-body.ts';
import { createReceiver, type Receiver } from './receiver.ts';
import { createReplications, type Replications } from './replications.ts';

/** Replication to other clusters and from them. */
export interface Wan {
  readonly replications: Replications;
  readonly receiver: Receiver;
  /** Reads what a publisher sends. */
  readonly readBatch: ReadBody;
  /** Levels of a map's Merkle tree; `undefined` when it has none. */
  readonly merkleDepthOf: (map: string) => number | undefined;
}

export interface WanDeps {
  readonly config: Pick<MemberConfig, 'clusterName' | 'wanReplications' | 'security' | 'limits'>;
  /** The configuration that matches a map's name now. */
  readonly mapConfigOf: (map: string) => MapConfig | undefined;
  readonly maps: Maps;
  readonly cluster: Cluster;
  readonly memory: Memory;
  readonly log: MemberLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Names and lengths around the largest value that a member takes, or around the values of one request. */
const frameBytes = 1024 * 1024;

export function createWan({ config, mapConfigOf, maps, cluster, memory, log, now }: WanDeps): Wan {
  const { clusterName, wanReplications, security, limits } = config;
  const replications = createReplications({
    configured: wanReplications,
    clusterName,
    identity: security.identity,
    mapConfigOf,
    maps,
    log,
    now,
  });
  // What could not be read with no data at all is too large (413), and not a matter of memory (503): it never fits.
  const limitBytes = Math.min(limits.bodyBytes + frameBytes, limits.memoryBytes);
  return {
    replications,
    receiver: createReceiver({ maps, limits, cluster, replications, log }),
    readBatch: createBodyReader({ limitBytes, memory }),
    merkleDepthOf(map) {
      const tree = mapConfigOf(map)?.merkleTree;
      return tree?.enabled ? tree.depth : undefined;
    },
  };
}
