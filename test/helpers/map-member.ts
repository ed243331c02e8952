/** A member that has one map, and answers reads of its entries when it is let. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MapMember {
  readonly port: number;
  /** Keys that were asked for, in their order. */
  readonly asked: () => readonly string[];
  /** From now on each read waits. */
  hold(): void;
  /** So many more reads are answered, those that wait first; the next ones wait. */
  letThrough(count: number): void;
  /** Answers those that wait, and all that come. */
  release(): void;
  /** From now on each read is broken off, those that wait too. */
  breakOff(): void;
  close(): Promise<void>;
}

/** @param valueFor  of a key; undefined: the map has no entry of it */
export async function startMapMember(valueFor: (key: string) => string | undefined): Promise<MapMember> {
  const asked: string[] = [];
  let waiting: (readonly [string, ServerResponse])[] = [];
  let room = 0;
  let mode: 'open' | 'held' | 'broken' = 'open';
  const answer = (key: string, res: ServerResponse) => {
    const value = valueFor(key);
    if (value === undefined) return void res.writeHead(204).end();
    res.writeHead(200, { 'Content-Type': 'text/plain' }).end(value);
  };
  const server: Server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    const [, key] = /\/rest\/maps\/[^/]+\/([^/]+)$/.exec(path) ?? [];
    // What a console asks for by itself is no read of anybody.
    if (key !== undefined && key !== '-') {
      const name = decodeURIComponent(key);
      asked.push(name);
      if (mode === 'broken') req.socket.destroy();
      else if (mode === 'held' && room === 0) waiting.push([name, res]);
      else {
        if (mode === 'held') room -= 1;
        answer(name, res);
      }
    } else if (path.includes('/health')) {
      res.setHeader('Content-Type', 'application/json');
      res.end(
        '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":1}',
      );
    } else res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => asked,
    hold() {
      mode = 'held';
      room = 0;
    },
    letThrough(count) {
      const some = waiting.splice(0, count);
      for (const [key, res] of some) answer(key, res);
      room = count - some.length;
    },
    release() {
      mode = 'open';
      for (const [key, res] of waiting) answer(key, res);
      waiting = [];
    },
    breakOff() {
      mode = 'broken';
      for (const [, res] of waiting) res.socket?.destroy();
      waiting = [];
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
