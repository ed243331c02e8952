/** Says of lists that are open in a browser whether there may be something new, without a look at the store. */
import type { Job } from '../../jobs/job.ts';
import type { ListVersions } from '../../pages/live/new-items.ts';
import type { AnnouncedKind } from '../../storage/storage.ts';
import type { Services } from '../services.ts';

export function createListVersions({
  storage: { artifacts },
  newestEntries,
}: Pick<Services, 'storage' | 'newestEntries'>): ListVersions {
  const counted = (kind: AnnouncedKind, isOther: (payload: object) => boolean = () => true) => {
    let version = 0;
    artifacts.onPut(kind, ({ payload }) => {
      if (isOther(payload)) version++;
    });
    return () => version;
  };
  return {
    audit: newestEntries.version,
    jobs: counted('Job', createIsOtherJob()),
    approvals: counted('Approval'),
  };
}

/** One that only gets on is in the same lists as before. */
function createIsOtherJob() {
  const running = new Set<string>();
  return (payload: object): boolean => {
    const { id, state } = payload as Pick<Job, 'id' | 'state'>;
    const wasRunning = running.has(id);
    if (state === 'running') running.add(id);
    else running.delete(id);
    return !(wasRunning && state === 'running');
  };
}
