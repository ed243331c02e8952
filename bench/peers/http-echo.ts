/** The floor under the member: Node's own HTTP server that sends back what it got, and fixed bytes on GET. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const values = new Map([100, 10_000].map((bytes) => [String(bytes), Buffer.alloc(bytes, 'v')]));

const server = createServer((req, res) => {
  res.sendDate = false;
  if (req.method === 'GET') return send(values.get(req.url!.slice(req.url!.lastIndexOf('/') + 1))!);
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => send(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));

  function send(body: Buffer): void {
    res.writeHead(200, ['Content-Length', String(body.length)]);
    res.end(body);
  }
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
