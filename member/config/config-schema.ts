import { z } from 'zod';
import { endpointGroups, groupNamed } from './endpoint-groups.ts';

/** What a member configuration file may hold; everything in it may be left out. */
export type ConfigFile = z.infer<typeof configFile>;

const seconds = z.int().min(0).max(2_147_483_647);
const bytes = z.int().min(1);
const count = z.int().min(1);

const structureName = z
  .string()
  .min(1)
  .refine((name) => name.split('*').length <= 2, { error: 'a name has at most one *' });

const groupName = z.string().refine((name) => groupNamed(name) !== undefined, {
  error: `no such endpoint group; the groups are ${endpointGroups.join(', ')}`,
});

const member = section({
  'cluster-name': z.string().min(1).optional(),
  'instance-name': z.string().min(1).optional(),
  network: section({
    port: section({
      port: z.int().min(0).max(65_535).optional(),
      'auto-increment': z.boolean().optional(),
      'port-count': count.optional(),
    }).optional(),
    'rest-api': section({
      enabled: z.boolean().optional(),
      'endpoint-groups': z.record(groupName, section({ enabled: z.boolean() })).optional(),
    }).optional(),
  }).optional(),
  map: z
    .record(
      structureName,
      section({ 'time-to-live-seconds': seconds.optional(), 'max-idle-seconds': seconds.optional() }),
    )
    .optional(),
  queue: z.record(structureName, section({ 'max-size': z.int().min(0).optional() })).optional(),
  limits: section({
    'body-bytes': bytes.optional(),
    'key-bytes': bytes.optional(),
    'memory-bytes': bytes.optional(),
    'poll-seconds': z.int().min(1).max(2_000_000).optional(),
    'waiters-per-queue': count.optional(),
    waiters: count.optional(),
  }).optional(),
});

/** The file as a whole: one top-level key, `svc` or the real engine's `hazelcast`. */
export const configFile = section({ svc: member.optional(), hazelcast: member.optional() }).refine(
  (file) => file.svc === undefined || file.hazelcast === undefined,
  { error: 'svc and hazelcast are two names of one section: keep one', path: ['hazelcast'] },
);

/** An object without unknown keys; `name:` with nothing after it is an empty one. */
function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((value) => value ?? {}, z.strictObject(shape));
}
