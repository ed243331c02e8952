import type { IncomingMessage, ServerResponse } from 'node:http';

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
  /** Rejects when a write would fail; left out where nothing is written. */
  readonly checkWritable?: () => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A probe may come every second from several sides; the store is asked at most this often. */
const rememberMs = 1000;
/** A store that has not answered by now does not count as writable. */
const patienceMs = 2000;

export function createProbes({ isEquipped, checkWritable, now }: ProbesDeps): Probes {
  let isDraining = false;
  let isWritable = Promise.resolve(false);
  let isAsking = false;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    live: (_req, res) => answer(res, 200),
    async ready(_req, res) {
      const isReady = !isDraining && isEquipped() && (!checkWritable || (await askStore(checkWritable)));
      answer(res, isReady && !isDraining ? 200 : 503);
    },
    drain() {
      isDraining = true;
    },
  };

  function askStore(check: () => Promise<void>): Promise<boolean> {
    if (!isAsking && now() - askedAt > rememberMs) {
      isAsking = true;
      isWritable = check().then(
        () => true,
        () => false,
      );
      void isWritable.then(() => {
        isAsking = false;
        askedAt = now();
      });
    }
    return within(patienceMs, isWritable);
  }
}

function within(timeoutMs: number, answer: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, false);
    void answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
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
