import { z } from 'zod';
import { endpointGroups } from '../../../platform/endpoint-groups.ts';
import { groupNamed } from '../endpoint-groups.ts';
import { count, named, section, text } from './parts.ts';

const noSuchGroup = `no such endpoint group; the groups are ${endpointGroups.join(', ')}`;

const groupName = z.string().refine((name) => groupNamed(name) !== undefined, { error: noSuchGroup });

/** The advanced network takes the exact names only, as the real engine does. */
const exactGroupName = z
  .string()
  .refine((name) => endpointGroups.some((group) => group === name), { error: `${noSuchGroup}, in capitals` });

const port = section({
  port: z.int().min(0).max(65_535).optional(),
  'auto-increment': z.boolean().optional(),
  'port-count': count.optional(),
});

const join = section({
  'tcp-ip': section({
    enabled: z.boolean().optional(),
    'member-list': z.array(text).max(1000).optional(),
    /** More of them: one, and several joined by commas. */
    member: text.optional(),
    members: text.optional(),
  }).optional(),
});

const groupSwitch = section({ enabled: z.boolean() });

export const network = section({
  port: port.optional(),
  join: join.optional(),
  'rest-api': section({
    enabled: z.boolean().optional(),
    'endpoint-groups': named(groupName, groupSwitch).optional(),
  }).optional(),
});

export const advancedNetwork = section({
  enabled: z.boolean().optional(),
  join: join.optional(),
  'member-server-socket-endpoint-config': section({ port: port.optional() }).optional(),
  'rest-server-socket-endpoint-config': section({
    port: port.optional(),
    'endpoint-groups': named(exactGroupName, groupSwitch).optional(),
  }).optional(),
});
