/** `/live` and `/ready`: whether this process can answer, and whether it should be asked. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readiness } from './readiness.ts';

/** `/live` and `/ready` (S82): two different questions, neither answered with any detail. */
export type Probes = ReturnType<typeof createProbes>;

export interface ProbesDeps {
  /** Whether what the answers depend on is there: the keys that sign tokens, or that verify them. */
  readonly isEquipped: () => boolean;
  /** Whether the store can be written; left out where nothing is written. */
  readonly store?: Pick<Readiness, 'isReady'>;
}

export function createProbes({ isEquipped, store }: ProbesDeps) {
  let isDraining = false;

  return {
    isReady,
    live: (_req: IncomingMessage, res: ServerResponse): void => answer(res, 200),
    async ready(_req: IncomingMessage, res: ServerResponse) {
      answer(res, (await isReady()) ? 200 : 503);
    },
    /** From now on not ready: the process is about to stop. */
    drain() {
      isDraining = true;
    },
  };

  async function isReady(): Promise<boolean> {
    const isGood = !isDraining && isEquipped() && (!store || (await store.isReady()));
    return isGood && !isDraining;
  }
}

function answer(res: ServerResponse, status: 200 | 503): void {
  const body = status === 200 ? 'ok\n' : 'unavailable\n';
  res.writeHead(status, {
    'Content-Type': 'text/plain',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  res.end(body);
}
