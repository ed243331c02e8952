/** What is kept of members, and of what is called there. */
import type { Storage } from '../storage/storage.ts';
import { createCalledStructures } from './called-structures.ts';
import { createClientStructures } from './client-structures.ts';
import { createMemberRecords } from './member-records.ts';
import { createPublisherRecords } from './publisher-records.ts';

/** @param now  epoch milliseconds */
export function createMemberServices(
  { registry, records }: Pick<Storage, 'registry' | 'records'>,
  now: () => number,
) {
  return {
    memberRecords: createMemberRecords(registry),
    clientStructures: createClientStructures({ records }),
    calledStructures: createCalledStructures({ registry, now }),
    publisherRecords: createPublisherRecords(registry),
  };
}
