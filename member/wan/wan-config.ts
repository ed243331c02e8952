import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';
import { filled } from '../config/complete.ts';
import { defaultPublisher, type WanPublisherConfig, type WanReplicationConfig } from '../config/config.ts';
import { count, millis, text } from '../config/schema/parts.ts';
import { targetEndpoints } from '../config/schema/wan.ts';
import { endpointsIn } from '../config/target-endpoints.ts';
import { OperationFailedError } from '../operation-failed.ts';

/** Numbers stand for these, in this order (docs/member-surface.md#wan). */
const acknowledgeTypes = ['ACK_ON_RECEIPT', 'ACK_ON_OPERATION_COMPLETE'] as const;
const publisherStates = ['REPLICATING', 'PAUSED', 'STOPPED'] as const;
const queueFullBehaviors = [
  'DISCARD_AFTER_MUTATION',
  'THROW_EXCEPTION',
  'THROW_EXCEPTION_ONLY_IF_REPLICATION_ACTIVE',
] as const;
const consistencyCheckStrategies = ['NONE', 'MERKLE_TREES'] as const;

function oneOf<T extends string>(names: readonly T[]) {
  return z
    .int()
    .min(0)
    .max(names.length - 1)
    .transform((index) => names[index]!)
    .nullish();
}

/** Ways to find targets that this member has not; `null` is as good as left out (docs/member-surface.md#wan). */
const discovery = z
  .unknown()
  .refine((given) => given == null, 'targets are not discovered here: targetEndpoints has them');

const batchPublisher = z.strictObject({
  clusterName: text.nullish(),
  publisherId: text.nullish(),
  batchSize: count.nullish(),
  batchMaxDelayMillis: millis.nullish(),
  responseTimeoutMillis: millis.nullish(),
  acknowledgeType: oneOf(acknowledgeTypes),
  initialPublisherState: oneOf(publisherStates),
  snapshotEnabled: z.boolean().nullish(),
  queueFullBehavior: oneOf(queueFullBehaviors),
  queueCapacity: count.nullish(),
  targetEndpoints, // there is nothing that could stand for them
  aws: discovery.optional(),
  gcp: discovery.optional(),
  azure: discovery.optional(),
  kubernetes: discovery.optional(),
  eureka: discovery.optional(),
  discovery: discovery.optional(),
  sync: z.strictObject({ consistencyCheckStrategy: oneOf(consistencyCheckStrategies) }).nullish(),
  // What the real engine takes here and this member has no use for.
  idleMaxParkNs: z.number().nullish(),
  idleMinParkNs: z.number().nullish(),
  maxConcurrentInvocations: z.number().nullish(),
  discoveryPeriodSeconds: z.number().nullish(),
  maxTargetEndpoints: z.number().nullish(),
  useEndpointPrivateAddress: z.boolean().nullish(),
  endpoint: z.string().nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});

const replication = z.strictObject({
  name: text,
  batchPublishers: z.array(batchPublisher).nullish(),
  customPublishers: z
    .array(z.unknown())
    .max(0, 'custom publishers are classes, which this member has none of')
    .nullish(),
  consumer: z.unknown().nullish(),
});

/**
 * Reads the JSON of addWanConfig (docs/member-surface.md#wan). What may be left out may be `null`; needed are what
 * has no default here: the replication's `name`, and of a publisher a name and `targetEndpoints`.
 *
 * @throws {OperationFailedError} with everything that is wrong with it
 */
export function readWanConfig(json: string): WanReplicationConfig {
  const given = parseJson(json);
  if (given === undefined) throw new OperationFailedError('the WAN configuration is no JSON');
  const checked = replication.safeParse(given);
  if (!checked.success) {
    const problems = checked.error.issues
      .slice(0, mostProblems)
      .map(({ path, message }) => `${path.join('.') || 'wanConfig'}: ${message}`);
    throw new OperationFailedError(`the WAN configuration cannot be used: ${problems.join('; ')}`);
  }
  const publishers = (checked.data.batchPublishers ?? []).map(publisherOf);
  if (new Set(publishers.map(({ publisherId }) => publisherId)).size < publishers.length) {
    throw new OperationFailedError('two publishers have the same publisherId');
  }
  return { name: checked.data.name, publishers: new Map(publishers.map((one) => [one.publisherId, one])) };
}

/** Who reads them mends the first ones first. */
const mostProblems = 20;

function publisherOf(given: z.infer<typeof batchPublisher>): WanPublisherConfig {
  const clusterName = given.clusterName ?? given.publisherId;
  if (clusterName == null) throw new OperationFailedError('a publisher needs a clusterName');
  return {
    ...filled(defaultPublisher, given, (name) => name),
    publisherId: given.publisherId ?? clusterName,
    clusterName,
    targetEndpoints: endpointsIn(given.targetEndpoints),
  };
}
