/** What is kept of members, and of what is called there. */
import type { Registry } from '../storage/storage.ts';
import { createCalledStructures } from './called-structures.ts';
import { createMemberRecords } from './member-records.ts';
import { createPublisherRecords } from './publisher-records.ts';

/** @param now  epoch milliseconds */
export function createMemberServices(registry: Registry, now: () => number) {
  return {
    memberRecords: createMemberRecords(registry),
    calledStructures: createCalledStructures({ registry, now }),
    publisherRecords: createPublisherRecords(registry),
  };
}
