/** TLS before the suite, which listens in clear text and learns from fields how it was reached. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { CertificateFiles } from '../certificate.ts';

export interface FrontOptions {
  /** Where it listens, an origin. */
  readonly at: string;
  /** Of the suite. */
  readonly port: number;
  readonly certificate: CertificateFiles;
  /** Whether what is asked for at this path is refused here, and does not reach the suite. */
  readonly isShut: (path: string) => boolean;
}

/** Fields that only a front may set. */
const ownFields = /^x-(?:forwarded|ssl)-/;

export async function startFront({ at, port, certificate, isShut }: FrontOptions): Promise<Server> {
  const { host, hostname, port: ownPort } = new URL(at);
  const agent = new Agent({ keepAlive: true });
  const tls = { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
  const server = createServer({ ...tls, maxHeaderSize: 65_536 }, (req, res) => {
    if (isShut(new URL(req.url!, at).pathname)) {
      res.writeHead(503).end();
      return;
    }
    const socket = req.socket as TLSSocket;
    const sent = Object.entries(req.headers).filter(([name]) => !ownFields.test(name));
    const headers = {
      ...Object.fromEntries(sent),
      host,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
      'x-forwarded-port': ownPort,
      'x-forwarded-uri': req.url,
      'x-forwarded-for': socket.remoteAddress,
      'x-ssl-protocol': socket.getProtocol() ?? '',
      'x-ssl-cipher': socket.getCipher().name,
    };
    const onward = request({ host: '127.0.0.1', port, method: req.method, path: req.url, headers, agent });
    onward.on('response', (reply) => {
      res.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(res);
    });
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(Number(ownPort), hostname, resolve));
  return server;
}
