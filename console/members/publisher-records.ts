/** WAN publishers that this console was asked about: members tell none over REST (docs/admin-api.md#wan). */
import type { Registry } from '../storage/storage.ts';

export type PublisherAct = 'added' | 'paused' | 'resumed' | 'stopped' | 'cleared' | 'synced' | 'checked';

/** The last time that it was done through this console. */
export interface DoneToPublisher {
  readonly what: PublisherAct;
  /** Epoch milliseconds. */
  readonly at: number;
  /** `host:port` of the members that have done it. */
  readonly members: readonly string[];
  /** Of a synchronization or a check, which a member gives an id. */
  readonly sync?: string;
}

export interface KnownPublisher {
  readonly replication: string;
  readonly publisher: string;
  readonly last: DoneToPublisher;
  /** The last synchronization or check. */
  readonly lastSync?: DoneToPublisher | undefined;
}

const recordId = 'called-publishers';
/** The ones called last stay. */
const mostPublishers = 200;

export function createPublisherRecords(registry: Registry) {
  const all = (value = registry.get('settings', recordId)?.value) =>
    (value ?? []) as unknown as readonly KnownPublisher[];
  return {
    all: (): readonly KnownPublisher[] => all(),
    find: (replication: string, publisher: string): KnownPublisher | undefined =>
      all().find(isOf(replication, publisher)),
    async record(replication: string, publisher: string, last: DoneToPublisher): Promise<KnownPublisher> {
      return registry.update((transaction) => {
        const known = all(transaction.get('settings', recordId)?.value);
        const before = known.find(isOf(replication, publisher));
        const lastSync = last.sync === undefined ? before?.lastSync : last;
        const after = { replication, publisher, last, ...(lastSync && { lastSync }) };
        const others = known.filter((one) => one !== before);
        transaction.put('settings', { id: recordId, value: [after, ...others].slice(0, mostPublishers) });
        return after;
      });
    },
  };
}

function isOf(replication: string, publisher: string) {
  return (one: KnownPublisher) => one.replication === replication && one.publisher === publisher;
}
