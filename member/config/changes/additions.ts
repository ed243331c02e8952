import { inKebabCase, mapOf, queueOf, wanReplicationOf } from '../complete.ts';
import type { MapConfig, QueueConfig, WanPublisherConfig, WanReplicationConfig } from '../config.ts';
import type { MemberSection } from '../config-schema.ts';
import { isObject } from '../source-tree.ts';
import type { FileEdit } from './file-edits.ts';

/** A map, queue or WAN replication that a running member is asked to have, and how a file spells it. */
export type Addition = (
  | { readonly sectionName: 'map'; readonly config: MapConfig }
  | { readonly sectionName: 'queue'; readonly config: QueueConfig }
  | { readonly sectionName: 'wan-replication'; readonly config: WanReplicationConfig }
) & { readonly configName: string; readonly edit: FileEdit };

/** What of a section can be added at run time; the rest of it takes effect at the next start. */
export function additionsIn(section: MemberSection): readonly Addition[] {
  return [
    ...eachOf('map', section.map, mapOf),
    ...eachOf('queue', section.queue, queueOf),
    ...eachOf('wan-replication', section['wan-replication'], wanReplicationOf),
  ];
}

function eachOf<Name extends string, From, Config>(
  sectionName: Name,
  sections: Readonly<Record<string, From>> = {},
  convert: (from: From, configName: string) => Config,
) {
  return Object.entries(sections).map(([configName, value]) => {
    const edit = { path: [sectionName, configName], value };
    return { sectionName, configName, config: convert(value, configName), edit };
  });
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

function spell({ targetEndpoints, ...publisher }: WanPublisherConfig): object {
  return { ...(inFileSpelling(publisher) as object), 'target-endpoints': targetEndpoints.join(',') };
}

function inFileSpelling(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [inKebabCase(name), inFileSpelling(inner)]),
  );
}
