import type { Services } from '../../app/services.ts';
import { type BulkTarget, createBulkTarget } from '../../bulk/target.ts';
import { idsByTime } from '../../storage/time-ordered-id.ts';

/** @param options  `isServing`: others are served by this process meanwhile */
export function createBulkOf(
  { storage, now, outbound }: Pick<Services, 'storage' | 'now' | 'outbound'>,
  { isServing }: { readonly isServing: boolean },
): BulkTarget {
  const newId = idsByTime(now);
  return createBulkTarget({ storage, isServing, now, newId, checkOutboundUrl: outbound.check });
}
