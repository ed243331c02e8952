import type { Cluster } from '../cluster/cluster.ts';
import type { Maps, PutOutcome } from '../data/maps.ts';
import type { StoredValue } from '../data/values.ts';
import { replyEmpty, replyNoContent, replyValue } from '../replies.ts';
import type { ReadBody } from '../request-body.ts';
import type { Call, Route } from '../router.ts';
import { isStorableType } from '../storable-type.ts';
import type { Replications } from '../wan/replications.ts';
import { contentTypeOf } from './content-type.ts';
import { durableWrite } from './durable-write.ts';

export interface MapEndpointsDeps {
  readonly maps: Maps;
  readonly cluster: Pick<Cluster, 'assertWritable'>;
  readonly replications: Pick<Replications, 'assertRoom'>;
  readonly readBody: ReadBody;
}

/**
 * Map entries over HTTP (docs/member-surface.md#maps). A name that no map configuration matches is 400, a write to a
 * passive cluster or one whose WAN queue takes no more 500 (docs/member-surface.md#cluster-states), one that finds no room in
 * memory or on the disk 503.
 */
export function createMapRoutes({
  maps,
  cluster,
  replications,
  readBody,
}: MapEndpointsDeps): readonly Route[] {
  /** Creates or updates. */
  function putEntry(call: Call, map: string, key: string) {
    const contentType = contentTypeOf(call.req);
    if (!isStorableType(contentType)) return replyEmpty(call.res, 400);
    if (!maps.isConfigured(map)) return unconfigured(call);
    cluster.assertWritable('map put');
    return readBody(call).then((bytes) => bytes && put(call, map, key, { bytes, contentType }));
  }

  function put(call: Call, map: string, key: string, value: StoredValue): void | Promise<void> {
    replications.assertRoom(map);
    const outcome = maps.put(map, key, value);
    if (typeof outcome === 'string') return replyPut(call, outcome);
    return durableWrite(call, async () => replyPut(call, await outcome));
  }

  function replyPut({ res }: Call, outcome: PutOutcome): void {
    replyEmpty(res, outcome === 'stored' ? 200 : 503);
  }

  /** The bytes and the MIME type as stored; 204 for no mapping. */
  function getEntry(call: Call, map: string, key: string) {
    const value = maps.find(map, key);
    if (value !== undefined) return replyValue(call.res, value);
    if (!maps.isConfigured(map)) return unconfigured(call);
    replyNoContent(call.res);
  }

  /** 200 whether or not the key had a mapping. */
  function removeEntry(call: Call, map: string, key: string) {
    if (!maps.isConfigured(map)) return unconfigured(call);
    cluster.assertWritable('map remove');
    replications.assertRoom(map);
    return answerRemoval(call, maps.remove(map, key));
  }

  /** The key left out, slash included, removes all entries. */
  function clearMap(call: Call, map: string) {
    if (!maps.isConfigured(map)) return unconfigured(call);
    cluster.assertWritable('map clear');
    replications.assertRoom(map);
    return answerRemoval(call, maps.clear(map));
  }

  function answerRemoval(call: Call, removal: void | Promise<void>): void | Promise<void> {
    if (removal === undefined) return replyEmpty(call.res, 200);
    return durableWrite(call, async () => {
      await removal;
      replyEmpty(call.res, 200);
    });
  }

  /**
   * `DELETE /maps/m/` names the entry with the empty key, as in the real engine. No entry has that
   * key, so nothing is removed; above all it is no clear. The real engine's HEAD is 200 without a look at the entry.
   */
  function doNothing({ res }: Call, map: string) {
    replyEmpty(res, maps.isConfigured(map) ? 200 : 400);
  }

  function unconfigured(call: Call) {
    call.rejection = 'no map of the configuration has this name, or a pattern that matches it';
    replyEmpty(call.res, 400);
  }

  /** A path that ends before the key, or before the map. */
  function missingKey({ res }: Call) {
    replyEmpty(res, 400);
  }

  return [
    { method: 'POST', template: 'rest/maps/{map}/{key...}', group: 'DATA', handler: putEntry },
    { method: 'GET', template: 'rest/maps/{map}/{key...}', group: 'DATA', handler: getEntry },
    { method: 'HEAD', template: 'rest/maps/{map}/{key...}', group: 'DATA', handler: doNothing },
    { method: 'DELETE', template: 'rest/maps/{map}/{key...}', group: 'DATA', handler: removeEntry },
    { method: 'DELETE', template: 'rest/maps/{map}', group: 'DATA', handler: clearMap },
    { method: 'DELETE', template: 'rest/maps/{map}/', group: 'DATA', handler: doNothing },
    { method: 'POST', template: 'rest/maps/{map}', group: 'DATA', handler: missingKey },
    { method: 'GET', template: 'rest/maps/{map}', group: 'DATA', handler: missingKey },
    { method: 'POST', template: 'rest/maps', group: 'DATA', handler: missingKey },
    { method: 'GET', template: 'rest/maps', group: 'DATA', handler: missingKey },
    { method: 'DELETE', template: 'rest/maps', group: 'DATA', handler: missingKey },
  ];
}
