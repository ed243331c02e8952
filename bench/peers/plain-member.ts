/**
 * A member for the proxy's benchmarks, with a port that it gets back after a restart (`PORT`). `GET /count`
 * tells how many calls it has taken, `GET /slow/<ms>` makes it answer that much later, a value of
 * `/svc/rest/maps/bench/<bytes>` is as long as its key says, and what is posted is thrown away.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const block = Buffer.alloc(64 * 1024, 'v');
let taken = 0;
let delayMs = 0;

const server = createServer({ keepAliveTimeout: 75_000 }, (req, res) => {
  const url = req.url ?? '';
  if (url === '/count') return res.end(`${taken}`);
  if (url.startsWith('/slow/')) {
    delayMs = Number(url.slice('/slow/'.length));
    return res.end();
  }
  if (url.startsWith('/svc/rest/maps/')) taken += 1;
  if (delayMs > 0) return setTimeout(answer, delayMs, req, res);
  return answer(req, res);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));

function answer(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === 'POST') {
    req.resume();
    req.once('end', () => res.end());
    return;
  }
  const bytes = /^\/svc\/rest\/maps\/bench\/(\d+)$/.exec(req.url ?? '')?.[1];
  if (bytes === undefined) res.end(block.subarray(0, 100));
  else sendBytes(res, Number(bytes));
}

function sendBytes(res: ServerResponse, bytes: number): void {
  let left = bytes;
  res.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes });
  const fill = (): void => {
    while (left > 0) {
      const chunk = left < block.length ? block.subarray(0, left) : block;
      left -= chunk.length;
      if (!res.write(chunk)) return void res.once('drain', fill);
    }
    res.end();
  };
  fill();
}
