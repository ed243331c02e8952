import type { JoinConfig, MapConfig, MemberConfig, QueueConfig } from '../config.ts';
import { createNamedConfigs, type NamedConfigs } from '../name-patterns.ts';

/** The part of the configuration that can grow while the member runs. */
export interface LiveConfig {
  readonly maps: NamedConfigs<MapConfig>;
  readonly queues: NamedConfigs<QueueConfig>;
  readonly join: JoinConfig;
  setMemberList(memberList: readonly string[]): void;
}

export function createLiveConfig({ maps, queues, join: configured }: MemberConfig): LiveConfig {
  let join = configured;
  return {
    maps: createNamedConfigs(maps),
    queues: createNamedConfigs(queues),
    get join() {
      return join;
    },
    setMemberList(memberList) {
      join = { ...join, memberList };
    },
  };
}
