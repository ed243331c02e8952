import { z } from 'zod';
import { endpointsIn } from '../target-endpoints.ts';
import { count, millis, named, section, text } from './parts.ts';

const endpoint = /^(?:\[[0-9A-Fa-f:.]+\]|[^\s,:[\]]+):([0-9]{1,5})$/;

/** `host:port`, joined by commas. */
export const targetEndpoints = text.refine(
  (list) =>
    endpointsIn(list).every((one) => {
      const port = Number(endpoint.exec(one)?.[1]);
      return port >= 1 && port <= 65_535;
    }),
  { error: 'expected host:port, several joined by commas' },
);

const batchPublisher = section({
  'cluster-name': text.optional(),
  'publisher-id': text.optional(),
  'batch-size': count.optional(),
  'batch-max-delay-millis': millis.optional(),
  'response-timeout-millis': millis.optional(),
  'acknowledge-type': z.enum(['ACK_ON_RECEIPT', 'ACK_ON_OPERATION_COMPLETE']).optional(),
  'initial-publisher-state': z.enum(['REPLICATING', 'PAUSED', 'STOPPED']).optional(),
  'snapshot-enabled': z.boolean().optional(),
  'queue-full-behavior': z
    .enum(['DISCARD_AFTER_MUTATION', 'THROW_EXCEPTION', 'THROW_EXCEPTION_ONLY_IF_REPLICATION_ACTIVE'])
    .optional(),
  'queue-capacity': count.optional(),
  'target-endpoints': targetEndpoints,
  sync: section({
    'consistency-check-strategy': z.enum(['NONE', 'MERKLE_TREES']).optional(),
  }).optional(),
});

const replication = section({
  'batch-publisher': named(text, batchPublisher).refine(
    (publishers) => Object.keys(publishers).length > 0,
    'at least one publisher',
  ),
}).superRefine((value, context) => {
  const ids = new Set<string>();
  for (const [key, publisher] of Object.entries(value['batch-publisher'])) {
    const id = publisher['publisher-id'] ?? key;
    if (ids.has(id)) {
      const message = `a second publisher with the id ${JSON.stringify(id)}`;
      context.addIssue({ code: 'custom', path: ['batch-publisher', key], message });
    }
    ids.add(id);
  }
});

export const wanReplications = named(text, replication);
