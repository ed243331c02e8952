/** What is kept of members, and of what is called there. */
import type { Storage } from '../storage/storage.ts';
import { type CalledKeysDeps, createCalledKeys } from './called-keys.ts';
import { createCalledStructures } from './called-structures.ts';
import { createClientStructures } from './client-structures.ts';
import { createConfiguredStructures } from './configured-structures.ts';
import { createMemberRecords } from './member-records.ts';
import { createPublisherRecords } from './publisher-records.ts';
import { createSentConfig, type SentConfigDeps } from './sent-config.ts';

/** @param now  epoch milliseconds */
export function createMemberServices(
  { registry, records, artifacts }: Pick<Storage, 'registry' | 'records' | 'artifacts'>,
  cipher: SentConfigDeps['cipher'],
  now: () => number,
  called: Omit<CalledKeysDeps, 'now'>,
) {
  const sentConfig = createSentConfig({ artifacts, cipher });
  return {
    memberRecords: createMemberRecords(registry),
    clientStructures: createClientStructures({ records }),
    calledStructures: createCalledStructures({ registry, now }),
    calledKeys: createCalledKeys({ ...called, now }),
    publisherRecords: createPublisherRecords(registry),
    sentConfig,
    configuredStructures: createConfiguredStructures(sentConfig),
  };
}
