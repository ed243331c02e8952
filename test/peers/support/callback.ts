/** An address of its own for what a real browser brings back, as a connector gets it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallbackReply } from '../../../console/federation/connector.ts';

export interface CallbackAddress {
  /** For sign-ins. */
  readonly url: string;
  /** For logouts. */
  readonly logoutUrl: string;
  /** What was brought last. */
  reply(): CallbackReply;
  /** The query of what was brought last, character by character. */
  query(): string;
  /** Where the browser goes from the address for logouts; nowhere unless set. */
  onLogout: (query: string) => Promise<string | undefined>;
  close(): Promise<unknown>;
}

export async function openCallback(): Promise<CallbackAddress> {
  let last: { readonly query: string; readonly parameters: ReadonlyMap<string, string> } | undefined;
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += part;
    const [path, query = ''] = (req.url ?? '').split('?');
    const parameters = new Map(new URLSearchParams(req.method === 'POST' ? body : query));
    if (parameters.size > 0) last = { query, parameters };
    const location = path === '/logout' && query !== '' ? await address.onLogout(query) : undefined;
    res.writeHead(location ? 303 : 200, {
      'Content-Type': 'text/html',
      ...(location ? { Location: location } : {}),
    });
    res.end('<!doctype html><title>back</title><link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const lastReply = () => {
    if (!last) throw new Error('nothing has come back');
    return last;
  };
  const address: CallbackAddress = {
    url: `${origin}/login/callback/corp`,
    logoutUrl: `${origin}/logout`,
    reply: () => ({ callbackUrl: address.url, parameters: lastReply().parameters }),
    query: () => lastReply().query,
    onLogout: async () => undefined,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return address;
}
