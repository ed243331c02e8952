/** What of a call says how its map or queue is used. It is counted on the path of every call that has one. */

/** Of what is counted together: calls of one client to one map or queue, with one status. */
export interface ValueTally {
  found: number;
  missed: number;
  written: number;
  values: number;
  valueBytes: number;
  mostBytes: number;
}

export interface ValueCall {
  readonly method: string;
  readonly status: number;
  readonly structureAction: 'read' | 'write' | 'offer' | 'poll' | 'size' | undefined;
  readonly valueBytes: number | undefined;
}

export function newValueTally(): ValueTally {
  return { found: 0, missed: 0, written: 0, values: 0, valueBytes: 0, mostBytes: 0 };
}

/** A member says by 200 that there was an entry or an item, and by 204 that there was none. */
export function countValue(tally: ValueTally, call: ValueCall): void {
  const { method, status, structureAction } = call;
  if (method === 'HEAD' || (status !== 200 && status !== 204)) return;
  if (structureAction === 'read' || structureAction === 'poll') {
    if (status === 204) {
      tally.missed++;
      return;
    }
    tally.found++;
  } else if (structureAction === 'offer' || (structureAction === 'write' && method !== 'DELETE')) {
    tally.written++;
  } else return;
  // The item of a queue may stand in the path of an offer.
  if (call.valueBytes === undefined || structureAction === 'offer' || structureAction === 'poll') return;
  tally.values++;
  tally.valueBytes += call.valueBytes;
  if (call.valueBytes > tally.mostBytes) tally.mostBytes = call.valueBytes;
}
