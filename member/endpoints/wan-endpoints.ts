import type { ConfigChanges } from '../config/changes/config-changes.ts';
import type { ManagementEndpoint, ManagementRoute } from '../management/management-route.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';
import type { PublisherState } from '../wan/publisher.ts';
import type { Replications } from '../wan/replications.ts';
import type { Destination } from '../wan/synchronizations.ts';

export interface WanEndpointsDeps {
  readonly managementRoute: ManagementRoute;
  readonly replications: Replications;
  readonly configChanges: Pick<ConfigChanges, 'addPublishers'>;
  /** Levels of a map's Merkle tree; `undefined` when it has none. */
  readonly merkleDepthOf: (map: string) => number | undefined;
}

/**
 * WAN replication control (docs/member-surface.md#wan; the replies that the specification does not show are the real engine's).
 * Whatever cannot be done is 500: an unknown replication, publisher, map or operation.
 */
export function createWanRoutes({
  managementRoute,
  replications,
  configChanges,
  merkleDepthOf,
}: WanEndpointsDeps): readonly Route[] {
  const { synchronizations } = replications;

  /** An endpoint that works on one publisher; `valueCount` counts what follows the publisher too. */
  function onPublisher(
    template: string,
    valueCount: number,
    handler: (call: Call, destination: Destination, ...more: readonly string[]) => void,
  ): Route {
    return wanRoute(template, valueCount, (call, [replicationName, publisherId, ...more]) =>
      handler(call, replications.find(replicationName!, publisherId!), ...more),
    );
  }

  function wanRoute(template: string, valueCount: number, handler: ManagementEndpoint['handler']): Route {
    return managementRoute({
      template: `rest/wan/${template}`,
      group: 'WAN',
      valueCount,
      handler,
    });
  }

  function setState(template: string, state: PublisherState, message: string): Route {
    return onPublisher(template, 4, ({ res }, { publisher }) => {
      publisher.setState(state);
      replyJson(res, success({ message }));
    });
  }

  function syncMap({ res }: Call, destination: Destination, map = ''): void {
    assertReplicated(map, destination);
    const uuid = synchronizations.sync(destination, [map]);
    replyJson(res, success({ message: 'Sync initiated', uuid }));
  }

  function syncAllMaps({ res }: Call, destination: Destination): void {
    const uuid = synchronizations.sync(destination, replications.mapsOf(destination.replicationName));
    replyJson(res, success({ message: 'Sync initiated', uuid }));
  }

  function checkMap({ res }: Call, destination: Destination, map = ''): void {
    assertReplicated(map, destination);
    const { sync, publisherId } = destination.publisher.config;
    const depth = merkleDepthOf(map);
    if (sync.consistencyCheckStrategy !== 'MERKLE_TREES' || depth === undefined) {
      throw new OperationFailedError(
        `a consistency check needs merkle-tree of the map and sync.consistency-check-strategy MERKLE_TREES of publisher ${publisherId}`,
      );
    }
    const uuid = synchronizations.check(destination, map, depth);
    replyJson(res, success({ message: 'Consistency check initiated', uuid }));
  }

  function assertReplicated(map: string, { replicationName }: Destination): void {
    if (replications.isReplicated(map, replicationName)) return;
    throw new OperationFailedError(`the map has no wan-replication-ref to ${replicationName}`);
  }

  /** docs/member-surface.md#wan; everybody who reaches the port may ask, as with every GET. */
  function showProgress({ res }: Call, uuid: string): void {
    const result = synchronizations.progressOf(uuid);
    if (result === undefined) throw new OperationFailedError('there is no WAN operation of this UUID');
    replyJson(res, success({ result }));
  }

  return [
    setState('pausePublisher', 'PAUSED', 'WAN publisher paused'),
    setState('stopPublisher', 'STOPPED', 'WAN publisher stopped'),
    setState('resumePublisher', 'REPLICATING', 'WAN publisher resumed'),
    onPublisher('clearWanQueues', 4, ({ res }, { publisher }) => {
      publisher.clear();
      replyJson(res, success({ message: 'WAN replication queues are cleared.' }));
    }),
    onPublisher('sync/map', 5, syncMap),
    onPublisher('sync/allmaps', 4, syncAllMaps),
    onPublisher('consistencyCheck/map', 5, checkMap),
    wanRoute('addWanConfig', 3, async ({ res }, [json]) => {
      // Loaded only here: the schema costs every start of the member otherwise.
      const { readWanConfig } = await import('../wan/wan-config.ts');
      const added = await configChanges.addPublishers(readWanConfig(json!));
      replyJson(res, success({ message: 'WAN configuration added.', ...added }));
    }),
    { method: 'GET', template: 'rest/wan/sync/progress/{uuid}', group: 'WAN', handler: showProgress },
  ];
}

function success(fields: object): string {
  return JSON.stringify({ status: 'success', ...fields });
}
