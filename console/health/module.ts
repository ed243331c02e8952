/** Whether this process answers and should be asked: what the feature needs, what it gives, and its addresses. */
import type { Logger } from '../../platform/log.ts';
import type { EndpointRouter } from '../http/endpoints.ts';
import { createProbes, type Probes, type ProbesDeps } from './probes.ts';
import { createReadiness, type ReadinessDeps } from './readiness.ts';

export interface HealthNeeds extends Pick<ProbesDeps, 'isEquipped'> {
  /** Left out where nothing is written. */
  readonly storage?: Pick<ReadinessDeps, 'checkWritable' | 'onWriteFailure'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

export interface HealthModule {
  readonly drain: Probes['drain'];
  readonly isReady: Probes['isReady'];
  addEndpoints(router: EndpointRouter): void;
  /** Resolves when the store is not looked at any more. */
  close(): Promise<void>;
}

export function createHealthModule({ isEquipped, storage, log }: HealthNeeds): HealthModule {
  const store = storage && createReadiness({ ...storage, log, now: () => performance.now() });
  const probes = createProbes({ isEquipped, ...(store && { store }) });
  return {
    drain: probes.drain,
    isReady: probes.isReady,
    addEndpoints(router) {
      router.all('/live', probes.live);
      router.all('/ready', probes.ready);
    },
    async close() {
      await store?.close();
    },
  };
}
