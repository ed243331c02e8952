import { z } from 'zod';
import { nodeCountOf } from '../licence-key.ts';
import { advancedNetwork, network } from './schema/network.ts';
import { bytes, count, millis, seconds, section, size, text } from './schema/parts.ts';
import { security } from './schema/security.ts';
import { maps, queues } from './schema/structures.ts';
import { wanReplications } from './schema/wan.ts';

const persistence = section({
  enabled: z.boolean().optional(),
  'base-dir': text.optional(),
  'backup-dir': text.optional(),
  'validation-timeout-seconds': count.optional(),
  durability: z.enum(['sync', 'periodic']).optional(),
  'period-millis': millis.max(60_000).optional(),
});

const cpSubsystem = section({
  'cp-member-count': size.optional(),
  'session-time-to-live-seconds': seconds.min(1).optional(),
  'session-heartbeat-interval-seconds': seconds.min(1).optional(),
}).refine(
  (cp) => (cp['session-heartbeat-interval-seconds'] ?? 5) < (cp['session-time-to-live-seconds'] ?? 300),
  { error: 'must be less than session-time-to-live-seconds', path: ['session-heartbeat-interval-seconds'] },
);

/** The one section that a configuration has; everything in it may be left out. */
export const memberSection = section({
  'cluster-name': text.optional(),
  'instance-name': text.optional(),
  'license-key': text
    .refine((key) => nodeCountOf(key) !== undefined, {
      error: 'expected <name>#<number of members>Nodes#<letters and digits>',
    })
    .optional(),
  network: network.optional(),
  'advanced-network': advancedNetwork.optional(),
  security: security.optional(),
  map: maps.optional(),
  queue: queues.optional(),
  'wan-replication': wanReplications.optional(),
  'cp-subsystem': cpSubsystem.optional(),
  persistence: persistence.optional(),
  'hot-restart-persistence': persistence.optional(),
  'dynamic-configuration': section({
    'persistence-enabled': z.boolean().optional(),
    'backup-dir': text.optional(),
    'backup-count': count.optional(),
  }).optional(),
  limits: section({
    'body-bytes': bytes.optional(),
    'key-bytes': bytes.optional(),
    'memory-bytes': bytes.optional(),
    'poll-seconds': z.int().min(1).max(2_000_000).optional(),
    'waiters-per-queue': count.optional(),
    waiters: count.optional(),
    structures: count.optional(),
  }).optional(),
}).refine((member) => member.persistence === undefined || member['hot-restart-persistence'] === undefined, {
  error: 'hot-restart-persistence is the former name of persistence: keep one',
  path: ['hot-restart-persistence'],
});

/** What a member configuration may hold. */
export type MemberSection = z.infer<typeof memberSection>;
