import { mapOf, queueOf, wanReplicationOf } from '../complete.ts';
import type { MapConfig, QueueConfig, WanPublisherConfig, WanReplicationConfig } from '../config.ts';
import type { MemberSection } from '../config-schema.ts';
import type { FileEdit } from './file-edits.ts';

/** A map, queue or WAN replication that a running member is asked to have, and how a file spells it. */
export type Addition = (
  | { readonly sectionName: 'map'; readonly config: MapConfig }
  | { readonly sectionName: 'queue'; readonly config: QueueConfig }
  | { readonly sectionName: 'wan-replication'; readonly config: WanReplicationConfig }
) & { readonly configName: string; readonly edit: FileEdit };

/** What of a section can be added at run time; the rest of it takes effect at the next start. */
export function additionsIn(section: MemberSection): readonly Addition[] {
  const additions: Addition[] = [];
  for (const [name, map] of Object.entries(section.map ?? {})) {
    additions.push({ sectionName: 'map', ...named('map', name, map), config: mapOf(map) });
  }
  for (const [name, queue] of Object.entries(section.queue ?? {})) {
    additions.push({ sectionName: 'queue', ...named('queue', name, queue), config: queueOf(queue) });
  }
  for (const [name, replication] of Object.entries(section['wan-replication'] ?? {})) {
    additions.push({
      sectionName: 'wan-replication',
      ...named('wan-replication', name, replication),
      config: wanReplicationOf(replication, name),
    });
  }
  return additions;
}

function named(section: string, name: string, value: unknown): Pick<Addition, 'configName' | 'edit'> {
  return { configName: name, edit: { path: [section, name], value } };
}

/** Publishers of a replication as a file spells them. */
export function publisherEdits(
  { name, publishers }: WanReplicationConfig,
  publisherIds: readonly string[],
): readonly FileEdit[] {
  return publisherIds.map((id) => ({
    path: ['wan-replication', name, 'batch-publisher', id],
    value: spell(publishers.get(id)!),
  }));
}

function spell(publisher: WanPublisherConfig): object {
  return {
    'publisher-id': publisher.publisherId,
    'cluster-name': publisher.clusterName,
    'batch-size': publisher.batchSize,
    'batch-max-delay-millis': publisher.batchMaxDelayMillis,
    'response-timeout-millis': publisher.responseTimeoutMillis,
    'acknowledge-type': publisher.acknowledgeType,
    'initial-publisher-state': publisher.initialPublisherState,
    'snapshot-enabled': publisher.snapshotEnabled,
    'queue-full-behavior': publisher.queueFullBehavior,
    'queue-capacity': publisher.queueCapacity,
    'target-endpoints': publisher.targetEndpoints.join(','),
    sync: { 'consistency-check-strategy': publisher.sync.consistencyCheckStrategy },
  };
}
