/** Stands before several consoles as a load balancer does: each request goes to the one that is chosen now. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoadBalancer {
  readonly port: number;
  readonly url: string;
  /** Where requests go from now on. @param ports  one after the other */
  choose(...ports: readonly number[]): void;
  /** How many answers of each status have gone back. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What was asked for, without its query, and where it went. */
  readonly asked: { readonly method: string; readonly path: string; readonly port: number }[];
  close(): Promise<void>;
}

export async function startLoadBalancer(): Promise<LoadBalancer> {
  let targets: readonly number[] = [];
  let turn = 0;
  const statuses = new Map<number, number>();
  const asked: LoadBalancer['asked'] = [];
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const server = createServer((req, res) => {
    const port = targets[turn++ % targets.length]!;
    const { method, url: path } = req;
    asked.push({ method: method!, path: path!.replace(/\?.*$/, ''), port });
    const headers = { ...req.headers, connection: 'close' };
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      count(answer.statusCode!);
      const { connection: _connection, 'keep-alive': _persistence, ...given } = answer.headers;
      res.writeHead(answer.statusCode!, given);
      answer.pipe(res);
    });
    onward.on('error', () => {
      count(502);
      res.writeHead(502).end();
    });
    req.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://localhost:${port}`,
    choose(...ports) {
      targets = ports;
      turn = 0;
    },
    statuses,
    asked,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
