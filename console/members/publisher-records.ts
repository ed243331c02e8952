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
  /** The last synchronization. */
  readonly lastSync?: DoneToPublisher | undefined;
  readonly lastCheck?: DoneToPublisher | undefined;
  /** By `host:port`, what a member was told last. */
  readonly members?: Readonly<Record<string, PublisherAtMember>> | undefined;
}

export interface PublisherAtMember {
  readonly state?: 'sending' | 'paused' | 'stopped' | undefined;
  /** Epoch milliseconds; of the state. */
  readonly since?: number | undefined;
  /** Epoch milliseconds: its queue was emptied. */
  readonly clearedAt?: number | undefined;
}

const recordId = 'called-publishers';
/** The ones called last stay. */
const mostPublishers = 200;
/** Of one publisher. Where members come and go under new addresses, the ones told last stay. */
const mostMembers = 50;
const statesAfter: Partial<Record<PublisherAct, 'sending' | 'paused' | 'stopped'>> = {
  paused: 'paused',
  resumed: 'sending',
  stopped: 'stopped',
};

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
        const after = {
          replication,
          publisher,
          last,
          ...startedAfter(before, last),
          members: membersAfter(before, last),
        };
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

function startedAfter(before: KnownPublisher | undefined, last: DoneToPublisher) {
  // Once there was one place for either.
  const all = [before?.lastSync, before?.lastCheck].filter((one) => one !== undefined);
  const [lastSync, lastCheck] = (['synced', 'checked'] as const).map((what) =>
    last.what === what ? last : all.find((one) => one.what === what),
  );
  return { ...(lastSync && { lastSync }), ...(lastCheck && { lastCheck }) };
}

function membersAfter(before: KnownPublisher | undefined, { what, at, members }: DoneToPublisher) {
  const all = { ...before?.members };
  const state = statesAfter[what];
  const change = state ? { state, since: at } : what === 'cleared' ? { clearedAt: at } : undefined;
  for (const member of change ? members : []) {
    const former = all[member];
    delete all[member];
    all[member] = { ...former, ...change };
  }
  return Object.fromEntries(Object.entries(all).slice(-mostMembers));
}
