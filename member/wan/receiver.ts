import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSerial } from '../../platform/async/serial.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { MemberLimits } from '../config/config.ts';
import type { Maps } from '../data/maps.ts';
import { costOfParts } from '../data/memory.ts';
import type { MemberLog } from '../log.ts';
import type { WanChange } from './change.ts';
import { type Comparison, compare } from './comparison.ts';
import type { LeafLayer } from './digest.ts';
import type { RejectedChanges, RejectedReason } from './rejected-changes.ts';
import type { Replications } from './replications.ts';

/** Takes what another cluster replicates to this one, one request after the other. */
export interface Receiver {
  /** Whether so many requests wait that no other one is taken. */
  readonly isFull: boolean;
  /**
   * The changes that this member can never hold: of maps that it has no configuration for, and over its limits. The
   * log says so. To refuse them would hold up all others for ever; the sender is told, and gives them up.
   */
  validate(changes: readonly WanChange[]): readonly RejectedChanges[];
  /**
   * Makes the changes, in order.
   *
   * @param changes  without those that {@link validate} finds
   * @param via  the clusters that they have passed
   * @returns whether all that could be made were; not when the memory is used up
   * @throws {OperationFailedError} in a cluster state that permits no writes, and when a map's own WAN queue takes no more
   * @throws {ChangeNotDurableError} when a change could not be persisted
   */
  apply(changes: readonly WanChange[], via: readonly string[]): Promise<boolean>;
  compare(map: string, layer: LeafLayer): Promise<Comparison>;
}

export interface ReceiverDeps {
  readonly maps: Maps;
  readonly limits: Pick<MemberLimits, 'keyBytes' | 'bodyBytes' | 'memoryBytes'>;
  readonly cluster: Cluster;
  readonly replications: Pick<Replications, 'assertRoom' | 'passerOn'>;
  readonly log: MemberLog;
}

export function createReceiver({ maps, limits, cluster, replications, log }: ReceiverDeps): Receiver {
  const leaveOut = createOmissions(log);
  let waiting = 0;
  const serial = createSerial();

  /** Who asks for an answer on receipt sends the next changes before these are made. */
  function serialized<T>(work: () => Promise<T>): Promise<T> {
    waiting += 1;
    return serial(work).finally(() => {
      waiting -= 1;
    });
  }

  function reasonAgainst({ map, key = '', value }: WanChange): RejectedReason | undefined {
    if (!maps.isConfigured(map)) return 'no configuration';
    if (Math.max(Buffer.byteLength(map), Buffer.byteLength(key)) > limits.keyBytes) return 'name too long';
    if (value === undefined) return undefined;
    const { bytes, contentType } = value;
    const isTooLarge =
      bytes.length > limits.bodyBytes || costOfParts(key, contentType, bytes.length) > limits.memoryBytes;
    return isTooLarge ? 'too large' : undefined;
  }

  return {
    get isFull() {
      return waiting >= mostWaiting;
    },

    validate(changes) {
      const rejected: RejectedChanges[] = [];
      for (const [index, change] of changes.entries()) {
        const reason = reasonAgainst(change);
        if (reason === undefined) continue;
        leaveOut(change.map, reason);
        rejected.push({ index, reason });
      }
      return rejected;
    },

    apply: (changes, via) =>
      serialized(async () => {
        cluster.assertWritable('WAN replication');
        const passOn = replications.passerOn(via);
        for (const slice of slicesOf(changes)) {
          for (const { map } of slice) replications.assertRoom(map);
          // Begun together, so that what is persisted shares a write; they are made in their order.
          const outcomes = await Promise.all(
            slice.map(({ map, key, value }) => maps.applyRemote(map, key, value)),
          );
          for (const [index, { map, key }] of slice.entries()) {
            if (outcomes[index] === 'stored') passOn(map, key);
          }
          if (outcomes.includes('no memory')) return false;
          await nextTurn(); // for the calls that wait
        }
        return true;
      }),

    compare: (map, layer) => serialized(() => compare(() => maps.entriesOf(map), layer)),
  };
}

const mostWaiting = 64;

function* slicesOf(changes: readonly WanChange[]): Generator<readonly WanChange[], void> {
  for (let from = 0; from < changes.length; from += changesPerTurn) {
    yield changes.slice(from, from + changesPerTurn);
  }
}

const changesPerTurn = 500;

/** Tells once for each map and reason that changes are left out. */
function createOmissions(log: MemberLog): (map: string, reason: RejectedReason) => void {
  const reported = new Set<string>();
  return function leaveOut(name, found) {
    const reason = inWords[found];
    const map = name.slice(0, longestNamed);
    const omission = `${reason}: ${map}`;
    if (reported.has(omission) || reported.size >= mostReported) return;
    reported.add(omission);
    log.warn({ map, reason }, 'changes of another cluster are left out');
  };
}

const inWords: Record<RejectedReason, string> = {
  'no configuration': 'no configuration here matches this map',
  'name too long': 'a name is longer than limits.key-bytes',
  'too large': 'a value is larger than limits.body-bytes, or limits.memory-bytes',
};

const mostReported = 100;
const longestNamed = 200;
