import type { IncomingMessage, ServerResponse } from 'node:http';

/** `/live` and `/ready` (S82): two different questions, neither answered with any detail. */
export interface Probes {
  live(req: IncomingMessage, res: ServerResponse): void;
  ready(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** From now on not ready: the process is about to stop. */
  drain(): void;
}

export interface ProbesDeps {
  /** Whether tokens can be signed. */
  readonly hasKeys: () => boolean;
  /** Rejects when a write would fail. */
  readonly checkWritable: () => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A probe may come every second from several sides; the store is asked at most this often. */
const rememberMs = 1000;
/** A store that has not answered by now does not count as writable. */
const patienceMs = 2000;

export function createProbes({ hasKeys, checkWritable, now }: ProbesDeps): Probes {
  let isDraining = false;
  let isWritable = Promise.resolve(false);
  let isAsking = false;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    live: (_req, res) => answer(res, 200),
    async ready(_req, res) {
      const isReady = !isDraining && hasKeys() && (await askStore());
      answer(res, isReady && !isDraining ? 200 : 503);
    },
    drain() {
      isDraining = true;
    },
  };

  function askStore(): Promise<boolean> {
    if (!isAsking && now() - askedAt > rememberMs) {
      isAsking = true;
      isWritable = checkWritable().then(
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
