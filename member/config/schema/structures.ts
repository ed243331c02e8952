import { z } from 'zod';
import { named, seconds, section, size, structureName, text } from './parts.ts';

const persistence = section({ enabled: z.boolean().optional(), fsync: z.boolean().optional() });

const eviction = section({
  'eviction-policy': z.enum(['NONE', 'LRU', 'LFU', 'RANDOM']).optional(),
  'max-size-policy': z
    .enum(['PER_NODE', 'USED_HEAP_SIZE', 'USED_HEAP_PERCENTAGE', 'FREE_HEAP_SIZE', 'FREE_HEAP_PERCENTAGE'])
    .optional(),
  size: size.optional(),
}).refine((value) => !value['max-size-policy']?.endsWith('PERCENTAGE') || (value.size ?? 0) <= 100, {
  error: 'a percentage is at most 100',
  path: ['size'],
});

const map = section({
  'time-to-live-seconds': seconds.optional(),
  'max-idle-seconds': seconds.optional(),
  eviction: eviction.optional(),
  'wan-replication-ref': named(text, section({ 'republishing-enabled': z.boolean().optional() })).optional(),
  'merkle-tree': section({
    enabled: z.boolean().optional(),
    depth: z.int().min(2).max(27).optional(),
  }).optional(),
  'data-persistence': persistence.optional(),
  'hot-restart': persistence.optional(),
}).refine((value) => value['data-persistence'] === undefined || value['hot-restart'] === undefined, {
  error: 'hot-restart is the former name of data-persistence: keep one',
  path: ['hot-restart'],
});

export const maps = named(structureName, map);

export const queues = named(structureName, section({ 'max-size': size.optional() }));
