/** `/live` and `/ready`: whether this process can answer, and whether it should be asked. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readiness } from './readiness.ts';

/** `/live` and `/ready` (S82): two different questions, neither answered with any detail. */
export interface Probes {
  live(req: IncomingMessage, res: ServerResponse): void;
  ready(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** From now on not ready: the process is about to stop. */
  drain(): void;
}

export interface ProbesDeps {
  /** Whether what the answers depend on is there: the keys that sign tokens, or that verify them. */
  readonly isEquipped: () => boolean;
  /** Whether the store can be written; left out where nothing is written. */
  readonly store?: Pick<Readiness, 'isReady'>;
}

export function createProbes({ isEquipped, store }: ProbesDeps): Probes {
  let isDraining = false;

  return {
    live: (_req, res) => answer(res, 200),
    async ready(_req, res) {
      const isReady = !isDraining && isEquipped() && (!store || (await store.isReady()));
      answer(res, isReady && !isDraining ? 200 : 503);
    },
    drain() {
      isDraining = true;
    },
  };
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
