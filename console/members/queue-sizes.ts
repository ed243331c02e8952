/**
 * How many items queues have, for their history: members are asked for those that were called through this console within the
 * hour, each once a minute, one after another over the minute.
 */
import type { AskMember } from '../../platform/member-call.ts';

export interface QueueSizesDeps {
  readonly ask: AskMember;
  /** Over how long the questions of one minute are spread, milliseconds; what is left of the minute is for answers. */
  readonly overMs?: number;
}

export interface QueueSizes {
  /** As they were answered since this was asked last, by `queue:jobs`. */
  takeSizes(): ReadonlyMap<string, number>;
  /** Takes in what was called in a minute, and begins to ask for the next. @param minute  since 1970 */
  onQueues(ids: readonly string[], minute: number): void;
  close(): void;
}

const mostQueues = 200;
const quietMinutes = 60;

export function createQueueSizes({ ask, overMs = 50_000 }: QueueSizesDeps): QueueSizes {
  /** With the minute of the last call, the one that was called longest ago first. */
  const called = new Map<string, number>();
  let sizes = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  return {
    takeSizes() {
      const taken = sizes;
      sizes = new Map();
      return taken;
    },
    onQueues(ids, minute) {
      for (const id of ids) {
        called.delete(id);
        called.set(id, minute);
      }
      for (const [id, last] of called) {
        if (called.size > mostQueues || minute - last >= quietMinutes) called.delete(id);
      }
      clearTimeout(timer);
      askNext([...called.keys()], 0);
    },
    close: () => clearTimeout(timer),
  };

  function askNext(ids: readonly string[], at: number): void {
    const id = ids[at];
    if (id === undefined) return;
    void askOne(id);
    timer = setTimeout(() => askNext(ids, at + 1), overMs / ids.length).unref();
  }

  /** A member that does not say leaves a hole. */
  async function askOne(id: string): Promise<void> {
    const name = encodeURIComponent(id.slice('queue:'.length));
    const path = `/rest/queues/${name}/size`;
    const reply = await ask({ method: 'GET', path, mostBytes: 100 }).catch(() => undefined);
    const size = reply?.bytes.toString('latin1').trim() ?? '';
    if (reply?.status === 200 && /^\d{1,10}$/.test(size)) sizes.set(id, Number(size));
  }
}
