/** A callback address of its own: what a real browser brings back, as a connector gets it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallbackReply } from '../../../console/federation/connector.ts';

export interface CallbackAddress {
  readonly url: string;
  /** What was brought last. */
  reply(): CallbackReply;
  close(): Promise<unknown>;
}

export async function openCallback(): Promise<CallbackAddress> {
  let last: ReadonlyMap<string, string> | undefined;
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += part;
    const query = new URL(req.url ?? '', 'http://localhost').searchParams;
    const parameters = new Map(req.method === 'POST' ? new URLSearchParams(body) : query);
    if (parameters.size > 0) last = parameters;
    res.writeHead(200, { 'Content-Type': 'text/html' });
    res.end('<!doctype html><title>back</title><link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/login/callback/corp`;
  return {
    url,
    reply() {
      if (!last) throw new Error('nothing has come back');
      return { callbackUrl: url, parameters: last };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
