/** A load that goes on whatever happens, and remembers each call. */
import { connect, type Socket } from 'node:net';
import { quantile } from '../statistics.ts';

export interface SteadyLoad {
  /** What happened since the last time this was asked. */
  take(): Period;
  stop(): void;
}

export interface Period {
  readonly calls: number;
  /** Answers other than 200, and connections that broke. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

/** @param request  the whole of it; its answer must have a `Content-Length` */
export function startSteadyLoad(url: string, request: Buffer, connections: number): SteadyLoad {
  const port = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  let latencies: number[] = [];
  let failed = 0;
  let isStopped = false;
  for (let i = 0; i < connections; i++) open();

  return {
    take() {
      const sorted = Float64Array.from(latencies).sort();
      const period = {
        calls: sorted.length,
        failed,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        mostMs: sorted.at(-1) ?? 0,
      };
      latencies = [];
      failed = 0;
      return period;
    },
    stop() {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };

  function open(): void {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    sockets.add(socket);
    let sentAt = performance.now();
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (!isWhole(received)) return;
      const now = performance.now();
      latencies.push(now - sentAt);
      if (!received.startsWith('HTTP/1.1 200')) failed += 1;
      received = '';
      sentAt = now;
      socket.write(request);
    });
    socket.on('close', () => {
      sockets.delete(socket);
      if (isStopped) return;
      failed += 1;
      open();
    });
    socket.write(request);
  }
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1];
  return end >= 0 && received.length >= end + 4 + Number(length ?? 0);
}
