import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import { complete } from './complete.ts';
import type { MemberConfig } from './config.ts';
import { defaultGroups } from './endpoint-groups.ts';

/**
 * The configuration of a member that has no file: REST off for the stand-alone one (docs/member-surface.md#endpoint-groups), on
 * for the embedded one. Maps and queues have the pattern `default`, which matches every name.
 */
export function builtInConfig({
  restEnabled = false,
  groups = defaultGroups,
}: {
  readonly restEnabled?: boolean;
  readonly groups?: readonly EndpointGroup[];
} = {}): MemberConfig {
  const config = complete({}, { source: undefined, notices: [] });
  return { ...config, rest: { enabled: restEnabled, groups, listener: undefined } };
}
