/** Entries of maps as a job reads them: by the operation that reads one, with its entry of the audit, at the rate of who has asked. */
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Audit } from '../../../platform/log.ts';
import { noEntry } from '../../admin-api/cluster/no-entry.ts';
import type { MapReadingInput, ReadCalls } from '../../jobs/map-readings.ts';
import type { ReadRow } from '../../jobs/read-rows.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';
import { actorNow } from './actor-now.ts';

/** So often it is tried whether the rate has room. */
const everyMs = 25;

/** @param members  as they are known now */
export function createReadCalls(services: Services, audit: Audit, members: KnownMembers): ReadCalls {
  const runAs = createRunAs(services, audit, members);
  return {
    async read({ map, actor }, jobId, key, signal) {
      await inRate(actor, signal);
      const request = { params: { map, key }, query: { first: '0' } };
      const about = { source: 'job', requestId: jobId };
      try {
        const { body } = await runAs('readMapEntry', request, await actorNow(actor, services), about);
        const { type, bytes } = body as Pick<ReadRow, 'type' | 'bytes'>;
        return { type, bytes };
      } catch (error) {
        if (isNoEntry(error)) return undefined;
        throw error;
      }
    },
  };

  /** As a call to the admin API counts, and as one through the proxy. Whoever can open the store has no rate. */
  async function inRate({ kind, id }: MapReadingInput['actor'], signal: AbortSignal): Promise<void> {
    if (kind === 'local') return;
    const wait = () => delay(everyMs, undefined, { signal });
    while (!services.callRate.countInBehind(id, 'reads')) await wait();
    while (!isDataCallCounted(id)) await wait();
  }

  function isDataCallCounted(id: string): boolean {
    try {
      members.countDataCall(id);
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.problem === problems.tooManyRequests) return false;
      throw error;
    }
  }
}

function isNoEntry(error: unknown): boolean {
  return error instanceof ProblemError && error.problem === problems.notFound && error.message === noEntry;
}
