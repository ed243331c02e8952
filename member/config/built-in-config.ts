import type { MapConfig, MemberConfig, MemberLimits, PortConfig, QueueConfig } from './config.ts';
import { defaultGroups, type EndpointGroup } from './endpoint-groups.ts';

export const defaultMap: MapConfig = { timeToLiveSeconds: 0, maxIdleSeconds: 0 };

export const defaultQueue: QueueConfig = { maxSize: 0 };

export const defaultPort: PortConfig = { port: 5701, autoIncrement: true, portCount: 100 };

export const defaultLimits: MemberLimits = {
  bodyBytes: 10 * 1024 * 1024,
  keyBytes: 8 * 1024,
  memoryBytes: 512 * 1024 * 1024,
  pollSeconds: 3600,
  waitersPerQueue: 1000,
  waiters: 10_000,
};

/**
 * The configuration of a member that has no file: REST off for the stand-alone one (spec §1.2), on
 * for the embedded one. Maps and queues have the pattern `default`, which matches every name.
 */
export function builtInConfig({
  restEnabled = false,
  groups = defaultGroups,
}: {
  readonly restEnabled?: boolean;
  readonly groups?: readonly EndpointGroup[];
} = {}): MemberConfig {
  return {
    clusterName: 'dev',
    instanceName: undefined,
    port: defaultPort,
    rest: { enabled: restEnabled, groups },
    maps: new Map([['default', defaultMap]]),
    queues: new Map([['default', defaultQueue]]),
    limits: defaultLimits,
  };
}
